"""The page *prompt*: its sections with about how many tokens each has, and its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from textual.content import Content

from replay.records import Suggestion
from server.context.budget import CHARACTERS_A_TOKEN
from server.prompt.templates import TEMPLATES
from tui.inspector.code import PageContent
from tui.inspector.pages.parts import ShownMoment, faint, folded, head, lines
from tui.terminal_text import one_line, shorten

_MARK = "bold $text-warning"
_TOKENS = sorted({token for template in TEMPLATES.values() for token in template.marks}, key=len, reverse=True)
_MARKS = re.compile("⟨(?:before|cursor|system|user|assistant|file [^⟩\n]*)⟩|" + "|".join(map(re.escape, _TOKENS)))
_NAME = 40
"""The width of the name of a section, in cells."""
_SECTIONS = 30
"""The sections that are named."""


def prompt_page(shown: ShownMoment) -> PageContent:
    """Show the sections of the prompt, and the prompt; its marks and the special tokens of model families stand out."""
    offered = shown.record.suggestion
    if offered is None or not offered.prompt:
        return PageContent(faint("The run holds no prompt for this moment."))
    table = [Content(f"  {name:<{_NAME}} {size:>9,} {tokens(size):>9,}") for name, size in sections(offered.prompt)]
    more = [faint(f"  … {len(table) - _SECTIONS:,} more sections")] if len(table) > _SECTIONS else []
    parts = [
        head(_title(offered)),
        faint(f"  {'section':<{_NAME}} {'characters':>9} {'about so many tokens':>9}"),
        *table[:_SECTIONS],
        *more,
        Content(f"  {'all':<{_NAME}} {len(offered.prompt):>9,} {tokens(len(offered.prompt)):>9,}").stylize("bold"),
        Content(""),
        head("Text"),
        folded(offered.prompt).highlight_regex(_MARKS, style=_MARK),
    ]
    return PageContent(lines(*parts), 0, offered.prompt)


def tokens(characters: int) -> int:
    """Return about how many tokens a text of so many characters has: 3.2 characters a token, as the server reckons."""
    return round(characters / CHARACTERS_A_TOKEN)


def sections(prompt: str) -> Iterator[tuple[str, int]]:
    """Yield each section, named by the mark it begins with, with its characters; what stands before the first mark is `start`."""
    name, begin = "start", 0
    for mark in _MARKS.finditer(prompt):
        if mark.start() > begin:
            yield name, mark.start() - begin
        name, begin = shorten(one_line(mark[0]), _NAME), mark.end()
    if len(prompt) > begin:
        yield name, len(prompt) - begin


def _title(offered: Suggestion) -> str:
    cache = "" if offered.cache == "none" else f", answered from the cache ({offered.cache})"
    return shorten(one_line(f"Prompt for provider {offered.provider or 'of this run'}{cache}"), 200)
