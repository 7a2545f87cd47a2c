"""The typist of a synthesised session: turns spans into keys, gaps, typos and pastes, drawn from named distributions.

It types as editors report it: an opening bracket comes with its closer in one edit, Enter indents, and the cursor is reported
after each edit. Text that the editor added and the span does not have is deleted again, so the result of a span is always
exactly its text. Pure; chance comes from the seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import Levenshtein

from corpora.history.session.distributions import BESIDE, Distributions, GapContext
from corpora.typing.editor_buffer import EditorBuffer
from corpora.typing.typist import neighbour
from replay.tapes import tape
from replay.tapes.tape import Event, Reason
from syntax.text import common_prefix, is_narrow

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


# The differences of two texts, as spans to type: as a person would change one text into the other.
#
# Similar lines are changed in place, word by word; other lines are deleted, written, or both. Pure.

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_END = re.compile(r"\r?\n\Z")
_INDENTATION = re.compile(r"\n[ \t]+\Z")
_FIRST = re.compile(r"\s*(\w+)")
_SAME_START = 0.2
_ALIKE = 0.6
"""Two lines with at least this Levenshtein ratio are versions of one line."""
_FEW = 8
"""The most lines that one line is broken into."""
_PAIRS = 4_000
"""A hunk with more pairs of lines than this is deleted and written as a whole."""
_LINES = 10_000_000
"""Texts with more pairs of lines than this are compared with difflib's shortcut, which ignores frequent lines."""
_WORDS = 4_000
"""A line with more words than this is replaced as a whole between its common ends."""


@dataclass(frozen=True, slots=True)
class ReplacedSpan:
    """Replace the old text from `start` to `end` (indices) by `new`. `pasted` are the parts of `new` that are pasted."""

    start: int
    end: int
    new: str
    pasted: tuple[tuple[int, int], ...] = ()


def hunks(old: str, new: str) -> list[list[ReplacedSpan]]:
    """The spans that turn `old` into `new`, by hunk, in rising order; they do not touch each other."""
    before, after = _lines(old), _lines(new)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    found: list[list[ReplacedSpan]] = []
    reached = 0
    junk = len(before) * len(after) > _LINES
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=junk).get_opcodes():
        if tag != "equal":
            found.append(list(_raised(_hunk(before, starts, (i1, i2), after[j1:j2]), old, reached)))
            reached = found[-1][-1].end
    return found


def same_line_ends(old: str, new: str) -> str:
    """The old text with the line ends of the new one, if each text has only one kind; else the old text itself."""
    ends = [_only_end(text) for text in (old, new)]
    if not all(ends) or ends[0] == ends[1]:
        return old
    return old.replace(ends[0], ends[1])


def _only_end(text: str) -> str:
    crlf, lf = text.count("\r\n"), text.count("\n")
    if not lf or text.count("\r") != crlf:
        return ""
    return "\n" if not crlf else "\r\n" if crlf == lf else ""


def _lines(text: str) -> list[str]:
    return text.split("\n") if "\n" not in text else re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def _hunk(
    before: Sequence[str], starts: Sequence[int], where: tuple[int, int], after: Sequence[str]
) -> Iterator[ReplacedSpan]:
    """The spans of one hunk: changes in similar lines, and the other lines between them."""
    low, high = where
    i = j = 0
    if _is_one(before[low:high], after):
        yield from _within(starts[low], "".join(before[low:high]), "".join(after))
        return
    for k, m in [*_alike(before[low:high], after), (high - low, len(after))]:
        if k > i or m > j:
            yield _between(starts[low + i], before[low + i : low + k], "".join(after[j:m]))
        if k < high - low:
            yield from _within(starts[low + k], before[low + k], after[m])
        i, j = k + 1, m + 1


