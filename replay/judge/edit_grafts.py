"""Grafts of edit suggestions: the finished project with the suggestion where the person made their next edit.

A suggestion's ranges and those of the person's next edit are carried through all later edits. Inside their union the person's text is undone
and what the suggestion makes of the text at the moment is put in; elsewhere the finished project stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from replay.judge.alignment import WrittenCode, reach
from replay.records import DocumentChange, Moment, NextEdit
from replay.tapes.file_kinds import file_kind
from replay.tapes.timeline import Timeline
from syntax.blocks import statements
from syntax.gaps import without
from syntax.languages import Language, language_of
from syntax.parse import has_error, parse
from syntax.text import Change, carry_left, carry_right, cut, index_of, length, offset_of, splice

_TOKEN = re.compile(r"\w+|\r?\n|[^\S\n]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class EditedPlace:
    """A stretch of a document that a suggestion changes, or the person does next.

    `start` and `end` are UTF-16 offsets in the finished document; up to `outer` goes what was written behind it later. `undone` is what
    stood there at the moment, `suggested` what the suggestion makes of that, `wanted` what the person did.
    """

    path: str
    start: int
    end: int
    outer: int
    undone: str
    suggested: str
    wanted: str
    is_rewritten: bool
    """Whether something else stands there in the end than what the person did next, or than stood there at the moment."""

    @property
    def is_wanted(self) -> bool:
        """Whether the person changes something here."""
        return self.wanted != self.undone

    @property
    def is_suggested(self) -> bool:
        """Whether the suggestion does."""
        return self.suggested != self.undone


@dataclass(frozen=True, slots=True)
class EditGraft:
    """The documents that decide about an edit suggestion, by path: all other documents are as in the finished project.

    `emptied` have the person's edits undone where the suggestion is meant to stand in for them, `grafted` the suggestion there. `is_elsewhere`:
    the suggestion changes nothing where the person does.
    """

    emptied: Mapping[str, str]
    grafted: Mapping[str, str]
    is_elsewhere: bool

    def is_broken(self, finished: Mapping[str, str]) -> bool:
        """Whether an emptied document does not parse where the finished one does: every test notices that, whatever the edit does."""
        return any(_breaks(path, text, finished[path]) for path, text in self.emptied.items())


def _breaks(path: str, text: str, finished: str) -> bool:
    language = language_of(path)
    return language is not None and has_error(language, text) and not has_error(language, finished)


def edit_graft(
    timeline: Timeline, moment: Moment, texts: Mapping[str, str], suggested: Sequence[DocumentChange]
) -> EditGraft | None:
    """The documents with a suggestion; None where what the person did next was rewritten later.

    `texts` are the documents at the moment. Of the suggestion counts what it really changes, but nothing in tests and generated files, and
    nothing at a place that only the suggestion touches and that was rewritten later. One that changes nothing stands in for all of the next
    edit; one that changes nothing where the person does is put beside it, which `emptied` has undone.
    """
    assert moment.next_edit is not None
    wanted = list(_places(timeline, moment.event, moment.next_edit, texts, {}))
    if any(place.is_rewritten for place in wanted):
        return None
    changes = {path: least_changes(texts[path], own) for path, own in _by_path(suggested).items()}
    changes = {path: own for path, own in changes.items() if not file_kind(path, timeline.final[path])}
    places = _places(timeline, moment.event, moment.next_edit, texts, changes)
    chosen = [place for place in places if place.is_suggested and (place.is_wanted or not place.is_rewritten)]
    stands_in = [place for place in chosen if place.is_wanted]
    emptied = _emptied(timeline, stands_in or wanted)
    return EditGraft(emptied, _grafted(timeline, chosen) if chosen else emptied, bool(chosen) and not stands_in)


def least_changes(text: str, changes: Sequence[Change]) -> list[Change]:
    """What changes really change, token by token: an answer that rewrites a region says most of it again.

    Example: `(0, 8, "a = f(y)")` in `a = f(x)` is `(6, 7, "y")`.
    """
    old, new = text.splitlines(keepends=True), splice(text, changes).splitlines(keepends=True)
    found, at = list[tuple[int, int, str]](), [0]
    for line in old:
        at.append(at[-1] + len(line))
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            found += _token_changes(at[first], "".join(old[first:last]), "".join(new[start:end]))
    return [(offset_of(text, first), offset_of(text, last), said) for first, last, said in found]


def _token_changes(at: int, old: str, new: str) -> Iterator[tuple[int, int, str]]:
    """The changes from one text to another that stands at an index, as indices."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    ends = [at]
    for token in before:
        ends.append(ends[-1] + len(token))
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield ends[first], ends[last], "".join(after[start:end])


def _by_path(changes: Iterable[DocumentChange]) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for one in changes:
        found.setdefault(one.path, []).append(one.change)
    return found


def _places(
    timeline: Timeline,
    event: int,
    next_edit: NextEdit,
    texts: Mapping[str, str],
    suggested: Mapping[str, Sequence[Change]],
) -> Iterator[EditedPlace]:
    """The places of both, in the order of the documents' paths."""
    wanted = _by_path(next_edit.changes)
    for path in sorted({*wanted, *suggested}):
        text, sides = texts[path], (wanted.get(path, []), suggested.get(path, []))
        for start, end in _unions(text, [*sides[0], *sides[1], *_ambiguous(text, sides[0])]):
            undone = cut(text, start, end)
            did, said = (_changed(undone, start, end, side) for side in sides)
            yield _carried(timeline, path, (event, max(event, next_edit.until)), (start, end), (undone, said, did))


