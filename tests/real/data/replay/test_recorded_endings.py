"""`recorded` ends the requests of a recording of 92 minutes as they ended then."""

from tests.support.recorded_endings import live, replayed

IN_ONE_PIECE = 537
"""Accepted whole in two places at once; the recording's importer sees the first place, and says `part`."""
ONLY_DELETES = 1055
"""Accepted, but it only deleted: there is no text to offer again."""
SECOND_OF_ITS_LIST = 2063
"""Another suggestion of the same list was accepted than the one shown: in the replay it is not there."""


def test_the_requests_of_a_real_session_end_as_they_ended_then(long_session):
    then, now = live(long_session), replayed(long_session)
    assert len(then) == len(now) == 3033
    assert {request: now[request] for request in then if now[request] != then[request]} == {
        IN_ONE_PIECE: "accepted",
        ONLY_DELETES: "empty",
        SECOND_OF_ITS_LIST: "rejected",
    }
