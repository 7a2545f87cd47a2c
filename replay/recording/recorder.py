"""The recorder's core: editor events of a language server, turned into the events of a tape. Pure: time is an argument.

LSP reports neither the reason of an edit nor the outcome of a suggestion. Both are recorded only if they are certain: see
`reason_of_keys` in `recorder.py`, and `recorder.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from replay.recording.secrets.command_lines import commands, covered
from replay.tapes.tape import Close, Edit, Event, Focus, Ghost, Open, Phase, Reason, Run, Save, Select, State
from replay.tapes.typing_along import PAIRS, Rest
from runners.verdicts.shown_text import plain
from runners.verdicts.test_counts import count_tests
from server.documents import Document
from server.lsp.editor_events import (
    ChangeReasonGiven,
    ClientLeft,
    CompletionAccepted,
    CompletionDismissed,
    CompletionMissing,
    CompletionRequested,
    CompletionReturned,
    CompletionShown,
    CursorsMoved,
    DocumentChanged,
    DocumentClosed,
    DocumentOpened,
    DocumentSaved,
    EditorEvent,
    TerminalCommandEnded,
)
from syntax.text import Change, cut, length, minimal, splice

# What became of a suggestion: the editor says it, or the next change shows it.

SuggestionOutcome: TypeAlias = Literal["accepted", "part", "typed", "rejected", "ignored"]


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """A suggestion on the screen. Accepting it makes `change` (the smallest one) in the current text of its document.

    `rest` is what is left of it to type, once a beginning of it was typed.
    """

    request: int
    doc: int
    change: Change
    rest: Rest | None = None

    @property
    def offset(self) -> int:
        """Where it begins to differ from the document, in UTF-16 code units."""
        return self.change[0]

    @property
    def text(self) -> str:
        """The text that accepting it adds."""
        return self.change[2]

    def outcome(self, changes: Sequence[Change], hint: Reason | None = None) -> SuggestionOutcome:
        """What the next change of the document shows about it.

        `accepted`: the change inserts exactly this text, which no single key can. `part`: it inserts a beginning of the
        text that no single key writes and that is more than blanks. `typed`: a key wrote a beginning of the text, or the pair of brackets or quotes that opens there.
        `rejected`: other text was written, or text was deleted, at its place. `ignored`: the change is elsewhere.

        `hint` is the reason that the editor gave for the change. With `accept` also what a key could write is accepted; what is
        undone, redone or formatted says nothing about the suggestion; what is pasted or deleted can only reject it.
        """
        if len(changes) > 1 or hint in {"undo", "redo", "format"}:
            return "ignored"
        if hint not in {"paste", "delete"} and (taken := self._taken(changes[0], by_command=hint == "accept")):
            return taken
        start, end, _ = changes[0]
        first = min(self.offset, self.rest.offset) if self.rest else self.offset
        return "rejected" if start <= self.offset and first <= end else "ignored"

    def is_put_in(self, changes: Sequence[Change]) -> bool:
        """Whether changes put all of it in at its place, and perhaps at further cursors too: Tab does that, where it is short a key can."""
        return self.change in changes and all(text == self.text for _, _, text in changes)

    def takes(self, changes: Sequence[Change], hint: Reason | None = None) -> bool:
        """Whether the next change of the document writes a beginning of this suggestion, or all of it."""
        return self.outcome(changes, hint) in {"accepted", "part", "typed"}

    def _taken(self, change: Change, *, by_command: bool) -> SuggestionOutcome | None:
        """How a change wrote a beginning of the text; None if it did not."""
        text = change[2]
        is_typed = not by_command and (is_key(text) or not text.strip())
        if change == self.change and (by_command or not is_key(text)):
            return "accepted"
        rest = self._after([change])
        return None if rest is None else "typed" if is_typed or rest.is_whole else "part"

    def _after(self, changes: Sequence[Change]) -> Rest | None:
        start, end, text = self.change
        rest = self.rest or (Rest(start, text) if start == end else None)
        return rest and rest.after(changes)

    def after(self, changes: Sequence[Change]) -> ShownSuggestion | None:
        """The rest of the suggestion after a beginning of it was written; its text is empty if nothing is left that can be shown."""
        rest = self._after(changes)
        if rest is None:
            return None
        return replace(self, change=rest.change if rest.is_visible else (rest.offset, rest.offset, ""), rest=rest)


def shown_suggestion(request: int, doc: int, change: Change, now: str) -> ShownSuggestion:
    """A suggestion that comes onto the screen in a text that is `now` so.

    What it takes the place of may be what the editor closed: `k': 1` between two quotes that a key wrote puts its own quote in
    place of the second, and can be typed along.
    """
    start, end, text = change
    rest = Rest(start, text, cut(now, start, end))
    return ShownSuggestion(request, doc, change, rest if start != end and rest.is_visible else None)


# Changes in an editor follow each other; the changes of one tape event are all against the text before the
# event.


def changes_of_event(before: str, after: str, changes: Sequence[Change]) -> tuple[Change, ...]:
    """The smallest changes, all against `before`, that have the same result as changes made one after the other.

    They leave out text that the editor replaced by the same text; if nothing changed there are none.
    """
    least = tuple(minimal(before, change) for change in merged_changes(changes))
    least = tuple(change for change in least if change[0] != change[1] or change[2])
    if splice(before, least) != after:  # should not happen; but a tape must never be wrong
        least = (minimal(before, (0, length(before), after)),)
    return least


def merged_changes(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes made one after the other, as changes that are all against the text before the first.

    Changes that touch each other become one; the others stay separate, in the order of the text. For example, typing `ab` at 2
    and then replacing 4 to 6 by `c`, `(2, 2, "ab"), (4, 6, "c")`, is the one change `(2, 4, "abc")`.
    """
    pieces: list[Change] = []
    for change in changes:
        pieces = _after(pieces, change)
    return tuple(pieces)


