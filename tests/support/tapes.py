"""Small tapes for tests, typed key by key."""

from replay.records import Ending, Moment, Record, Suggestion, Verdict
from replay.tapes.tape import Edit, Embedded, Focus, Header, Open, Select, State, Tape, Tests, digest
from syntax.text import length, position_at, splice


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


def moment_of(event=0, before="", after="", **fields):
    """A moment between two texts, which are the whole document."""
    line, character = position_at(before + after, length(before))
    where = {"offset": length(before), "line": line, "character": character, "before": before, "after": after}
    known = {"tape": "small", "path": "a.py", "language": "python", "t": 100.0 * event}
    return Moment(event=event, **{**known, **where, **fields})


def record_of(event, ending, verdict=None, *, tape="small", latency=10.0, covered=(), reason=""):
    """A record with nothing in it but what the metrics count."""
    return Record(
        moment=moment_of(event, tape=tape),
        ending=Ending(ending, reason),
        suggestion=None if latency is None else Suggestion(text="x", start=0, end=0, latency=latency),
        verdict=None if verdict is None else Verdict(name=verdict),
        covered=tuple(covered),
    )


__all__ = ["Tests", "Typist", "moment_of", "record_of"]
