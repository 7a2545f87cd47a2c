"""The moments of policy `blocks`: where a person really began to write the code that lasted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from replay.records import NextEdit, Within
from replay.tapes.timeline import FROM_START, Timeline
from syntax.blocks import Block, constructs
from syntax.cursors import cursors
from syntax.languages import Language, language_of
from syntax.parse import is_opaque, parse
from syntax.text import offset_of
from syntax.wanted import Stop

ALL_KINDS = ("function", "if", "for", "while", "try", "statement")
"""What code is begun at a place."""
ALL_AT = ("header", "inside", "operator", "call", "declaration")
"""Where the cursor stands: behind a header, on a later line of a body, or inside a statement."""
_SCENARIOS = {"header": "full", "inside": "inner"}
"""What the first two are called in records, by the words of the SimCopilot paper; the others are called what they are."""


@dataclass(frozen=True, slots=True)
class MomentPlace:
    """A place that does not depend on time: just before event `event`, at a UTF-16 offset of a document."""

    event: int
    path: str
    offset: int
    stop: Stop
    kind: str
    scenario: str
    within: tuple[Within, ...] = ()
    """Smaller parts that begin at the same place, and are not asked for again."""
    next_edit: NextEdit | None = None
    """What the person does next, where an edit is asked for."""

    @property
    def paths(self) -> set[str]:
        """The documents that it is about."""
        return {self.path, *(change.path for change in (self.next_edit.changes if self.next_edit else ()))}


def block_places(
    timeline: Timeline, kinds: Collection[str] = ALL_KINDS, at: Collection[str] = ("header", "inside")
) -> Iterator[MomentPlace]:
    """The moments of policy `blocks`, in the order of the tape.

    For each construct of each final text: just before the event that wrote the first character of its body (*full*),
    and just before each later line of the body (*inner*, for the innermost construct that holds the line). For cursors inside
    statements: just before the event that wrote the first character of the right operand (*operator*), of what follows
    the bracket of a call (*call*), of what follows the name or the keyword of a declaration (*declaration*); the rest of the
    statement is wanted there. A place counts only if that event began to write there: a block pasted together with its
    header has no moment, and neither has what no person wrote. A place is what it is first in the order of `ALL_AT`.
    Where a block and its first statement begin together, the block is asked for, and the statement is `within`. `kinds` and `at` only
    choose among what begins at the places.
    """
    return (place for place in _merged(_chosen(timeline, kinds, at)) if timeline.is_a_persons(place.event))


def left_out(timeline: Timeline, kinds: Collection[str] = ALL_KINDS, at: Collection[str] = ("header", "inside")) -> int:
    """How many such places are no moments because an agent or a formatter began to write there."""
    return sum(not timeline.is_a_persons(place.event) for place in _merged(_chosen(timeline, kinds, at)))


def _chosen(timeline: Timeline, kinds: Collection[str], at: Collection[str]) -> list[MomentPlace]:
    """What begins at the places, in the order of the tape; where several things do, the largest comes first."""
    wanted = {_SCENARIOS.get(one, one) for one in at}
    found: dict[tuple[int, str, int, Stop], MomentPlace] = {}
    for path in timeline.final:
        for place in _places_in(timeline, path, inside_statements=not wanted <= set(_SCENARIOS.values())):
            found.setdefault((place.event, place.path, place.offset, place.stop), place)
    chosen = [place for place in found.values() if place.kind in kinds and place.scenario in wanted]
    return sorted(chosen, key=lambda place: (place.event, place.path, place.offset, place.stop))


def _merged(places: Iterable[MomentPlace]) -> Iterator[MomentPlace]:
    """Each place once."""
    for _, here in groupby(places, key=lambda place: (place.event, place.path, place.offset)):
        largest, *others = here  # "block" comes before "statement"
        within = (Within(stop=one.stop, kind=one.kind, scenario=one.scenario) for one in others)
        yield replace(largest, within=tuple(within))


def _places_in(timeline: Timeline, path: str, *, inside_statements: bool) -> Iterator[MomentPlace]:
    language, text = language_of(timeline.languages[path]) or language_of(path), timeline.final[path]
    if language is None:
        return
    began = _Beginnings(timeline, path)
    blocks = list(constructs(language, text))
    for block in blocks:
        stop: Stop = "statement" if block.kind == "statement" else "block"
        yield from began.at(block.start, stop, block.kind, "full")
    text_inside = _inside_text(language, text)
    for start, block in _inner_lines(language, text, blocks).items():
        if start not in text_inside:
            yield from began.at(start, "block", block.kind, "inner")
    if inside_statements:
        for cursor in cursors(language, text):
            yield from began.at(cursor.start, "statement", cursor.kind, cursor.behind)


def _inner_lines(language: Language, text: str, blocks: list[Block]) -> Mapping[int, Block]:
    """First characters of the lines of each body, with the innermost construct that holds them; none that only close."""
    lines: dict[int, Block] = {}
    for block in sorted((block for block in blocks if block.kind != "statement"), key=lambda block: block.start):
        at = text.find("\n", block.start, block.end)
        while at >= 0:
            start = at + 1 + len(text[at + 1 :]) - len(text[at + 1 :].lstrip(" \t"))
            if start < block.end and not _closes(language, text, start):
                lines[start] = block
            at = text.find("\n", start, block.end)
    return lines


def _closes(language: Language, text: str, start: int) -> bool:
    """Whether a line is empty or begins with what closes a block."""
    if text[start : start + 1] in "\r\n}])":
        return True
    word = language.closer
    return bool(word) and text.startswith(word, start) and not text[start + len(word) : start + len(word) + 1].isalnum()


def _inside_text(language: Language, text: str) -> set[int]:
    """Indices that lie inside a string or in a comment, where there is no code to complete."""
    tree = parse(language, text)
    inside: set[int] = set()
    for node in tree.leaves():
        if is_opaque(node):
            start, end = tree.span(node)
            inside.update(range(start if node.type.endswith("comment") else start + 1, end))
    return inside


class _Beginnings:
    """Where on the tape a character of the final text began to be written."""

    def __init__(self, timeline: Timeline, path: str) -> None:
        self.path, self.text = path, timeline.final[path]
        self.writers = timeline.writers[path]
        self.edits = dict(timeline.edits[path])

    def at(self, index: int, stop: Stop, kind: str, scenario: str) -> Iterator[MomentPlace]:
        """The place of the character at `index` of the final text, if someone began to write there."""
        event = self.writers[offset_of(self.text, index)]
        if event == FROM_START:
            return
        begins = [start for start, _, new in self.edits[event] if new.lstrip()[:1] == self.text[index]]
        if len(begins) == 1 and self._leads(index, event):
            yield MomentPlace(event, self.path, begins[0], stop, kind, scenario)

    def _leads(self, index: int, event: int) -> bool:
        """Whether nothing but white space by the same event stands directly before the character."""
        before = self.text[:index].rstrip()
        return not before or self.writers[offset_of(self.text, len(before) - 1)] != event
