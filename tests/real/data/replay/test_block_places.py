"""Places of blocks in a recording of 92 minutes."""

from replay.play.policies.block_places import ALL_AT, block_places
from replay.tapes.timeline import Timeline


def test_on_a_real_recording_places_stand_where_the_recorded_text_was_begun(long_session):
    timeline = Timeline(long_session)
    found = list(block_places(timeline, at=ALL_AT))
    assert {place.scenario for place in found} == {"full", "inner", "operator", "call", "declaration"}
    for place in found:
        starts = [start for start, _, new in dict(timeline.edits[place.path])[place.event] if new.strip()]
        assert place.offset in starts
