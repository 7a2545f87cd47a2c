"""What a run is made of: moments, suggestions, endings, verdicts. Read from and written to disk in bulk."""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias

import msgspec

from runners.verdicts import Class

EndingName: TypeAlias = Literal[
    "gated",
    "debounced",
    "superseded",
    "cancelled",
    "failed",
    "empty",
    "filtered",
    "late",
    "shown",
    "accepted",
    "part",
    "typed-through",
    "rejected",
]
SHOWN: frozenset[str] = frozenset({"shown", "accepted", "part", "typed-through", "rejected"})
ANSWERED: frozenset[str] = SHOWN | {"late", "empty", "filtered"}
"""Endings in which the provider gave its answer, so that a verdict can be given on it."""

Untestable: TypeAlias = Literal["rewritten", "broken-baseline", "flaky", "empty", "undetected", "no-syntax", "diverged"]
"""Why a moment cannot be tested. `diverged`: in drive mode, the place is on no point of the tape."""
VerdictName: TypeAlias = Literal[Class, "untestable"]
Trigger: TypeAlias = Literal["automatic", "invoked"]
Stop: TypeAlias = Literal["auto", "line", "statement", "block", "any"]


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A place on a tape where the policy asks. `event` is the index of the event before which it lies.

    `offset` is in UTF-16 code units, `line` and `character` are the LSP position, `t` is virtual time in ms.
    `kind` and `scenario` come from the `blocks` policy. `before` and `after` are the text around the cursor (cut to a
    window for display), `truth` is what stands there in the finished project. `turn` counts the moments at one place before
    one event: more than one only where text was accepted and taken back. `sample` counts the answers that are asked for at
    one place, from 0.
    """

    tape: str
    event: int
    path: str
    language: str
    offset: int
    line: int
    character: int
    t: float
    stop: Stop = "auto"
    kind: str = ""
    scenario: str = ""
    before: str = ""
    after: str = ""
    truth: str = ""
    trigger: Trigger = "automatic"
    turn: int = 0
    sample: int = 0

    @property
    def id(self) -> str:
        """A name that is the same in every run over the same tape and policy."""
        parts: tuple[object, ...] = (self.tape, self.event, self.path, self.offset, self.stop, self.kind, self.scenario)
        parts += (self.turn,) if self.turn else ()
        parts += ("sample", self.sample) if self.sample else ()
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


class Step(msgspec.Struct, frozen=True):
    """One repair that changed the text; `undone` when its result would have parsed worse."""

    step: str
    before: str
    after: str
    undone: bool = False


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """What came back. `start` and `end` (UTF-16 offsets) are replaced by `text`; `latency` in ms as laid on the clock."""

    text: str
    start: int
    end: int
    latency: float
    raw: str = ""
    prompt: str = ""
    provider: str = ""
    cache: str = "none"
    trail: tuple[Step, ...] = ()


class Ending(msgspec.Struct, frozen=True):
    """How a moment ended in the editor, and why where that needs saying (gate, failure, repair step)."""

    name: EndingName
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.reason})" if self.reason else self.name


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """How the graft did in the tests. `reason` says why an untestable moment is; `wall_ms` is what the tests took.

    `cause` explains why a finished program fails its own tests, where a rule knows: `network`, `missing-library boost`, …
    `program` is what was run, where that is more than the document.
    """

    name: VerdictName
    reason: str = ""
    message: str = ""
    passed: int | None = None
    failed: int | None = None
    log: str = ""
    wall_ms: float = 0.0
    cause: str = ""
    program: str = ""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One moment with all that became of it. A record is kept when the moment ends, and again with its verdict."""

    moment: Moment
    ending: Ending
    suggestion: Suggestion | None = None
    verdict: Verdict | None = None
    covered: tuple[int, ...] = ()
    """Indices of the edit events, made by hand, that an accepted suggestion made needless."""
    keys: int = 1
    """What accepting took: one key for the whole, one a line or a word for a part."""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One answer under the repairs of one arm of an ablation, and how its graft did.

    `moment` is the moment's id, `place` its `path:line:column` counted from 1. `start` and `end` (UTF-16 offsets) are replaced
    by `text`; where nothing is left of it, `step` is the repair that took the last of it. The verdict has no log.
    """

    moment: str
    tape: str
    place: str
    language: str
    arm: str
    text: str
    start: int
    end: int
    step: str = ""
    verdict: Verdict

    @property
    def passes(self) -> bool:
        """Whether something is offered, and the tests pass with it in place."""
        return self.verdict.name == "passed" and bool(self.text)


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """What a session took in drive mode, in keys. `tape` are the edits on the tape that a person made by hand, one key each.

    Of those `typed` were still made and `dropped` were needless. Added to them are `accepts` (one key for the whole, one a
    line or a word for a part), `rejections`
    (Escape, where the next key was a tab that would have accepted), `deletions` (of accepted text that was wrong: a key a
    character, or one for undoing all of it) and `mending` (typing what differs from the recording). `conflicts` counts
    the places where that was needed.
    """

    tape: int = 0
    typed: int = 0
    dropped: int = 0
    accepts: int = 0
    rejections: int = 0
    deletions: int = 0
    mending: int = 0
    conflicts: int = 0

    @property
    def needed(self) -> int:
        """The keys that were really needed."""
        return self.typed + self.accepts + self.rejections + self.deletions + self.mending

    @property
    def saved(self) -> int:
        """Keystrokes saved: keys on the tape less keys really needed. Below 0 where suggestions did harm."""
        return self.tape - self.needed
