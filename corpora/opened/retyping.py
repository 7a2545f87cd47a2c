"""A finished file as a session: the body of each function is taken out and typed again, line by line, with all other code in its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from replay.tapes.tape import Edit, Event, Open
from syntax.bodies import bodies
from syntax.languages import Language
from syntax.text import length

_BREAKS = re.compile(r"([ \t]*(?:\r\n|\n|\r)\s*)")
"""What stands between the code of one line and that of the next."""
_KEY_MS = 200.0
"""A key of a person takes 239 ms in the mean (Dhakal et al. 2018, CHI); only that it is no faster than a person counts here."""


def functions(language: Language, text: str) -> Iterator[tuple[int, int, int]]:
    """The line (from 1) of each function that no other one holds, and the indices between which its body stands, without what documents it."""
    last = 0
    for body in bodies(language, text):
        if body.kind == "function" and body.header >= last:
            last = body.end
            yield text.count("\n", 0, body.header) + 1, body.start, body.inner


def retyped(language: Language, path: str, text: str, lines: Collection[int] = ()) -> list[Event]:
    r"""The events of the session; with `lines` only of the functions that begin there (from 1). No function: the file is opened, and that is all.

    Example: in `def f():\n    a()\n    b()\n` both calls are deleted; then `a()`, the line end with the indentation, and `b()` are typed.
    """
    events: list[Event] = [Open(0.0, 0, path, language.id, text)]
    clock = 0.0
    for line, start, end in functions(language, text):
        if lines and line not in lines:
            continue
        at, body = length(text[:start]), text[start:end]
        clock += _KEY_MS
        events.append(Edit(clock, 0, ((at, at + length(body), ""),), "delete"))
        for piece in filter(None, _BREAKS.split(body)):
            clock += _KEY_MS * len(piece)
            events.append(Edit(clock, 0, ((at, at, piece),), "type"))
            at += length(piece)
    return events