def _after(pieces: Sequence[Change], change: Change) -> list[Change]:
    start, end, new = change
    left: list[Change] = []
    right: list[Change] = []
    shift = {"left": 0, "end": 0}  # how far earlier changes moved the text before and after the touched part
    merged_start: int | None = None
    head, tail, merged_end, now = "", "", -1, 0
    for piece in pieces:
        here, size = piece[0] + now, length(piece[2])
        now += size - (piece[1] - piece[0])
        if here + size < start:
            left.append(piece)
            shift = {"left": now, "end": now}
        elif here > end:
            right.append(piece)
        else:
            if merged_start is None:
                merged_start = piece[0] if here <= start else start - shift["left"]
                head = cut(piece[2], 0, start - here) if here < start else ""
            shift["end"] = now
            covers = here + size >= end
            merged_end = piece[1] if covers else -1
            tail = cut(piece[2], end - here, size) if covers else ""
    begin = start - shift["left"] if merged_start is None else merged_start
    finish = end - shift["end"] if merged_end < 0 else merged_end
    return [*left, (begin, finish, _joined(head + new + tail)), *right]


def _joined(text: str) -> str:
    """A text in which two halves of a surrogate pair that came together are one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def reason_of_keys(before: str, changes: Sequence[Change]) -> Reason | None:
    """`type` or `delete` if one key can have made each of the changes, else None: LSP does not name the reason.

    A key at several cursors counts; a deleted selection, a paste and an undone word do not. This is stricter than
    `certain_reason` of the importers, whose formats record each key of a held-down key as one change.
    """
    if changes and all(start == end and is_key(text) for start, end, text in changes):
        return "type"
    if changes and all(not text and _is_one(cut(before, start, end)) for start, end, text in changes):
        return "delete"
    return None


def is_key(text: str) -> bool:
    """Whether one key can write this: a character, a pair of brackets, or a line end with indentation."""
    return _is_one(text) or text in PAIRS or (text[:1] in {"\r", "\n"} and not text.strip() and _lines(text) == 1)


def _is_one(text: str) -> bool:
    return len(text) == 1 or text == "\r\n"


def _lines(text: str) -> int:
    return text.replace("\r\n", "\n").replace("\r", "\n").count("\n")


Admission: TypeAlias = Callable[[str], str | None]
"""Maps a document's URI to its path on the tape; None if the document must not be recorded."""
CHECK_EVERY = 500
"""A checkpoint is written after this number of edits of a document, unless the document was saved or closed meanwhile."""
_ANSWERS = 500
"""How many requests may be answered between an answer and the time when it is shown."""
_HINTS: dict[str, Reason] = {
    "accept": "accept",
    "delete": "delete",
    "format": "format",
    "paste": "paste",
    "redo": "redo",
    "undo": "undo",
}
"""The reasons that an editor can give for a change."""


