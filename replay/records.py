"""The parts of a run's records: moments, suggestions, endings, verdicts."""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias

import msgspec

from runners.verdicts import VerdictClass
from server.request_counts import Finish
from syntax.text import Change
from syntax.wanted import Stop

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
"""Endings with an answer of the provider; only these can have a verdict."""
GIVEN_UP: frozenset[str] = frozenset({"superseded", "cancelled"})
"""Endings of requests for whose answer the editor did not wait, or whose answer it did not show for the sake of another."""

Untestable: TypeAlias = Literal[
    "rewritten", "broken-baseline", "flaky", "empty", "undetected", "no-syntax", "diverged", "silence", "unparsable"
]
"""Why a moment cannot be tested. `diverged`: in drive mode, the document's text at this place occurs nowhere on the tape. `silence`: the
person made no next edit, so that nothing is the right answer. `unparsable`: without the next edit the finished document does not parse."""
VerdictName: TypeAlias = Literal[VerdictClass, "repeated", "elsewhere", "untestable"]
"""`repeated`: the suggestion says again what stood right of the cursor, so that the code would stand there twice. `elsewhere`: the tests pass
with the edit suggestion, which changes nothing where the person's next edit is."""
NextEditKind: TypeAlias = Literal["jump", "near", "silence"]
"""`jump`: the person's next edit begins more than a line away, or in another document. `silence`: there is none."""
Trigger: TypeAlias = Literal["automatic", "invoked"]


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """A smaller part that begins at the same place as what a moment asks for: the statement with which a block begins.

    It is not asked for again. `truth` is its text in the finished project, "" if there is none. What answers the larger question begins
    with an answer to this one.
    """

    stop: Stop
    kind: str
    scenario: str
    truth: str = ""


class DocumentChange(msgspec.Struct, frozen=True):
    """A change of a document: the range from `start` to `end` (UTF-16 offsets into the document as it is) gets a text."""

    path: str
    start: int
    end: int
    text: str

    @property
    def change(self) -> Change:
        """The change without its document."""
        return self.start, self.end, self.text


class NextEdit(msgspec.Struct, frozen=True, kw_only=True):
    """What the person did next: `changes` against the documents as they are at the moment; none where the `kind` is silence.

    `until` is the index of the event behind the last of these edits. `lines` is how many lines away the first one begins (None: in another
    document, or nowhere).
    """

    kind: NextEditKind
    changes: tuple[DocumentChange, ...] = ()
    until: int = 0
    lines: int | None = None


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A place on a tape where the policy asks. `event` is the index of the event before which it lies.

    `offset` is in UTF-16 code units, `line` and `character` are the LSP position, `t` is virtual time in ms.
    `hole` names the part of the finished document that is wanted at the moment, by its path and its end, and `function` the
    outermost function around it, by its path and line ("": none): moments of the same one are not independent. `program` says which program
    a task is a gap of, where several tasks of a corpus may be gaps of one ("": its document is the program).
    `kind` and `scenario` come from the `blocks` policy (of a next edit `kind` is that of `next_edit`), and so does `within`: smaller parts that begin here too. `before` and `after`
    are the text around the cursor (cut to a window for display), `truth` is the text at this place in the finished project. `turn` counts the moments at one
    place before one event; there are several
    only if text was accepted and removed again. `request` is the number of the tape's own request that is asked again here, None if the
    policy asks by itself; `selected` is the change that the item makes which was selected in the editor's list then. `sample` is the index, from 0, of one of several answers to the same
    question.
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
    hole: str = ""
    function: str = ""
    program: str = ""
    within: tuple[Within, ...] = ()
    trigger: Trigger = "automatic"
    turn: int = 0
    request: int | None = None
    sample: int = 0
    selected: Change | None = None
    next_edit: NextEdit | None = None
    """The right answer, where an edit is asked for; None where an inline completion is."""

    @property
    def question(self) -> tuple[object, ...]:
        """What all samples of a moment have in common, and no other moment of the run has."""
        parts: tuple[object, ...] = (self.tape, self.event, self.path, self.offset, self.stop, self.kind, self.scenario)
        return parts + ((self.turn,) if self.turn else ())

    @property
    def id(self) -> str:
        """The moment's id. It is the same in every run of the same policy on the same tape."""
        parts = self.question + (("sample", self.sample) if self.sample else ())
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


class TrailStep(msgspec.Struct, frozen=True):
    """One repair that changed the text; `undone` if the result had more syntax errors, so that the repair was not used."""

    step: str
    before: str
    after: str
    undone: bool = False