def _is_one(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether one line was broken into a few, or a few lines were joined."""
    if min(len(before), len(after)) != 1 or not 1 < max(len(before), len(after)) <= _FEW:
        return False
    one, other = ("".join("".join(lines).split()) for lines in (before, after))
    return bool(one) and Levenshtein.ratio(one, other) >= _ALIKE


def _alike(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of lines that are versions of one line: the chain of pairs with the highest sum of similarity."""
    if not before or not after or len(before) * len(after) > _PAIRS:
        return []
    best = [[0.0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in range(len(before) - 1, -1, -1):
        for j in range(len(after) - 1, -1, -1):
            paired = _similarity(before[i], after[j]) + best[i + 1][j + 1]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    return list(_chain(best, before, after))


def _chain(best: Sequence[Sequence[float]], before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int, int]]:
    i = j = 0
    while i < len(before) and j < len(after):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            yield i, j
            i, j = i + 1, j + 1


def _similarity(one: str, other: str) -> float:
    """The similarity of two versions of one line, 0 for other lines: the Levenshtein ratio, and a bonus for the same first word.

    For example `x = one` and `x = two` have the ratio 0.71 and the bonus 0.2: together 0.91, more than `_ALIKE`.
    """
    words = _FIRST.match(one), _FIRST.match(other)
    bonus = _SAME_START if words[0] and words[1] and words[0][1] == words[1][1] else 0.0
    ratio = Levenshtein.ratio(one.strip(), other.strip())
    return ratio + bonus if ratio + bonus >= _ALIKE and one.strip() else 0.0


def _between(start: int, old: Sequence[str], new: str) -> ReplacedSpan:
    """Replace old lines by new ones; the common last line end and the common first indentation stay."""
    text = "".join(old)
    if not text or not new:
        return ReplacedSpan(start, start + len(text), new)
    tail = _common_tail(text, new)
    old = text[: len(text) - tail]
    head = min(common_prefix(old, new[: len(new) - tail]), len(old) - len(old.lstrip(" \t")))
    return ReplacedSpan(start + head, start + len(text) - tail, new[head : len(new) - tail])


def _common_tail(old: str, new: str) -> int:
    ends = _END.search(old), _END.search(new)
    return len(ends[0][0]) if ends[0] and ends[1] and ends[0][0] == ends[1][0] else 0


def _within(start: int, old: str, new: str) -> Iterator[ReplacedSpan]:
    """The changed words of a line; changes with fewer than two characters between them become one."""
    words, others = _WORD.findall(old), _WORD.findall(new)
    if max(len(words), len(others)) > _WORDS:
        words, others = [old], [new]
    at = 0
    open_: ReplacedSpan | None = None
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        text, put = "".join(words[i1:i2]), "".join(others[j1:j2])
        if tag != "equal":
            span = ReplacedSpan(start + at, start + at + len(text), put)
            open_ = ReplacedSpan(open_.start, span.end, open_.new + put) if open_ else span
        elif open_ and len(text) < 2 and at + len(text) < len(old):
            open_ = replace(open_, end=open_.end + len(text), new=open_.new + text)
        elif open_:
            yield _trimmed(old[open_.start - start : open_.end - start], open_)
            open_ = None
        at += len(text)
    if open_:
        yield _trimmed(old[open_.start - start : open_.end - start], open_)


def _trimmed(old: str, span: ReplacedSpan) -> ReplacedSpan:
    """The span without the common first and last characters; the indentation of a new line stays whole."""
    size = min(len(old), len(span.new))
    head = next((at for at in range(size) if old[at] != span.new[at]), size)
    room = 0 if _INDENTATION.search(span.new) else size - head
    tail = next((at for at in range(room) if old[-1 - at] != span.new[-1 - at]), room)
    return ReplacedSpan(span.start + head, span.end - tail, span.new[head : len(span.new) - tail])


def _raised(spans: Iterator[ReplacedSpan], old: str, reached: int) -> Iterator[ReplacedSpan]:
    """Spans that write new lines, begun with Enter at the end of the line above where the result is the same."""
    for span in spans:
        end = _END.search(span.new)
        up = span.start - len(end[0]) if end and span.start == span.end else -1
        above = old[up : span.start] if end and up >= reached else ""
        if end and above == end[0] and old[up - 1 : up] != "\r":
            yield ReplacedSpan(up, up, end[0] + span.new[: end.start()])
        else:
            yield span
        reached = span.end


# A document of a commit while it is typed: an `EditorBuffer` with tabs, any unit of indentation and both
# line ends.

_OPENERS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(
    [
        "python",
        "javascript",
        "javascriptreact",
        "typescript",
        "typescriptreact",
        "java",
        "c",
        "cpp",
        "csharp",
        "go",
        "rust",
        "ruby",
        "php",
        "kotlin",
        "scala",
        "dart",
        "json",
        "jsonc",
        "jsonl",
        "toml",
        "yaml",
        "css",
        "scss",
        "less",
        "html",
        "xml",
        "shellscript",
    ]
)
"""Languages in which the editor closes brackets and quotes."""
_TWO = frozenset(
    [
        "javascript",
        "javascriptreact",
        "typescript",
        "typescriptreact",
        "json",
        "jsonc",
        "yaml",
        "html",
        "xml",
        "css",
        "scss",
        "ruby",
    ]
)
_COLON = frozenset({"python", "yaml"})
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)


class CommitBuffer(EditorBuffer):
    """A document that is typed from one text to another; `known` are both. Offsets are indices.

    `unit_text` is one indentation. `given` says that Enter wrote the white space left of the cursor.
    """

    def __init__(self, doc: int, path: str, language: str, text: str, known: Sequence[str]) -> None:
        super().__init__(doc, path, language, text)
        self.unit_text = _unit(language, known)
        self.given = False
        self._narrow = all(is_narrow(each) for each in known)
        self._opens_block = set("([{:") if language in _COLON else set("([{")

    @property
    def is_code(self) -> bool:
        """Whether the editor closes brackets and indents here."""
        return self.language in _CLOSING

    def offset(self, index: int) -> int:
        """The UTF-16 offset of an index."""
        return index if self._narrow else super().offset(index)

    def change(self, changes: Sequence[tuple[int, int, str]], cursor: int) -> tuple[tuple[int, int, str], ...]:
        """Change the text; white space left of the cursor no longer counts as written by Enter."""
        self.given = False
        return super().change(changes, cursor)

    def jump(self, start: int, end: int) -> None:
        """Move the cursor to `end`, and select from `start` to there."""
        self.given = False
        self.cursor, self.selection = end, (start, end)

    def closer_for(self, key: str) -> str:
        """What the editor adds after an opening bracket or quote; nothing after the third quote in a row."""
        return "" if key in {'"', "'", "`"} and self._line_before().endswith(key * 2) else super().closer_for(key)

    def indentation(self) -> str:
        """The white space at the start of the cursor's line, up to the cursor."""
        before = self._line_before()
        return before[: len(before) - len(before.lstrip(" \t"))]

    def newline(self, end: str) -> tuple[list[tuple[int, int, str]], int]:
        """The changes that Enter makes here with this line end, and the cursor after them."""
        at, line, indent = self.cursor, self._line_before(), self.indentation()
        if self.given and line and not line.strip():
            start = at - len(line)
            return [(start, at, ""), (at, at, end + indent)], start + len(end + indent)
        if not self.is_code or self._in_comment() or line.rstrip()[-1:] not in self._opens_block:
            return [(at, at, end + indent)], at + len(end + indent)
        deeper = end + indent + self.unit_text
        closer = _OPENERS.get(line[-1:])
        closes = closer is not None and self.text.startswith(closer, at)
        return [(at, at, deeper + (end + indent if closes else ""))], at + len(deeper)

    def outdented(self) -> int:
        """The cursor after one Backspace in the white space at the start of a line: one indentation further left."""
        indent, unit = self.indentation(), len(self.unit_text)
        if indent.strip(" ") or self.unit_text == "\t":
            return self.cursor - 1
        return self.cursor - len(indent) + (len(indent) - 1) // unit * unit


def _unit(language: str, known: Sequence[str]) -> str:
    """One indentation of the texts: a tab, or their smallest number of spaces; else the custom of the language."""
    indents = [indent for text in known for indent in _INDENT.findall(text)]
    if sum(indent.startswith("\t") for indent in indents) * 2 > len(indents):
        return "\t"
    spaces = [len(indent) for indent in indents if not indent.startswith("\t") and len(indent) in {2, 4, 8}]
    if spaces:
        return " " * min(spaces)
    return "\t" if language == "go" else " " * (2 if language in _TWO else 4)