@dataclass(slots=True)
class _Doc:
    """One recorded document. `version` is the editor's, `unchecked` counts the edits since the last checkpoint.

    `others` are the suggestions that the person can choose as well as `suggestion`, which came last.
    """

    number: int
    path: str
    version: int
    suggestion: ShownSuggestion | None = None
    others: list[ShownSuggestion] = field(default_factory=list)
    hint: Reason | None = None
    selection: tuple[tuple[int, int], ...] = ()
    unchecked: int = 0


class Recorder:
    """Turns editor events into tape events. The digest of a checkpoint is empty: the redactor fills it in.

    With `tells_shown` only what the editor says that it shows is on the screen.
    """

    def __init__(self, admit: Admission, *, tells_shown: bool = False) -> None:
        self._admit, self._tells_shown = admit, tells_shown
        self._open: dict[str, _Doc] = {}
        self._numbers: dict[str, int] = {}
        self._answers: dict[int, tuple[int, float]] = {}
        self._given: dict[int, tuple[_Doc, ShownSuggestion]] = {}
        self._taken: set[int] = set()
        self._by_hand: set[int] = set()
        self._ending: tuple[ShownSuggestion, Phase] | None = None
        self._held: list[Event] = []
        self._accepting: int | None = None
        self._active: int | None = None
        self._t = 0.0

    def records(self, uri: str) -> bool:
        """Whether a document is on the tape."""
        return uri in self._open

    def take(self, t: float, editor_event: EditorEvent) -> list[Event]:
        """The tape events of one editor event, `t` ms after the start; editor events come in order."""
        self._t = t
        if isinstance(editor_event, CursorsMoved) and self._is_of_the_change(editor_event):
            self._held += self._events(editor_event)
            return []
        if isinstance(editor_event, CompletionAccepted):
            editor_event = self._put_in(editor_event)
        return [*self._released(editor_event), *self._ended(editor_event), *self._events(editor_event)]

    def _is_of_the_change(self, moved: CursorsMoved) -> bool:
        """Whether the change that is held, or that ended a suggestion, has moved the cursors: VS Code says so before it runs the command of an item that was accepted."""
        doc = self._open.get(moved.document.uri)
        waits = self._held[0] if self._held else self._ending[0] if self._ending else None
        is_first = not any(isinstance(event, Select) for event in self._held)
        return doc is not None and is_first and getattr(waits, "doc", None) == doc.number

    def _put_in(self, accepted: CompletionAccepted) -> CompletionAccepted:
        """The acceptance of what the change that is held put in: an editor may name an older request, of which that was what is left."""
        given = self._given.get(accepted.request)
        if not (self._held and self._ending and given and given[0].number == self._ending[0].doc):
            return accepted
        if not self._is_ending(accepted.request):
            self._taken.add(accepted.request)
        return CompletionAccepted(self._ending[0].request)

    def _released(self, editor_event: EditorEvent) -> list[Event]:
        """A change that a key may have made and may have been an acceptance: the editor event behind it says which."""
        held, self._held = self._held, []
        if held and isinstance(editor_event, CompletionAccepted) and self._is_ending(editor_event.request):
            return [
                msgspec.structs.replace(event, reason="accept") if isinstance(event, Edit) else event for event in held
            ]
        return held

    def _is_ending(self, request: int) -> bool:
        return self._ending is not None and self._ending[0].request == request

    def _events(self, editor_event: EditorEvent) -> Iterator[Event]:  # one case for each kind
        match editor_event:
            case DocumentOpened(document):
                yield from self._opened(document)
            case DocumentChanged():
                yield from self._changed(editor_event)
            case ChangeReasonGiven(uri, reason) if uri in self._open:
                self._open[uri].hint = _HINTS.get(reason)
            case CursorsMoved(document, ranges) if document.uri in self._open:
                yield from self._moved(self._open[document.uri], ranges)
            case DocumentSaved(uri) if uri in self._open:
                yield Save(self._t, self._open[uri].number)
                yield self._checkpoint(self._open[uri])
            case DocumentClosed(document) if document.uri in self._open:
                yield from self._closed(self._open.pop(document.uri))
            case CompletionRequested() if editor_event.document.uri in self._open:
                yield from self._asked(editor_event, self._open[editor_event.document.uri])
            case CompletionReturned() if editor_event.document.uri in self._open:
                yield from self._answered(editor_event, self._open[editor_event.document.uri])
            case CompletionShown() if editor_event.document.uri in self._open:
                yield from self._told(editor_event, self._open[editor_event.document.uri])
            case CompletionMissing() if editor_event.document.uri in self._open:
                yield from self._missing(editor_event, self._open[editor_event.document.uri])
            case CompletionAccepted(request):
                yield from self._accepted(request)
            case TerminalCommandEnded(command, output, status):
                run = run_of(self._t, command, output, status)
                yield from () if run is None else (run,)
            case CompletionDismissed(uri) if uri in self._open:
                yield from self._leave(self._open[uri], "rejected")
            case ClientLeft():
                yield from (self._checkpoint(doc) for doc in self._open.values() if doc.unchecked)
            case _:
                return

    def _opened(self, document: Document) -> Iterator[Event]:
        if document.uri in self._open:
            yield from self._closed(self._open.pop(document.uri))
        path = self._admit(document.uri)
        if path is None or any(doc.path == path for doc in self._open.values()):  # the same file by another name
            return
        number = self._numbers.setdefault(path, len(self._numbers))
        self._open[document.uri] = _Doc(number, path, document.version)
        yield Open(self._t, number, path, document.language, document.text)

    def _closed(self, doc: _Doc) -> Iterator[Event]:
        yield from self._leave(doc, "ignored")
        yield self._checkpoint(doc)
        yield Close(self._t, doc.number)
        self._active = None if self._active == doc.number else self._active

    def _changed(self, editor_event: DocumentChanged) -> Iterator[Event]:
        doc = self._open.get(editor_event.after.uri)
        if doc is None:
            return
        doc.version = editor_event.after.version
        self._accepting = None
        changes = changes_of_event(editor_event.before.text, editor_event.after.text, editor_event.changes)
        if not changes:
            doc.hint, doc.selection = None, ()  # they belonged to this change: a bracket that was typed over
            return
        passed_over = list(self._choose(doc, changes))
        suggestion = doc.suggestion
        made = [*passed_over, *self._focus(doc), *self._edited(doc, editor_event.before.text, changes)]
        doc.unchecked += 1
        if doc.unchecked >= CHECK_EVERY:
            made.append(self._checkpoint(doc))
        if suggestion is not None and suggestion.is_put_in(changes) and _may_be_a_key(made):
            self._given[suggestion.request] = (doc, suggestion)
            self._held = made
        else:
            yield from made

    def _choose(self, doc: _Doc, changes: Sequence[Change]) -> Iterator[Event]:
        """Of several suggestions that one was chosen of which a change writes a beginning, else the last; it took the place of the others.

        Answers to one question come in any order, and an editor says only of what is accepted whole which one it was.
        """
        offered = [*doc.others, doc.suggestion]
        taken = (each for each in reversed(offered) if each and each.takes(changes, _hint_of(doc.hint, changes)))
        chosen = next(taken, doc.suggestion)
        doc.suggestion, doc.others = chosen, []
        yield from (self._ghost(each, "ignored") for each in offered if each is not None and each is not chosen)

    def _edited(self, doc: _Doc, before: str, changes: Sequence[Change]) -> Iterator[Event]:
        suggestion, hint, doc.hint, doc.selection = doc.suggestion, _hint_of(doc.hint, changes), None, ()
        outcome = suggestion.outcome(changes, hint) if suggestion is not None else "ignored"
        reason = "accept" if outcome in {"accepted", "part"} else hint or reason_of_keys(before, changes)
        yield Edit(self._t, doc.number, tuple(changes), reason)
        if suggestion is not None:
            rest = suggestion.after(changes) if outcome in {"part", "typed"} else None
            doc.suggestion = rest if rest and rest.text else None
            yield from self._ended_by(suggestion, outcome, changes[0][2], rest)

    def _ended_by(
        self, suggestion: ShownSuggestion, outcome: SuggestionOutcome, text: str, rest: ShownSuggestion | None
    ) -> Iterator[Event]:
        """The effect of a change on the suggestion on the screen; `rest` is what a beginning that was written leaves of it."""
        if outcome == "accepted":
            self._taken.add(suggestion.request)
            self._accepting = suggestion.doc
        if outcome == "accepted" or outcome == "part":  # noqa: PLR1714 - the type checker follows this
            yield self._ghost(suggestion, outcome, text)
        elif rest is None or not rest.text:
            self._ending = (rest or suggestion, "rejected" if outcome == "rejected" else "ignored")

    def _asked(self, asked: CompletionRequested, doc: _Doc) -> Iterator[Event]:
        cursors = doc.selection if doc.selection[:1] == ((asked.offset, asked.offset),) else ()
        yield from self._selected(doc, cursors or ((asked.offset, asked.offset),))
        if asked.invoked:
            self._by_hand.add(asked.request)
        yield Ghost(
            self._t,
            doc.number,
            asked.request,
            "asked",
            asked.offset,
            trigger="invoked" if asked.invoked else "automatic",
            selected=asked.selected,
        )

    def _answered(self, answered: CompletionReturned, doc: _Doc) -> Iterator[Event]:
        """An editor that does not tell what it shows shows each answer to the text of now, and drops the others."""
        if not self._tells_shown:
            yield from self._shown(answered, doc, answered.latency)
        elif minimal(answered.document.text, answered.change)[2]:
            self._remember(answered.request, doc.number, self._t - answered.latency)
            latency = round(answered.latency, 3)
            yield Ghost(self._t, doc.number, answered.request, "answered", latency=latency)

    def _remember(self, request: int, doc: int, asked: float) -> None:
        """Keep which document a request was answered for, and when it was sent; of the last `_ANSWERS` requests."""
        self._answers[request] = doc, asked
        if len(self._answers) > _ANSWERS:
            del self._answers[next(iter(self._answers))]

    def _told(self, told: CompletionShown, doc: _Doc) -> Iterator[Event]:
        """The editor shows what this server answered for this document; anything else it may have from a server before. It may say so again."""
        number, asked = self._answers.get(told.request, (-1, 0.0))
        here = [doc.suggestion, *doc.others]
        is_new = told.request not in self._taken and all(each is None or each.request != told.request for each in here)
        if self._tells_shown and number == doc.number and is_new:
            yield from self._shown(told, doc, self._t - asked)

    def _shown(self, shown: CompletionReturned | CompletionShown, doc: _Doc, latency: float) -> Iterator[Event]:
        """Show a suggestion, so long after its request (ms), if it is about the text of now."""
        change = minimal(shown.document.text, shown.change)
        if shown.document.version != doc.version or not change[2]:
            return
        if shown.request in self._by_hand and doc.suggestion is not None:
            doc.others.append(doc.suggestion)  # "Show Next Completion": one of them is chosen
        else:
            yield from self._leave(doc, "ignored")
        doc.suggestion = shown_suggestion(shown.request, doc.number, change, shown.document.text)
        self._given[shown.request] = (doc, doc.suggestion)
        yield self._ghost(doc.suggestion, "shown", doc.suggestion.text, round(latency, 3))

    def _missing(self, ended: CompletionMissing, doc: _Doc) -> Iterator[Event]:
        """Say why there is no answer, unless nobody waited for an empty one any more."""
        if ended.reason == "cancelled" or ended.document.version == doc.version:
            latency = round(ended.latency, 3)
            yield Ghost(self._t, doc.number, ended.request, ended.reason, ended.offset, latency=latency)

    def _accepted(self, request: int) -> Iterator[Event]:
        """The editor says that a suggestion was accepted. What the last change has told already is not told twice.

        An editor that asks again while a suggestion is typed along may name the older request, and put in what is left of both.
        """
        if request in self._taken or request not in self._given:
            return
        doc, suggestion = self._given[request]
        if self._accepting == doc.number:
            self._taken.add(request)
            return
        if self._is_shown(doc.number):
            self._taken.add(request)
            doc.suggestion = (
                None if doc.suggestion is not None and doc.suggestion.request == request else doc.suggestion
            )
            yield self._ghost(suggestion, "accepted", suggestion.text)

    def _leave(self, doc: _Doc, phase: Phase) -> Iterator[Event]:
        """End the suggestion on the screen."""
        yield from (self._ghost(other, "ignored") for other in doc.others)
        doc.others = []
        if doc.suggestion is not None:
            yield self._ghost(doc.suggestion, phase)
            doc.suggestion = None

    def _ended(self, editor_event: EditorEvent) -> Iterator[Event]:
        """How the last suggestion ended. This waits for the next editor event, which may say that it was accepted."""
        ending, self._ending = self._ending, None
        if ending is None:
            return
        suggestion, phase = ending
        if not (
            isinstance(editor_event, CompletionAccepted) and editor_event.request == suggestion.request
        ) and self._is_shown(suggestion.doc):
            yield self._ghost(suggestion, phase)

    def _is_shown(self, number: int) -> bool:
        return any(doc.number == number for doc in self._open.values())

    def _ghost(self, suggestion: ShownSuggestion, phase: Phase, text: str = "", latency: float = 0.0) -> Ghost:
        return Ghost(self._t, suggestion.doc, suggestion.request, phase, suggestion.offset, text, latency)

    def _focus(self, doc: _Doc) -> Iterator[Event]:
        """A document becomes the active one when it is edited, asked about or selected in."""
        if self._active != doc.number:
            self._active = doc.number
            yield Focus(self._t, doc.number)

    def _moved(self, doc: _Doc, ranges: tuple[tuple[int, int], ...]) -> Iterator[Event]:
        """The cursors were moved, by a change or by the person; where the person moves the main one, or works in another document, the editor shows nothing any more."""
        if self._tells_shown:
            is_moved = doc.selection and doc.selection[:1] != ranges[:1]
            left = [each for each in self._open.values() if each is not doc or is_moved]
            yield from (event for each in left for event in self._leave(each, "ignored"))
        yield from self._selected(doc, ranges)

    def _selected(self, doc: _Doc, ranges: tuple[tuple[int, int], ...]) -> Iterator[Event]:
        yield from self._focus(doc)
        if ranges != doc.selection:
            doc.selection = ranges
            yield Select(self._t, doc.number, ranges)

    def _checkpoint(self, doc: _Doc) -> State:
        doc.unchecked = 0
        return State(self._t, doc.number, "")


