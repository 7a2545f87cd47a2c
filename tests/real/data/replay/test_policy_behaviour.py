"""The pauses in a recording of 92 minutes, and after which of them `pause` asks."""

import pytest

from replay.tapes.timeline import Timeline
from tests.support.policy_timing import asked_after, single_keys

PAUSES = {50: 87.8, 75: 73.9, 100: 56.0, 150: 36.6, 200: 25.1, 250: 19.9, 300: 17.7, 350: 15.5}
PAUSES |= {500: 11.4, 750: 8.5, 1000: 6.9, 2000: 4.3}
"""Counted in the recording's own log, without the 24 inserts of its agent's streams."""


@pytest.fixture(scope="module")
def session(long_session):
    return Timeline(long_session)


@pytest.mark.parametrize(("ms", "share"), PAUSES.items())
def test_pauses_of_the_long_recording_are_as_measured_before(session, ms, share):
    """Of one-character inserts, the share after which the next change of any document comes more than D ms later."""
    single = single_keys(session.tape)
    assert len(single) == 1854
    assert 100 * len(asked_after(session, ms)) / len(single) == pytest.approx(share, abs=0.1)
