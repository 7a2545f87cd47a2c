"""The latencies of the recording of 92 minutes."""

from replay.play.latency import _Drawn, _requests
from tests.support.recorded_logs import ends_of, kaplan_meier, log_of
from tests.support.recording_names import LONG


def test_the_tapes_latencies_are_those_of_its_own_log(recording_file, long_session):
    """Against Kaplan and Meier by hand, from the recording's log: 1,288 requests that ended, and 1,745 given up."""
    ends = ends_of(log_of(recording_file(LONG)))
    assert (len(ends), sum("error" in end for end in ends)) == (3033, 1745)
    curve = kaplan_meier(ends)
    answered, waited = _requests(long_session)
    drawn = _Drawn(list(answered.values()), list(waited.values()))
    for share in (0.25, 0.5, 0.65, 0.75, 0.9):
        assert drawn.at(share) == next(at for at, passed in curve if passed >= share)
