"""The hole of a suggestion in a recording of 92 minutes."""

from replay.tapes.timeline import Timeline
from tests.support.fitted_suggestions import leave_the_document


def test_what_was_written_up_to_any_token_leaves_the_finished_document(long_session):
    assert leave_the_document(Timeline(long_session), "pause:300") > 100