def _ambiguous(text: str, wanted: Sequence[Change]) -> list[Change]:
    """Where the person's changes could stand as well, with what lies between: `b` put in before a `b` is `b` put in behind it."""
    least = least_changes(text, wanted)
    if [change[:2] for change in least] == [change[:2] for change in sorted(wanted)]:
        return []
    if len(least) != len(wanted):
        both = [*least, *wanted]
        return [(min(start for start, _, _ in both), max(end for _, end, _ in both), "")]
    pairs = zip(least, sorted(wanted), strict=True)
    return [(min(one[0], other[0]), max(one[1], other[1]), "") for one, other in pairs]


def _unions(text: str, changes: Sequence[Change]) -> Iterator[tuple[int, int]]:
    """The ranges of changes, those as one that touch. So are insertions with nothing but white space between: a line can be put in behind the one above, or before the one below."""
    span: tuple[int, int] | None = None
    for first, last, _ in sorted(changes):
        if span is not None:
            beside = span[0] == span[1] and first == last and not cut(text, span[1], first).strip()
            if first <= span[1] or beside:
                span = span[0], max(span[1], last)
                continue
            yield span
        span = first, last
    if span is not None:
        yield span


def _changed(undone: str, start: int, end: int, changes: Sequence[Change]) -> str:
    """A stretch of text after those of some changes that are in it."""
    own = [(first - start, last - start, new) for first, last, new in changes if start <= first and last <= end]
    return splice(undone, own)


def _carried(
    timeline: Timeline, path: str, events: tuple[int, int], span: tuple[int, int], texts: tuple[str, str, str]
) -> EditedPlace:
    """A place in the finished document. What is written at its ends between both events is inside; what is written behind it later, between `end` and `outer`."""
    (start, end), (undone, suggested, wanted) = span, texts
    first, then = (timeline.edits_before(path, event) for event in events)
    for _, changes in timeline.edits[path][first:then]:
        start, end = carry_left(start, changes), carry_right(end, changes)
    carrying = timeline.carrying(path)
    inner, outer = carrying.left(end, then), carrying.right(end, then)
    if start == end:  # nothing is left there: what stood beside it must be
        beside = (unit for unit in (start - 1, start) if unit >= 0)
        stands = any(carrying.outlasts(unit, then) for unit in beside)
        return EditedPlace(path, inner, inner, outer, undone, suggested, wanted, not stands)
    begins = carrying.right(start, then)
    is_rewritten = begins > inner or cut(timeline.final[path], begins, inner) != wanted
    return EditedPlace(path, begins, max(begins, inner), max(begins, outer), undone, suggested, wanted, is_rewritten)


def _emptied(timeline: Timeline, places: Sequence[EditedPlace]) -> dict[str, str]:
    """The finished documents with the person's edits undone at some places, and with the rest of a statement that they wrote there later.

    What was put in leaves what grammar demands (`syntax.gaps.without`), and so does a change without which the document would no longer parse:
    a part is noticed by what it does.
    """
    found: dict[str, str] = {}
    for path in sorted({place.path for place in places}):
        final, language = timeline.final[path], language_of(path)
        own = [
            (place, place.end if language is None else _statement_end(language, final, place))
            for place in places
            if place.path == path
        ]
        found[path] = splice(final, [(place.start, end, place.undone) for place, end in own])
        if language is None:
            continue
        put_in = all(not place.undone.strip() for place, _ in own)
        if put_in or _breaks(path, found[path], final):
            text = final
            for place, end in sorted(own, key=lambda one: one[1], reverse=True):
                first, last = index_of(text, place.start), index_of(text, end)
                said = len(text[first:last].rstrip())  # the line end behind it stays
                text = without(language, text, first, first + said) if said else text[:first] + text[last:]
            found[path] = text
    return found


def _statement_end(language: Language, final: str, place: EditedPlace) -> int:
    """The end of a place, or, where that is in the middle of a statement, of what was written of it behind the place later (UTF-16 offset)."""
    if place.outer == place.end or not place.wanted.strip():
        return place.end
    tree, at = parse(language, final), index_of(final, place.end)
    at = len(final[:at].rstrip())
    around = [(end - start, end) for start, end in statements(tree, tree.nodes()) if start < at < end]
    return max(place.end, min(place.outer, offset_of(final, min(around)[1]))) if around else place.end


def _grafted(timeline: Timeline, places: Sequence[EditedPlace]) -> dict[str, str]:
    """The finished documents with what is suggested at some places."""
    changes: dict[str, list[Change]] = {}
    for place in places:
        end = _end(timeline.final[place.path], place)
        changes.setdefault(place.path, []).append((place.start, end, place.suggested))
    return {path: splice(timeline.final[path], own) for path, own in changes.items()}


def _end(final: str, place: EditedPlace) -> int:
    """How much of what the person wrote there, then and later, the suggestion stands in for (UTF-16 offset): code never stands twice."""
    said = place.suggested
    if place.outer == place.end or cut(final, place.start, place.end) == said:
        return place.end
    if cut(final, place.start, place.outer).startswith(said) and said.startswith(cut(final, place.start, place.end)):
        return place.start + length(said)
    language = language_of(place.path)
    if language is None or not said.strip():
        return place.end
    start, end, outer = (index_of(final, offset) for offset in (place.start, place.end, place.outer))
    return max(place.end, offset_of(final, reach(WrittenCode(parse(language, final), start, outer, end), said).end))
