"""Plots as SVG in the colours of the page: what matplotlib draws, with classes in the place of its styles.

The policy of the page allows no styles but its own, so every colour becomes a class (`f-c1`: filled, `s-c1`: stroked) that `page.css` has for light and for
dark. Text stays text: it can be searched, and has the font of the page.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from markupsafe import Markup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    name: f"#0000{number:02x}"
    for number, name in enumerate(("text", "faint", "page", "line", *(f"c{n}" for n in range(1, 8))), 16)
}
"""The names of the page's colours, each as a colour that nothing else has."""
_NAMES = {colour: name for name, colour in COLOURS.items()}
WIDTH, HEIGHT = 5.0, 3.2
"""In inches of 72 units: small, so that words can be read where a phone shows the whole width."""
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_KEPT = {"opacity", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "text-anchor", "font-size", "font-weight"}  # fmt: skip
_FONT = re.compile(r"(?:(\d+|bold) )?([\d.]+)px")


def drawn(draw: Callable[[Axes], None], label: str, height: float = HEIGHT) -> Markup:
    """Draw a plot and return it as an element for the page; `label` is what it is called for those who do not see it."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    settings: Any = {
        "text.parse_math": False,  # a dollar in the name of a tape means a dollar
        "svg.fonttype": "none",
        "svg.hashsalt": label,
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "text.color": COLOURS["text"],
        "axes.labelcolor": COLOURS["faint"],
        "axes.edgecolor": COLOURS["faint"],
        "xtick.color": COLOURS["faint"],
        "ytick.color": COLOURS["faint"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
    buffer = io.StringIO()
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph .* missing from")  # the font only measures: the browser has others
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        draw(axes)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _for_page(buffer.getvalue(), label)


def _for_page(source: str, label: str) -> Markup:
    root = ET.fromstring(source)  # noqa: S314 - as above
    prefix = f"p{hashlib.sha256(label.encode()).hexdigest()[:6]}-"
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}:
                parent.remove(child)
    for element in root.iter():
        _restyle(element)
        _rename(element, prefix)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.attrib |= {"role": "img", "aria-label": label, "focusable": "false"}
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - made of elements and escaped by the library


def _restyle(element: ET.Element) -> None:
    """Put classes and attributes in the place of a style."""
    style = dict(part.split(":", 1) for part in element.attrib.pop("style", "").split(";") if ":" in part)
    style = {name.strip(): value.strip() for name, value in style.items()}
    if size := _FONT.search(style.pop("font", "")):
        style |= {"font-size": f"{size[2]}px"} | ({"font-weight": size[1]} if size[1] else {})
    classes = []
    for kind, short in (("fill", "f"), ("stroke", "s")):
        value = style.pop(kind, element.attrib.pop(kind, ""))
        if value in _NAMES:
            classes.append(f"{short}-{_NAMES[value]}")
        elif value:
            element.set(kind, value)
    if element.tag == f"{{{_SVG}}}text" and not any(name.startswith("f-") for name in classes):
        classes.append("f-text")
    if classes:
        element.set("class", " ".join(classes))
    for name in sorted(style.keys() & _KEPT):
        element.set(name, style[name])


def _rename(element: ET.Element, prefix: str) -> None:
    """Give each id a name that no other plot of the page has, and drop those that nothing refers to."""
    if "id" in element.attrib:
        element.set("id", prefix + element.attrib["id"])
    if element.get(_LINK, "").startswith("#"):
        element.set(_LINK, "#" + prefix + element.attrib[_LINK][1:])
    if element.get("clip-path", "").startswith("url(#"):
        element.set("clip-path", f"url(#{prefix}{element.attrib['clip-path'][5:]}")