def _may_be_a_key(made: Sequence[Event]) -> bool:
    return any(isinstance(event, Edit) and event.reason in {"type", None} for event in made)


def _hint_of(hint: Reason | None, changes: Sequence[Change]) -> Reason | None:
    """The reason that the editor gave, unless the change cannot have it: what writes text deletes nothing alone."""
    writes = any(text for _, _, text in changes)
    return None if hint in {"delete", "accept", "paste"} and writes == (hint == "delete") else hint


# Test runs in the terminals of an editor: which command lines are test runs, and what their output says of
# the tests.

_BEFORE = (
    r"(?:(?:\w+=\S*|time|env|command|nice(?: -n \d+)?|bunx|npx(?: -\S+)*|bundle exec|python[\d.]* -m|py -m|coverage run(?: -\S+)* -m|"
    r"(?:uv|poetry|pdm|hatch|pipenv|rye) run(?: -\S+)*|(?:pnpm|yarn|npm)(?: exec)?(?: --)?)\s+)*"
)
"""What may stand before the program that runs the tests."""
_PROGRAM = (
    r"(?:\S*[/\\])?(?:"
    r"(?:pytest|py\.test|tox|nox|vitest|jest|mocha|ava|tape|tap|ctest|rspec|phpunit|unittest|nose2|doctest)\b(?![\w.-]*[.=])"
    r"|python[\d.]*(?:\.exe)? -m (?:pytest|unittest|nose2|doctest|tox|nox)\b"
    r"|(?:npm|pnpm|yarn|bun) (?:run )?(?:-\S+ )*(?:t|test|tst)(?![\w.-])"
    r"|node (?:\S+ )*--test\b"
    r"|(?:go|dotnet|deno|swift|bazel|mix|flutter|dart|cargo(?: \+\S+)?) (?:-\S+ )*(?:test|nextest)\b"
    r"|(?:mvn|mvnw|gradle|gradlew)(?:\.cmd|\.bat)?(?: \S+)* (?:\S*:)?(?:test|verify|check)\b"
    r"|(?:make|just|rake|task)(?: -\S+)* (?:test|tests|check|spec)(?![\w.-])"
    r")"
)
_COMMAND = re.compile(f"({_BEFORE}){_PROGRAM}")
PROGRAM_IN_LINE = rf"(?<![\w.-]){_PROGRAM}"
"""Is found in each line with a command that runs tests, and in few others: an editor sends nothing of a command without it. Also for JavaScript."""


