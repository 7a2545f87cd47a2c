"""Small tapes for tests, typed key by key."""

from replay.tape import Edit, Embedded, Focus, Header, Open, Select, State, Tape, Tests, digest
from syntax.text import length, splice


class Typist:
    """Writes a tape: every call adds events; `text` is what the document holds."""

    def __init__(self, path="a.py", language="python", text="", *, gap=100.0, tests=None, name="small"):
        self.events = [Open(0.0, 0, path, language, text), Focus(0.0, 0)]
        self.text, self.t, self.gap = text, 0.0, gap
        self.header = Header(
            tape=1,
            id=name,
            editor="test",
            origin="synthesised",
            workspace=Embedded(),
            tests=tests,
            created="2026-01-01",
        )

    def type(self, text, at=None):
        """Type a text, one key a character, at an offset (default: the end)."""
        at = length(self.text) if at is None else at
        for char in text:
            self.edit((at, at, char), reason="type")
            at += length(char)
        return self

    def edit(self, *changes, reason="type", gap=None):
        self.t += self.gap if gap is None else gap
        self.events.append(Edit(self.t, 0, tuple(changes), reason))
        self.text = splice(self.text, changes)
        return self

    def select(self, offset, gap=10.0):
        self.t += gap
        self.events.append(Select(self.t, 0, ((offset, offset),)))
        return self

    def checkpoint(self):
        self.events.append(State(self.t, 0, digest(self.text)))
        return self

    def tape(self):
        return Tape(self.header, tuple(self.events))


__all__ = ["Tests", "Typist"]