class Suggestion(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. `text` replaces the range from `start` to `end` (UTF-16 offsets); `latency` is in ms of virtual time.

    `first_token` is the ms from the question to the first piece of an answer that was streamed. None where it is not known: the answer came in
    one piece or from a cache, its latency was not measured, another server gave it, or an older version made the run. `prompt_tokens` and
    `tokens` are those of the prompt and of the answer, as the provider told them; None where it did not, as for an answer whose reader had
    enough before its end; so with `finish`, why the model stopped writing.
    """

    text: str
    start: int
    end: int
    latency: float
    raw: str = ""
    prompt: str = ""
    provider: str = ""
    cache: str = "none"
    trail: tuple[TrailStep, ...] = ()
    first_token: float | None = None
    prompt_tokens: int | None = None
    tokens: int | None = None
    finish: Finish | None = None
    changes: tuple[DocumentChange, ...] = ()
    """The changes of an edit suggestion; `text` shows them to a person then. Of an inline completion, none: it is one change at the cursor."""


class Ending(msgspec.Struct, frozen=True):
    """How a moment ended in the editor, with the reason if there is one (gate, failure, repair step)."""

    name: EndingName
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.reason})" if self.reason else self.name


RewritingCause: TypeAlias = Literal["before", "closer", "tail", "surplus"]
"""Why what stood at a moment and what stands there in the end do not meet.

`before`: the statement before the cursor has other text now. `closer`: the bracket that closed what is open at the cursor is gone.
`tail`: text that stood right of the cursor ends something that begins here now. `surplus`: what was written here closes more than was open.
"""


class Rewriting(msgspec.Struct, frozen=True, kw_only=True):
    """What a moment's place was, and what it became: `then` at the moment, `now` in the finished document; long texts without their middle.

    For the cause `before` both are the text before the cursor, else the text behind it.
    """

    cause: RewritingCause
    then: str
    now: str


AdherenceName: TypeAlias = Literal["followed", "broken", "not concerned", "unparsable"]
"""What a suggestion does to an instruction of developers (`replay.judge.judge`)."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the tests on the graft. `reason` says why a moment is untestable; `wall_ms` is the duration of the tests.

    `cause` says why a finished program fails its own tests, if a rule recognises it: `network`, `missing-library
    boost`, … `program` is the text that was run,
    if it is more than the document.

    `hole` is the part of the finished document that the suggestion stands in for (UTF-16 offsets), `part` the share that it says of
    the statement it ends in. `fixed` is the verdict on the suggestion where every one at this moment has the same hole: the part that
    was wanted there. It is None where that is this verdict.
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
    hole: tuple[int, int] | None = None
    part: float = 1.0
    fixed: VerdictName | None = None
    alone: VerdictName | None = None
    """What the tests say of the suggestion at an untestable moment, where that was wanted: it counts in published scores alone."""
    rewriting: Rewriting | None = None
    """What the place was and what it became, where the moment is untestable because it was `rewritten`."""
    instructions: dict[str, AdherenceName] | None = None
    """What the suggestion does to each chosen instruction, by id; None where none was chosen, or nothing could be said."""


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a request that the editor gave up: the answer that it would have shown had it come at once.

    `suggestion` is None if there is none, and `failed` says why. The verdict is that of a suggestion that is shown.
    """

    suggestion: Suggestion | None = None
    failed: str = ""
    verdict: Verdict | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One moment and its outcome. The record is stored when the moment ends, and stored again with its verdict."""

    moment: Moment
    ending: Ending
    suggestion: Suggestion | None = None
    verdict: Verdict | None = None
    covered: tuple[int, ...] = ()
    """Indices of the edit events, made by hand, that the accepted suggestion made unnecessary."""
    keys: int = 1
    """The number of keys for accepting: one for the whole suggestion; for a part of it, one for each line or word."""
    missed: Missed | None = None
    """In judge mode, where the request was given up: what its answer would have been. None elsewhere, and where nobody found out."""


ALL, NONE = "all", "none"
"""The arms of an ablation with all repairs, and with none."""


def without(step: str) -> str:
    """The name of the arm in which a step is left out."""
    return f"without {step}"


class ArmTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One answer after the repairs of one arm of an ablation, and the verdict on its graft.

    `moment` is the moment's id, `place` its `path:line:column` counted from 1. `text` replaces the range from `start`
    to `end` (UTF-16 offsets). If the
    repairs left no text, `step` is the repair that removed the last of it. The verdict has no log.
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
        """Whether there is text left to offer and the tests pass with it."""
        return self.verdict.name == "passed" and bool(self.text)


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """The number of keys for a session in drive mode. `tape` counts the edits by hand on the tape, one key each.

    Of these edits, `typed` were still made and `dropped` were unnecessary. Further keys are `accepts` (one for a whole
    suggestion; for a part, one for each
    line or word), `rejections` (Escape, if the next key was a tab that would have accepted), `deletions` (of wrong
    accepted text: one key for each character,
    or one to undo all of it) and `mending` (typing what differs from the recording). `conflicts` counts the places at
    which mending was needed.
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
        """The number of keys that drive mode needed."""
        return self.typed + self.accepts + self.rejections + self.deletions + self.mending

    @property
    def saved(self) -> int:
        """Keystrokes saved: keys on the tape minus keys needed in drive mode. Negative if suggestions cost more keys than they saved."""
        return self.tape - self.needed
