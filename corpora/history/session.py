"""One session: in which order a person goes through the files and hunks of a commit. Pure; chance comes from the seed."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpora.history import moved
from corpora.history.distributions import Distributions
from corpora.history.files import Document
from corpora.history.hands import Count, Hands
from corpora.history.hunks import Span, hunks, same_line_ends
from corpora.history.page import Page
from replay.importers.lsp_ids import lsp_id
from replay.tape import Event
from syntax.languages import language_of

_TEST = re.compile(r"(^|/)(tests?|__tests__)/|(^|/)(test_|conftest)|[._](test|spec)\.")


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done to one document: the spans by hunk, against the old text with the new line ends."""

    document: Document
    base: str
    hunks: list[list[Span]]

    @property
    def characters(self) -> int:
        """How many characters the hands would have to type, pastes left out."""
        spans = [span for hunk in self.hunks for span in hunk]
        return sum(len(span.new) - sum(end - start for start, end in span.pasted) for span in spans)


def tasks(documents: Sequence[Document], elsewhere: Sequence[str]) -> list[Task]:
    """The hunks of the documents; blocks that stand elsewhere in the repository are marked as pasted."""
    bases = [same_line_ends(document.old, document.new) for document in documents]
    found = [Task(document, base, hunks(base, document.new)) for document, base in zip(documents, bases, strict=True)]
    wanted = moved.blocks(span.new for task in found for hunk in task.hunks for span in hunk)
    known = moved.standing(wanted, [*bases, *elsewhere])
    return [replace(task, hunks=[[_marked(span, known) for span in hunk] for hunk in task.hunks]) for task in found]


def typed(given: Sequence[Task], chance: random.Random, drawn: Distributions) -> tuple[list[Event], Count]:
    """Type all tasks, and end with a checkpoint for each document: the SHA-256 of the commit's blob."""
    hands = Hands(chance, drawn)
    desks = [_Desk(number, task) for number, task in enumerate(given)]
    waiting = desks
    while waiting:
        desk = _next(waiting, hands.page.doc, chance, drawn)
        desk.sit_down(hands)
        others = len(waiting) > 1
        while desk.left:
            desk.work(hands)
            if others and drawn.leaving.draw(chance):
                break
        hands.save()
        waiting = [each for each in waiting if each.left or each.fresh]
    hands.finish([(desk.page.doc, desk.task.document.sha256) for desk in desks])
    return hands.events, hands.count


def _marked(span: Span, known: set[tuple[str, ...]]) -> Span:
    return replace(span, pasted=tuple(moved.pasted(span.new, known))) if known else span


def _next(waiting: Sequence[_Desk], here: int, chance: random.Random, drawn: Distributions) -> _Desk:
    """Another document that waits: first its kind by the weights of `next_file`, then any of that kind."""
    others = [desk for desk in waiting if desk.page.doc != here] or list(waiting)
    kind = drawn.next_file.draw(chance, {desk.kind for desk in others})
    return chance.choice([desk for desk in others if desk.kind == kind])


class _Desk:
    """A document in work. `left` are the hunks to be done, `spans` all spans in rising order with the hunk they belong to."""

    def __init__(self, number: int, task: Task) -> None:
        self.task, document = task, task.document
        language = lsp_id(document.path, document.new)
        self.page = Page(number, document.path, language, document.old, (document.old, document.new))
        self.kind = _kind(document.path)
        self.left = list(range(len(task.hunks)))
        self.fresh = True
        self._spans = [(hunk, span) for hunk, spans in enumerate(task.hunks) for span in spans]
        self._last: int | None = None

    def sit_down(self, hands: Hands) -> None:
        """Go to the document; the first thing that is done to it is to give it the line ends of the commit."""
        hands.turn_to(self.page, first=self.fresh)
        if self.fresh and self.task.base != self.page.text:
            hands.line_ends("\r\n" if "\r\n" in self.task.base else "\n")
        self.fresh = False

    def work(self, hands: Hands) -> None:
        """Do one hunk: the nearest below or above the last one."""
        hunk = self._pick(hands.chance, hands.drawn)
        self.left.remove(hunk)
        for number, (of, span) in enumerate(self._spans):
            if of == hunk:
                shift = self._shift(number)
                hands.put(replace(span, start=span.start + shift, end=span.end + shift))
        self._last = hunk

    def _pick(self, chance: random.Random, drawn: Distributions) -> int:
        if self._last is None:
            return chance.choice(self.left)
        below = [hunk for hunk in self.left if hunk > self._last]
        above = [hunk for hunk in self.left if hunk < self._last]
        down = drawn.downwards.draw(chance)
        return min(below) if below and (down or not above) else max(above)

    def _shift(self, number: int) -> int:
        """How far what is done above a span has moved it; of its own hunk, the spans above are done."""
        hunk = self._spans[number][0]
        done = (span for of, span in self._spans[:number] if of == hunk or of not in self.left)
        return sum(len(span.new) - (span.end - span.start) for span in done)


def _kind(path: str) -> str:
    if _TEST.search(path):
        return "tests"
    return "code" if language_of(path) else "other"
