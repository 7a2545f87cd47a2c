"""What must hold for the grafts of a whole session, each rule with what it is given: the timeline, and the holes of its moments."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from replay.judge.grafts import Hole, graft, hole_of
from replay.play.policies.block_places import ALL_AT, MomentPlace, block_places
from replay.records import Moment, Suggestion
from replay.tapes.tape import Edit, walk
from syntax.text import cut, length
from tests.support.tapes import moment_of

EVERY = 11
"""Which edits are taken as moments of a policy that goes by time."""


@dataclass(frozen=True)
class Graftable:
    """A moment of a tape with the text before and after the cursor, and its hole, or why it has none."""

    place: MomentPlace
    moment: Moment
    before: str
    after: str
    hole: Hole | str


def asked(timeline):
    """Moments with the text before and after the cursor: all places of blocks, and every eleventh edit."""
    wanted = defaultdict(list)
    for place in block_places(timeline, at=ALL_AT):
        wanted[place.event].append(place)
    for index, event, documents in walk(timeline.tape):
        paths = {path: doc for doc, path in documents.paths.items()}
        if isinstance(event, Edit) and event.changes and index % EVERY == 0:
            wanted[index].append(MomentPlace(index, documents.paths[event.doc], event.changes[0][0], "auto", "", ""))
        for place in wanted[index]:
            text = documents.texts[paths[place.path]]
            yield place, cut(text, 0, place.offset), cut(text, place.offset, length(text))


def graftables(timeline):
    """Those moments of a tape."""
    found = []
    for place, before, after in asked(timeline):
        language = timeline.languages[place.path]
        here = moment_of(place.event, before, after, path=place.path, language=language, stop=place.stop)
        found.append(Graftable(place, here, before, after, hole_of(timeline, here, before, after)))
    return found


def the_truth_put_back_is_the_finished_document(timeline, testable):
    for one in testable:
        truth = Suggestion(text=one.hole.truth, start=one.moment.offset, end=one.moment.offset, latency=0)
        assert graft(one.hole, truth, one.moment, one.before, one.after) == timeline.final[one.place.path]


def holes_lie_inside_the_document_and_hold_something(timeline, testable):
    for one in testable:
        assert 0 <= one.hole.start < one.hole.end <= len(timeline.final[one.place.path])
        assert one.hole.truth.strip()


def nothing_that_stood_right_of_the_cursor_is_in_a_hole(timeline, testable):
    for one in testable:
        offset = length(one.hole.final[: one.hole.start])
        for char in one.hole.truth:
            assert char.isspace() or timeline.writers[one.place.path][offset] >= one.moment.event
            offset += length(char)


def what_a_range_says_again_stands_there_once(_, testable):
    """A range over the character left of the cursor and the bracket right of it: no character is lost, none is doubled."""
    tried = 0
    for one in testable:
        before, after = one.before, one.after
        if before[-1:].strip() and after[:1] in {")", "]", "}"}:
            tried += 1
            start, end = one.moment.offset - length(before[-1]), one.moment.offset + 1
            offered = Suggestion(text=before[-1] + one.hole.truth + after[0], start=start, end=end, latency=0)
            put = graft(one.hole, offered, one.moment, before, after)
            assert Counter("".join(put.split())) == Counter("".join(one.hole.final.split()))
    assert tried > 5


RULES = (
    the_truth_put_back_is_the_finished_document,
    holes_lie_inside_the_document_and_hold_something,
    nothing_that_stood_right_of_the_cursor_is_in_a_hole,
    what_a_range_says_again_stands_there_once,
)