def commands_that_test(line: str) -> str:
    """The commands of a command line that run tests, without what may be a secret in them, separated by `; `; "" if none does.

    A command runs tests if its program is a known test runner. Of other commands, redirections, comments and here-documents nothing is in it.
    Example: `export TOKEN=abc; PASS=def pytest -q | tail` → `PASS=*** pytest -q`.
    """
    return "; ".join(kept for words in commands(line) if (kept := _kept(words)))


def _kept(words: list[str]) -> str:
    written = " ".join(re.sub(r"\s", "_", word) for word in words)  # a blank in quotes separates no words
    found = _COMMAND.match(written)
    return covered(words, written[: found.end(1)].count(" ")) if found else ""


def run_of(t: float, line: str, output: str, status: int | None) -> Run | None:
    """The event of a test run that ended; None if the command line has none, or nothing says how it ended.

    `output` is what the terminal showed, or the end of it. Where it says nothing of tests, `passed` and `failed` are 0. `status` is the
    exit status, None if the shell did not tell it: then it is 1 if a test failed, else 0.
    """
    command = commands_that_test(line)
    if not command:
        return None
    counted = count_tests(plain(output), line.strip())
    passed, failed = (counted.passed, counted.failed) if counted else (0, 0)
    if status is None and not passed and not failed:
        return None
    return Run(t, command, passed, failed, int(failed > 0) if status is None else status)
