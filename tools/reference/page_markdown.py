"""Markdown in the house's form: lines of at most 120 characters, tables whose cells are short."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 118
"""The longest line that is written; a test refuses pages with lines over 120 characters."""
_SPAN = re.compile(r"`[^`]{1,90}`")


def paragraph(text: str, *, first: str = "", rest: str = "") -> str:
    """Return a text in lines of at most `WIDTH` characters; no line ends inside of code in back-ticks.

    Example: `paragraph("one two", first="* ", rest="  ")` is `* one two`.
    """
    joined = _SPAN.sub(lambda span: span[0].replace(" ", "\0"), " ".join(text.split()))
    lines = textwrap.wrap(
        joined,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\0", " ")


def bullets(texts: Iterable[str]) -> str:
    """Return a list, one text an item."""
    return "\n".join(paragraph(text, first="* ", rest="  ") for text in texts)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table; `|` in a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(each) for each in line)} |" for line in lines)


def page(title: str, about: str, *parts: str) -> str:
    """Return a page: title, what it is for, its parts, and that it is generated."""
    made = "<!-- Written by `make reference`: change the declarations in code, not this page. -->"
    return "\n\n".join([f"# {title}", made, paragraph(about), *(part for part in parts if part)]) + "\n"


def _cell(value: object) -> str:
    return str(value).replace("|", r"\|").replace("\n", " ")
