"""One session: the order in which a person types the files and hunks of a commit. Pure; chance comes from the seed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpora.history.repository.commit_files import CommitDocument
from corpora.history.session import copied_code
from corpora.history.session.distributions import Distributions
from corpora.history.session.span_typist import CommitBuffer, KeyCounts, ReplacedSpan, SpanTypist, hunks, same_line_ends
from replay.importers.building.language_ids import language_id
from replay.tapes.tape import Event
from syntax.languages import language_of

_TEST = re.compile(r"(^|/)(tests?|__tests__)/|(^|/)(test_|conftest)|[._](test|spec)\.")


@dataclass(frozen=True, slots=True)
class TypingTask:
    """The changes to type in one document: the spans of each hunk, against `base`, the old text with the new line ends."""

    document: CommitDocument
    base: str
    hunks: list[list[ReplacedSpan]]

    @property
    def characters(self) -> int:
        """Characters to type, without pasted parts."""
        spans = [span for hunk in self.hunks for span in hunk]
        return sum(len(span.new) - sum(end - start for start, end in span.pasted) for span in spans)


def tasks(documents: Sequence[CommitDocument], elsewhere: Sequence[str]) -> list[TypingTask]:
    """The hunks of the documents; blocks of code that are elsewhere in the repository are marked as pasted."""
    bases = [same_line_ends(document.old, document.new) for document in documents]
    found = [
        TypingTask(document, base, hunks(base, document.new)) for document, base in zip(documents, bases, strict=True)
    ]
    wanted = copied_code.blocks(span.new for task in found for hunk in task.hunks for span in hunk)
    known = copied_code.blocks_in(wanted, [*bases, *elsewhere])
    return [replace(task, hunks=[[_marked(span, known) for span in hunk] for hunk in task.hunks]) for task in found]


def typed(
    given: Sequence[TypingTask], chance: random.Random, distributions: Distributions
) -> tuple[list[Event], KeyCounts]:
    """Type all tasks, and end with a checkpoint for each document: the SHA-256 of its text in the commit."""
    typist = SpanTypist(chance, distributions)
    open_tasks = [_OpenTask(number, task) for number, task in enumerate(given)]
    waiting = open_tasks
    while waiting:
        open_task = _next(waiting, typist.buffer.doc, chance, distributions)
        open_task.go_to(typist)
        others = len(waiting) > 1
        while open_task.left:
            open_task.type_hunk(typist)
            if others and distributions.leaving.draw(chance):
                break
        typist.save()
        waiting = [each for each in waiting if each.left or each.fresh]
    typist.finish([(open_task.buffer.doc, open_task.task.document.sha256) for open_task in open_tasks])
    return typist.events, typist.count


def _marked(span: ReplacedSpan, known: set[tuple[str, ...]]) -> ReplacedSpan:
    return replace(span, pasted=tuple(copied_code.copied_parts(span.new, known))) if known else span


def _next(waiting: Sequence[_OpenTask], here: int, chance: random.Random, distributions: Distributions) -> _OpenTask:
    """The next document: its kind is drawn with the weights of `next_file`, then any document of that kind is drawn."""
    others = [open_task for open_task in waiting if open_task.buffer.doc != here] or list(waiting)
    kind = distributions.next_file.draw(chance, {open_task.kind for open_task in others})
    return chance.choice([open_task for open_task in others if open_task.kind == kind])


class _OpenTask:
    """A task in progress: its document, and `left`, the hunks that are not typed yet."""

    def __init__(self, number: int, task: TypingTask) -> None:
        self.task, document = task, task.document
        language = language_id(document.path, document.new)
        self.buffer = CommitBuffer(number, document.path, language, document.old, (document.old, document.new))
        self.kind = _kind(document.path)
        self.left = list(range(len(task.hunks)))
        self.fresh = True
        self._spans = [(hunk, span) for hunk, spans in enumerate(task.hunks) for span in spans]
        self._last: int | None = None

    def go_to(self, typist: SpanTypist) -> None:
        """Go to the document; the first time, it gets the line ends that it has in the commit."""
        typist.turn_to(self.buffer, first=self.fresh)
        if self.fresh and self.task.base != self.buffer.text:
            typist.line_ends("\r\n" if "\r\n" in self.task.base else "\n")
        self.fresh = False

    def type_hunk(self, typist: SpanTypist) -> None:
        """Type one hunk: the nearest below or above the last one."""
        hunk = self._pick(typist.chance, typist.distributions)
        self.left.remove(hunk)
        for number, (of, span) in enumerate(self._spans):
            if of == hunk:
                shift = self._shift(number)
                typist.put(replace(span, start=span.start + shift, end=span.end + shift))
        self._last = hunk

    def _pick(self, chance: random.Random, distributions: Distributions) -> int:
        if self._last is None:
            return chance.choice(self.left)
        below = [hunk for hunk in self.left if hunk > self._last]
        above = [hunk for hunk in self.left if hunk < self._last]
        down = distributions.downwards.draw(chance)
        return min(below) if below and (down or not above) else max(above)

    def _shift(self, number: int) -> int:
        """How far the spans that were typed above a span moved it; those of its own hunk are all typed."""
        hunk = self._spans[number][0]
        done = (span for of, span in self._spans[:number] if of == hunk or of not in self.left)
        return sum(len(span.new) - (span.end - span.start) for span in done)


def _kind(path: str) -> str:
    if _TEST.search(path):
        return "tests"
    return "code" if language_of(path) else "other"
