"""The way of the moments as a picture: a column for each stage, and bands as high as what flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from replay.numbers.flows import STAGES, FlowLink
from tui.report.drawing import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GAP = 0.07
"""Between two names of a stage, as a share of the height of all moments."""
_BAR = 0.06
"""The width of a name's bar, where stages are 1 apart."""
_LABEL = 0.95
"""The room for the names of the last stage, right of its bars."""
_WIDEST = 12
"""The characters of a name that do not reach the next bar."""
_HIGH = 0.15
"""The share of all moments whose bar is as high as two lines."""
_GOOD, _BAD, _NEITHER, _PLAIN = "c3", "c2", "c6", "c1"
_HUES = {
    "passed": _GOOD,
    "accepted": _GOOD,
    "part": _GOOD,
    "typed-through": _GOOD,
    "failed": _BAD,
    "rejected": _BAD,
    "late": _BAD,
}
_ON_THE_WAY = frozenset({"moments", "asked", "answered", "shown"})


def draw_flow(axes: Axes, links: Sequence[FlowLink]) -> None:
    """Draw the links of `replay.numbers.flows.flow`."""
    heights = _heights(links)
    total = sum(link.count for link in links if link.stage == 0)
    bottoms = _bottoms(heights, total)
    for (stage, name), height in heights.items():
        axes.bar(stage, height, _BAR, bottom=bottoms[stage, name], color=COLOURS[_hue(name)], linewidth=0)
        middle = bottoms[stage, name] + height / 2
        axes.annotate(_words(name, height, total), (stage, middle), (6, 0), textcoords="offset points", va="center", ha="left", fontsize=9)  # fmt: skip
    _draw_bands(axes, links, bottoms)
    axes.set_xlim(-_BAR, len(STAGES) - 1 + _LABEL)
    axes.set_axis_off()


def _words(name: str, height: int, total: int) -> str:
    """A name with its number, in two lines where one would reach the next bar and there is room."""
    one_line = f"{name} {height:,}"
    return one_line if len(one_line) < _WIDEST or height < _HIGH * total else f"{name}\n{height:,}"


def _draw_bands(axes: Axes, links: Sequence[FlowLink], bottoms: dict[tuple[int, str], float]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    out, into = dict(bottoms), dict(bottoms)
    order = sorted(links, key=lambda link: (link.stage, bottoms[link.stage, link.source], bottoms[link.stage + 1, link.target]))  # fmt: skip
    for link in order:
        left, right, middle = link.stage + _BAR / 2, link.stage + 1 - _BAR / 2, link.stage + 0.5
        low, end = out[link.stage, link.source], into[link.stage + 1, link.target]
        out[link.stage, link.source] += link.count
        into[link.stage + 1, link.target] += link.count
        high, top = low + link.count, end + link.count
        points = [(left, low), (middle, low), (middle, end), (right, end), (right, top), (middle, top), (middle, high), (left, high), (left, low)]  # fmt: skip
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        axes.add_patch(PathPatch(Path(points, codes), facecolor=COLOURS[_hue(link.target)], alpha=0.25, linewidth=0))


def _heights(links: Sequence[FlowLink]) -> dict[tuple[int, str], int]:
    """(Stage, name) → how many moments are there."""
    found: dict[tuple[int, str], int] = defaultdict(int)
    for link in links:
        found[link.stage + 1, link.target] += link.count
        if link.stage == 0:
            found[0, link.source] += link.count
    return dict(found)


def _bottoms(heights: dict[tuple[int, str], int], total: int) -> dict[tuple[int, str], float]:
    """Where each name of a stage begins: those that go on stand on top, and below them the rest, the larger the higher."""
    found: dict[tuple[int, str], float] = {}
    for stage in range(len(STAGES)):
        names = sorted((name for at, name in heights if at == stage), key=lambda name: (name not in _ON_THE_WAY, -heights[stage, name]))  # fmt: skip
        top = float(total)
        for name in names:
            found[stage, name] = top - heights[stage, name]
            top = found[stage, name] - _GAP * total
    return found


def _hue(name: str) -> str:
    return _PLAIN if name in _ON_THE_WAY else _HUES.get(name, _NEITHER)
