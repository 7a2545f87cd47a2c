"""The typist of a synthesised session: turns spans into keys, gaps, typos and pastes, drawn from named distributions.

It types as editors report it: an opening bracket comes with its closer in one edit, Enter indents, and the cursor is reported
after each edit. Text that the editor added and the span does not have is deleted again, so the result of a span is always
exactly its text. Pure; chance comes from the seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpora.history.session.commit_buffer import CommitBuffer
from corpora.history.session.distributions import BESIDE, Distributions, GapContext
from corpora.history.session.hunks import ReplacedSpan
from corpora.typing.typist import neighbour
from replay.tapes import tape
from replay.tapes.tape import Event, Reason

_SMALL = 8
"""The most characters that are deleted one by one with Backspace (see `selected`)."""
_QUOTES = "\"'`"
_NEWLINE = re.compile(r"\r?\n")
_SPACE = re.compile(r"[ \t]*")
_LETTERS = re.compile(r"[A-Za-z]*")


@dataclass
class KeyCounts:
    """What the typist did: keys that wrote text (typos included), keys that deleted text, typos, pastes."""

    typed: int = 0
    deleted: int = 0
    typos: int = 0
    pastes: int = 0


class SpanTypist:
    """The clock (ms), the events so far, and the document with the cursor.

    Events between two edits (focus, saves, cursor moves) are spread evenly over the gap before the second edit.
    """

    def __init__(self, chance: random.Random, distributions: Distributions) -> None:
        self.chance, self.distributions = chance, distributions
        self.clock = 0
        self.events: list[Event] = []
        self.count = KeyCounts()
        self.buffer = CommitBuffer(-1, "", "plaintext", "", ())
        self.context: GapContext | None = "document"
        self._last = ""
        self._edited = 0
        self._waiting: list[Callable[[float], Event]] = []
        self._behind = 0

    def turn_to(self, buffer: CommitBuffer, *, first: bool) -> None:
        """Go to a document; the first time, open it."""
        if first:
            self._later(lambda t: tape.Open(t, buffer.doc, buffer.path, buffer.language, buffer.text))
        self._later(lambda t: tape.Focus(t, buffer.doc))
        self.buffer, self.context = buffer, "document"

    def save(self) -> None:
        """Save the document."""
        doc = self.buffer.doc
        self._later(lambda t: tape.Save(t, doc))

    def finish(self, states: Sequence[tuple[int, str]]) -> None:
        """End the session with a checkpoint for each document: its number, and the SHA-256 of its final text."""
        for doc, sha256 in states:
            self._later(lambda t, doc=doc, sha256=sha256: tape.State(t, doc, sha256))  # type: ignore[misc]
        self._pass("elsewhere")

    def line_ends(self, end: str) -> None:
        """Change all line ends of the document, in one edit of the editor."""
        changes = [(*match.span(), end) for match in _NEWLINE.finditer(self.buffer.text)]
        self._edit(changes, self.buffer.cursor, "format", "elsewhere")

    def put(self, span: ReplacedSpan) -> None:
        """Type one span; its indices are those of the current text."""
        pasted = [part for part in span.pasted if self.distributions.pasted.draw(self.chance)]
        self._behind = len(self.buffer.text) - span.end
        self._take_out(span.start, span.end, typed_next=bool(span.new) and not _pasted_at(0, pasted))
        self._write(span.new, pasted)
        self._delete(len(self._added()))
        self.buffer.closers.clear()

    def _later(self, event: Callable[[float], Event]) -> None:
        self._waiting.append(event)

    def _pass(self, context: GapContext) -> None:
        """Let the gap before an edit pass; waiting events are spread evenly over it."""
        gap = self.distributions.gap(self.chance, context)
        for number, event in enumerate(self._waiting, 1):
            t = self.clock + gap * number // (len(self._waiting) + 1)
            self.events.append(event(max(t, self.events[-1].t if self.events else 0)))
        self._waiting.clear()
        self.clock += gap

    def _edit(self, changes: Sequence[tuple[int, int, str]], cursor: int, reason: Reason, context: GapContext) -> None:
        """One edit, and the cursor after it; `changes` are indices into the old text, `cursor` into the new one."""
        self._pass(self.context or context)
        self.context = None
        self.events.append(tape.Edit(self.clock, self.buffer.doc, self.buffer.change(changes, cursor), reason))
        self._edited = self.buffer.cursor
        self._report(self.clock + self.chance.randint(1, 3))

    def _report(self, t: float) -> None:
        self.events.append(tape.Select(t, self.buffer.doc, (self.buffer.selected(),)))

    def _look(self, start: int, end: int) -> None:
        """Move the cursor, or select a range."""
        buffer = self.buffer
        if buffer.selection == (start, end) and self.context is None:
            return
        buffer.closers.clear()
        self._moved_to(start, end)

    def _moved_to(self, start: int, end: int) -> None:
        buffer = self.buffer
        if self.context != "document":
            self.context = "beside" if abs(end - self._edited) <= BESIDE else "elsewhere"
        buffer.jump(start, end)
        place = buffer.selected()
        self._later(lambda t: tape.Select(t, buffer.doc, (place,)))

    def _take_out(self, start: int, end: int, *, typed_next: bool) -> None:
        size = end - start
        if size <= 1 or (size <= _SMALL and not self.distributions.selected.draw(self.chance)):
            self._look(end, end)
            for _ in range(size):
                self._backspace(self.buffer.cursor - 1)
            return
        self._look(start, end)
        if not typed_next or not self.distributions.replaced_at_once.draw(self.chance):
            self._edit([(start, end, "")], start, "delete", "delete")
            self.count.deleted += 1
            self._last = "delete"

    def _write(self, text: str, pasted: Sequence[tuple[int, int]]) -> None:
        """Write a text at the cursor; the editor may add text right of the cursor meanwhile."""
        at = 0
        while at < len(text):
            end = _pasted_at(at, pasted)
            if end:
                at = self._paste(text, at, end)
            elif passed := self._passable(text, at):
                at += self._pass_over(text[at : at + passed])
            elif newline := _NEWLINE.match(text, at):
                indent = "" if _pasted_at(newline.end(), pasted) else _found(_SPACE, text[newline.end() :])
                self._newline(newline[0], indent, blank=bool(_NEWLINE.match(text, newline.end())))
                at = newline.end() + len(indent)
            else:
                at = self._key_or_typo(text, at, min((start for start, _ in pasted if start > at), default=len(text)))

    def _added(self) -> str:
        """The text that the editor added right of the cursor, without the selection, which the next key replaces."""
        return self.buffer.text[self.buffer.selection[1] : len(self.buffer.text) - self._behind]

    def _passable(self, text: str, at: int) -> int:
        """How many of the next characters the editor has already added: a closer here, or a closer on the next line."""
        added = self._added()
        if added and self.buffer.cursor in self.buffer.closers and text[at] == added[0]:
            return 1
        stop = next((n for n, letter in enumerate(added) if not letter.isspace()), len(added) - 1) + 1
        return stop if added[:1] in {"\r", "\n"} and text.startswith(added[:stop], at) else 0

    def _pass_over(self, over: str) -> int:
        """Pass text that the editor added: type the closer over itself, or move the cursor."""
        buffer = self.buffer
        if len(over) == 1 and buffer.writes_over(over) and self.distributions.type_over.draw(self.chance):
            buffer.closers.remove(buffer.cursor)
            self._typed(buffer.cursor, buffer.cursor + 1, over, "sign")
            return 1
        if buffer.given:
            self._indent("")
        at = buffer.cursor + len(over)
        buffer.closers = [closer for closer in buffer.closers if closer >= at]
        self._moved_to(at, at)
        return len(over)

    def _typed(self, start: int, end: int, text: str, last: str, cursor: int | None = None) -> None:
        """One key that writes text."""
        self._edit([(start, end, text)], start + len(text) if cursor is None else cursor, "type", self._gap_to(last))
        self.count.typed += 1
        self._last = last

    def _gap_to(self, key: str) -> GapContext:
        if self._last in {"delete", "enter"}:
            return "redo" if self._last == "delete" else "line"
        return "letter" if self._last == key == "letter" else "sign"

    def _key(self, key: str) -> None:
        buffer, (start, end) = self.buffer, self.buffer.selection
        kind = "letter" if key.isalpha() else "sign"
        closer = buffer.closer_for(key)
        self._typed(start, end, key + closer, kind, start + 1)
        if closer:
            buffer.closers.append(start + 1)

    def _backspace(self, to: int) -> None:
        here = self.buffer.cursor
        self._edit([(to, here, "")], to, "delete", "deletes" if self._last == "delete" else "delete")
        self.count.deleted += 1
        self._last = "delete"

    def _key_or_typo(self, text: str, at: int, stop: int) -> int:
        word = _found(_LETTERS, text[at:stop])
        right = self._mistake(word) if word and self.distributions.typo.draw(self.chance) else 0
        if not word or right < len(word):
            self._key(text[at + right])
            right += 1
        return at + right

    def _mistake(self, word: str) -> int:
        """Type a word with a typo, go on for a few letters, then delete the wrong part. Returns the number of correct letters."""
        wrong = _mistyped(word, self.distributions.typo_kind.draw(self.chance), self.chance)
        right = next((n for n, (is_, was) in enumerate(zip(wrong, word, strict=False)) if is_ != was), len(word))
        noticed = min(len(wrong), right + self.distributions.noticed_after.draw(self.chance))
        for letter in wrong[:noticed]:
            self._key(letter)
        for _ in range(right, noticed):
            self._backspace(self.buffer.cursor - 1)
        self.count.typos += 1
        return right

    def _newline(self, end: str, indent: str, *, blank: bool) -> None:
        """Press Enter and correct the indentation to `indent`. A blank line keeps the editor's indentation until the next key."""
        if self.buffer.selection[0] != self.buffer.selection[1]:
            self._edit([(*self.buffer.selection, "")], self.buffer.selection[0], "delete", "delete")
        added = self._added()
        self._delete(len(added) - len(added.lstrip(_QUOTES)))
        changes, cursor = self.buffer.newline(end)
        self._edit(changes, cursor, "type", "enter")
        self.count.typed += 1
        self._last = "enter"
        self.buffer.given = blank and not indent and bool(self.buffer.indentation())
        if not self.buffer.given:
            self._indent(indent)

    def _indent(self, wanted: str) -> None:
        buffer = self.buffer
        while not wanted.startswith(buffer.indentation()):
            self._backspace(buffer.outdented())
        while (given := buffer.indentation()) != wanted:
            missing = wanted[len(given) :]
            step = buffer.unit_text if missing.startswith(buffer.unit_text) else missing[0]
            self._typed(buffer.cursor, buffer.cursor, step, "sign")

    def _paste(self, text: str, at: int, end: int) -> int:
        """Paste whole lines."""
        start, stop = self.buffer.selection
        self._edit([(start, stop, text[at:end])], start + end - at, "paste", "paste")
        self.count.pastes += 1
        self._last = "sign"
        return end

    def _delete(self, size: int) -> None:
        """Delete text right of the cursor that the editor added and the span does not have."""
        if size:
            here = self.buffer.cursor
            self._edit([(here, here + size, "")], here, "delete", "deletes" if self._last == "delete" else "delete")
            self.count.deleted += 1
            self._last = "delete"


def _found(pattern: re.Pattern[str], text: str) -> str:
    """The match of a pattern at the start of a text; empty if there is none."""
    match = pattern.match(text)
    return match[0] if match else ""


def _pasted_at(at: int, pasted: Sequence[tuple[int, int]]) -> int:
    """The end of the pasted part that begins here; 0 if none does."""
    return next((end for start, end in pasted if start == at), 0)


def _mistyped(word: str, kind: str, chance: random.Random) -> str:
    """A word with a typo at its first letter.

    For `form`: `ofrm` (transposed), `orm` (omitted), `fform` (doubled), `gorm` or `dorm` (a neighbouring key).
    """
    if kind == "transposed" and word[:1] != word[1:2] and len(word) > 1:
        return word[1] + word[0] + word[2:]
    if kind == "omitted" and word[:1] != word[1:2] and len(word) > 1:
        return word[1:]
    if kind == "doubled":
        return word[0] + word
    return neighbour(word[0], chance) + word[1:]
