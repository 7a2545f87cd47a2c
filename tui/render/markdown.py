"""Sections as Markdown, for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replay.numbers.section import Section, Tone, tone_of
from tui.terminal_text import bounded, one_line

SIGNS: dict[Tone, str] = {"good": "🟢", "bad": "🔴"}
_LINES = 20
"""The lines of an answer that are shown."""
_MARKED = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$-])")


def in_markdown(section: Section) -> Iterator[str]:
    """Lay out the table of a section: the first column is of texts, the others of numbers."""
    yield f"| {' | '.join(map(one_line, section.columns))} |"
    yield f"| --- |{' ---: |' * (len(section.columns) - 1)}"
    for first, *cells in section.rows:
        yield f"| {' | '.join([plain(first), *map(_cell, cells)])} |"
    if section.note:
        yield ""
        yield plain(section.note)


def folded(section: Section) -> Iterator[str]:
    """Lay out a section that is shown when its title is clicked; nothing if it has no rows."""
    if section.rows:
        yield from fold(section.title, in_markdown(section))


def fold(title: str, lines: Iterator[str]) -> Iterator[str]:
    """Lay out lines that are shown when a title is clicked."""
    yield ""
    yield f"<details><summary>{title[0].upper()}{title[1:]}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"


def _cell(text: str) -> str:
    """A cell of a number, with the sign of what it says. Numbers are shown as they are, for a minus sign needs no escape."""
    sign = SIGNS.get(tone_of(text), "")
    return f"{sign} {text}" if sign else text if _NUMBER.fullmatch(text) else plain(text)


_NUMBER = re.compile(r"[\d\s.,%+()<\N{EN DASH}-]*(?: ms)?|[\d.,+-]+ \([\d.,+-]+ to [\d.,+-]+\)")


def plain(text: str) -> str:
    """Return a text of unknown origin as Markdown that shows it and does nothing: one line, no mark-up, no mention."""
    return _MARKED.sub(r"\\\1", one_line(text)).replace("@", "@\N{ZERO WIDTH SPACE}")


def fenced(text: str, language: str) -> Iterator[str]:
    """Lay out code between fences that are longer than any in it."""
    shown = bounded(text, 160, _LINES)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", shown)), default=0))
    yield f"{fence}{language if language.isalnum() else ''}"
    yield shown
    yield fence


def gates_markdown(run: str, gates: Sequence[tuple[str, str, str]]) -> str:
    """Lay out the gates of a run, each with its name, its sign and its sentence."""
    rows = (f"| {sign} {plain(name)} | {plain(says)} |" for name, sign, says in gates)
    return "\n".join([f"## ghosttape: {plain(run)}", "", "| gate | |", "| --- | --- |", *rows]) + "\n\n"
