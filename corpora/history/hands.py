"""The hands of a synthesised session: they turn spans into keys, gaps, mistakes and pastes, drawn from named distributions.

What editors do is done as they report it: an opening bracket brings its closer in one edit, Enter indents, the cursor's
place is reported after each edit. Whatever the editor put there and the text does not want is taken away again, so a
span always ends in the very text that it was to bring. Pure; chance comes from the seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpora.history.distributions import BESIDE, Context, Distributions
from corpora.history.hunks import Span
from corpora.history.page import Page
from corpora.typist import neighbour
from replay import tape
from replay.tape import Event, Reason

_SMALL = 8
"""More characters than this are never taken out by Backspace, one by one (see `selected`)."""
_QUOTES = "\"'`"
_NEWLINE = re.compile(r"\r?\n")
_SPACE = re.compile(r"[ \t]*")
_LETTERS = re.compile(r"[A-Za-z]*")


@dataclass
class Count:
    """What the hands did: keys that brought text (mistakes too), keys that took it away, typos, pastes."""

    typed: int = 0
    deleted: int = 0
    typos: int = 0
    pastes: int = 0


class Hands:
    """The clock (ms), the events so far, and where the next key goes.

    Events beside the edits wait in `waiting` until the next edit is made, and share the gap before it.
    """

    def __init__(self, chance: random.Random, drawn: Distributions) -> None:
        self.chance, self.drawn = chance, drawn
        self.clock = 0
        self.events: list[Event] = []
        self.count = Count()
        self.page = Page(-1, "", "plaintext", "", ())
        self.context: Context | None = "document"
        self._last = ""
        self._edited = 0
        self._waiting: list[Callable[[float], Event]] = []
        self._behind = 0

    def turn_to(self, page: Page, *, first: bool) -> None:
        """Go to a document; for the first time it is opened."""
        if first:
            self._later(lambda t: tape.Open(t, page.doc, page.path, page.language, page.text))
        self._later(lambda t: tape.Focus(t, page.doc))
        self.page, self.context = page, "document"

    def save(self) -> None:
        """Save the document."""
        doc = self.page.doc
        self._later(lambda t: tape.Save(t, doc))

    def finish(self, states: Sequence[tuple[int, str]]) -> None:
        """End the session with a checkpoint for each document: its number and the SHA-256 of what it must hold."""
        for doc, sha256 in states:
            self._later(lambda t, doc=doc, sha256=sha256: tape.State(t, doc, sha256))  # type: ignore[misc]
        self._pass("elsewhere")

    def line_ends(self, end: str) -> None:
        """Let the editor give the whole document these line ends."""
        changes = [(*match.span(), end) for match in _NEWLINE.finditer(self.page.text)]
        self._edit(changes, self.page.cursor, "format", "elsewhere")

    def put(self, span: Span) -> None:
        """Do one span; its indices are those of the page as it stands."""
        pasted = [part for part in span.pasted if self.drawn.pasted.draw(self.chance)]
        self._behind = len(self.page.text) - span.end
        self._take_out(span.start, span.end, typed_next=bool(span.new) and not _pasted_at(0, pasted))
        self._write(span.new, pasted)
        self._delete(len(self._added()))
        self.page.closers.clear()

    def _later(self, event: Callable[[float], Event]) -> None:
        self._waiting.append(event)

    def _pass(self, context: Context) -> None:
        """Let the gap before an edit pass; what waits happens meanwhile, evenly spread."""
        gap = self.drawn.gap(self.chance, context)
        for number, event in enumerate(self._waiting, 1):
            t = self.clock + gap * number // (len(self._waiting) + 1)
            self.events.append(event(max(t, self.events[-1].t if self.events else 0)))
        self._waiting.clear()
        self.clock += gap

    def _edit(self, changes: Sequence[tuple[int, int, str]], cursor: int, reason: Reason, context: Context) -> None:
        """One edit, and the cursor's place after it; `changes` and `cursor` are indices, the cursor into the new text."""
        self._pass(self.context or context)
        self.context = None
        self.events.append(tape.Edit(self.clock, self.page.doc, self.page.change(changes, cursor), reason))
        self._edited = self.page.cursor
        self._report(self.clock + self.chance.randint(1, 3))

    def _report(self, t: float) -> None:
        self.events.append(tape.Select(t, self.page.doc, (self.page.selected(),)))

    def _look(self, start: int, end: int) -> None:
        """Put the cursor somewhere, or select what stands there."""
        page = self.page
        if page.selection == (start, end) and self.context is None:
            return
        page.closers.clear()
        self._moved_to(start, end)

    def _moved_to(self, start: int, end: int) -> None:
        page = self.page
        if self.context != "document":
            self.context = "beside" if abs(end - self._edited) <= BESIDE else "elsewhere"
        page.jump(start, end)
        place = page.selected()
        self._later(lambda t: tape.Select(t, page.doc, (place,)))

    def _take_out(self, start: int, end: int, *, typed_next: bool) -> None:
        size = end - start
        if size <= 1 or (size <= _SMALL and not self.drawn.selected.draw(self.chance)):
            self._look(end, end)
            for _ in range(size):
                self._backspace(self.page.cursor - 1)
            return
        self._look(start, end)
        if not typed_next or not self.drawn.replaced_at_once.draw(self.chance):
            self._edit([(start, end, "")], start, "delete", "delete")
            self.count.deleted += 1
            self._last = "delete"

    def _write(self, text: str, pasted: Sequence[tuple[int, int]]) -> None:
        """Write a text at the cursor; left of it stands what is written so far, right of it what the editor added."""
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
        """What the editor added right of the cursor (the selection is the person's, and goes)."""
        return self.page.text[self.page.selection[1] : len(self.page.text) - self._behind]

    def _passable(self, text: str, at: int) -> int:
        """How many of the next characters stand right of the cursor already: a closer, or one on the next line."""
        added = self._added()
        if added and self.page.cursor in self.page.closers and text[at] == added[0]:
            return 1
        stop = next((n for n, letter in enumerate(added) if not letter.isspace()), len(added) - 1) + 1
        return stop if added[:1] in {"\r", "\n"} and text.startswith(added[:stop], at) else 0

    def _pass_over(self, over: str) -> int:
        """Go over what stands there: type the closer over itself, or move the cursor."""
        page = self.page
        if len(over) == 1 and page.writes_over(over) and self.drawn.type_over.draw(self.chance):
            page.closers.remove(page.cursor)
            self._typed(page.cursor, page.cursor + 1, over, "sign")
            return 1
        if page.given:
            self._indent("")
        at = page.cursor + len(over)
        page.closers = [closer for closer in page.closers if closer >= at]
        self._moved_to(at, at)
        return len(over)

    def _typed(self, start: int, end: int, text: str, last: str, cursor: int | None = None) -> None:
        """One key that brings text."""
        self._edit([(start, end, text)], start + len(text) if cursor is None else cursor, "type", self._gap_to(last))
        self.count.typed += 1
        self._last = last

    def _gap_to(self, key: str) -> Context:
        if self._last in {"delete", "enter"}:
            return "redo" if self._last == "delete" else "line"
        return "letter" if self._last == key == "letter" else "sign"

    def _key(self, key: str) -> None:
        page, (start, end) = self.page, self.page.selection
        kind = "letter" if key.isalpha() else "sign"
        closer = page.closer_for(key)
        self._typed(start, end, key + closer, kind, start + 1)
        if closer:
            page.closers.append(start + 1)

    def _backspace(self, to: int) -> None:
        here = self.page.cursor
        self._edit([(to, here, "")], to, "delete", "deletes" if self._last == "delete" else "delete")
        self.count.deleted += 1
        self._last = "delete"

    def _key_or_typo(self, text: str, at: int, stop: int) -> int:
        word = _found(_LETTERS, text[at:stop])
        right = self._mistake(word) if word and self.drawn.typo.draw(self.chance) else 0
        if not word or right < len(word):
            self._key(text[at + right])
            right += 1
        return at + right

    def _mistake(self, word: str) -> int:
        """Type a word wrongly, up to where that is noticed, and take the wrong part back; how many letters are right."""
        wrong = _mistyped(word, self.drawn.typo_kind.draw(self.chance), self.chance)
        right = next((n for n, (is_, was) in enumerate(zip(wrong, word, strict=False)) if is_ != was), len(word))
        noticed = min(len(wrong), right + self.drawn.noticed_after.draw(self.chance))
        for letter in wrong[:noticed]:
            self._key(letter)
        for _ in range(right, noticed):
            self._backspace(self.page.cursor - 1)
        self.count.typos += 1
        return right

    def _newline(self, end: str, indent: str, *, blank: bool) -> None:
        """Press Enter, and bring the indentation that the editor gives to `indent`; a blank line keeps it until the next."""
        if self.page.selection[0] != self.page.selection[1]:
            self._edit([(*self.page.selection, "")], self.page.selection[0], "delete", "delete")
        added = self._added()
        self._delete(len(added) - len(added.lstrip(_QUOTES)))
        changes, cursor = self.page.newline(end)
        self._edit(changes, cursor, "type", "enter")
        self.count.typed += 1
        self._last = "enter"
        self.page.given = blank and not indent and bool(self.page.indentation())
        if not self.page.given:
            self._indent(indent)

    def _indent(self, wanted: str) -> None:
        page = self.page
        while not wanted.startswith(page.indentation()):
            self._backspace(page.outdented())
        while (given := page.indentation()) != wanted:
            missing = wanted[len(given) :]
            step = page.unit_text if missing.startswith(page.unit_text) else missing[0]
            self._typed(page.cursor, page.cursor, step, "sign")

    def _paste(self, text: str, at: int, end: int) -> int:
        """Paste whole lines."""
        start, stop = self.page.selection
        self._edit([(start, stop, text[at:end])], start + end - at, "paste", "paste")
        self.count.pastes += 1
        self._last = "sign"
        return end

    def _delete(self, size: int) -> None:
        """Delete to the right what the editor added and the text does not want."""
        if size:
            here = self.page.cursor
            self._edit([(here, here + size, "")], here, "delete", "deletes" if self._last == "delete" else "delete")
            self.count.deleted += 1
            self._last = "delete"


def _found(pattern: re.Pattern[str], text: str) -> str:
    """What a pattern finds at the start of a text, which may be nothing."""
    match = pattern.match(text)
    return match[0] if match else ""


def _pasted_at(at: int, pasted: Sequence[tuple[int, int]]) -> int:
    """Where the part that is pasted from here ends; 0 if none begins here."""
    return next((end for start, end in pasted if start == at), 0)


def _mistyped(word: str, kind: str, chance: random.Random) -> str:
    """A word with a mistake at its first letter, or at the second where the first shows none."""
    if kind == "transposed" and word[:1] != word[1:2] and len(word) > 1:
        return word[1] + word[0] + word[2:]
    if kind == "omitted" and word[:1] != word[1:2] and len(word) > 1:
        return word[1:]
    if kind == "doubled":
        return word[0] + word
    return neighbour(word[0], chance) + word[1:]
