"""What must hold for the grafts of whole sessions: the bundled tapes, and a recording of 92 minutes."""

from collections import Counter, defaultdict

import pytest

from replay.judge.grafts import graft, hole_of
from replay.play.policies.blocks import ALL_AT, MomentPlace, block_places
from replay.records import Suggestion
from replay.tapes.documents import walk
from replay.tapes.tape import Edit, read
from replay.tapes.timeline import Timeline
from syntax.text import cut, length
from tests.support.places import DEMO
from tests.support.tapes import moment_of

EVERY = 11
"""Which edits are taken as moments of a policy that goes by time."""


@pytest.fixture(scope="module", params=["ledger", "router", "recording"])
def timeline(request):
    if request.param != "recording":
        return Timeline(read(DEMO / f"{request.param}.tape.jsonl"))
    return Timeline(request.getfixturevalue("long_session"))


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


def moment(timeline, place, before, after):
    language = timeline.languages[place.path]
    return moment_of(place.event, before, after, path=place.path, language=language, stop=place.stop)


@pytest.fixture(scope="module")
def holes(timeline):
    found = []
    for place, before, after in asked(timeline):
        here = moment(timeline, place, before, after)
        found.append((place, here, before, after, hole_of(timeline, here, before, after)))
    return found


@pytest.fixture(scope="module")
def testable(holes):
    return [one for one in holes if not isinstance(one[-1], str)]


def test_the_truth_put_back_is_the_finished_document(timeline, testable):
    for place, here, before, after, hole in testable:
        truth = Suggestion(text=hole.truth, start=here.offset, end=here.offset, latency=0)
        assert graft(hole, truth, here, before, after) == timeline.final[place.path]


def test_holes_lie_inside_the_document_and_hold_something(timeline, testable):
    for place, *_, hole in testable:
        assert 0 <= hole.start < hole.end <= len(timeline.final[place.path])
        assert hole.truth.strip()


def test_nothing_that_stood_right_of_the_cursor_is_in_a_hole(timeline, testable):
    for place, here, *_, hole in testable:
        offset = length(hole.final[: hole.start])
        for char in hole.truth:
            assert char.isspace() or timeline.writers[place.path][offset] >= here.event
            offset += length(char)


def test_what_a_range_says_again_stands_there_once(testable):
    """A range over the character left of the cursor and the bracket right of it: no character is lost, none is doubled."""
    tried = 0
    for _, here, before, after, hole in testable:
        if before[-1:].strip() and after[:1] in {")", "]", "}"}:
            tried += 1
            start = here.offset - length(before[-1])
            offered = Suggestion(text=before[-1] + hole.truth + after[0], start=start, end=here.offset + 1, latency=0)
            put = graft(hole, offered, here, before, after)
            assert Counter("".join(put.split())) == Counter("".join(hole.final.split()))
    assert tried > 5


def test_moments_are_untestable_for_reasons_of_the_closed_list(holes, testable):
    reasons = {hole for *_, hole in holes if isinstance(hole, str)}
    assert reasons <= {"rewritten", "empty", "no-syntax"}
    assert len(testable) > 100
