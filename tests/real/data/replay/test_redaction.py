"""What is kept off a recording, over a session of 92 minutes."""

from tests.support.redacted_recording import Folder


def test_a_long_real_session_without_credentials_stays_as_it_is(long_session, tmp_path):
    """All that this project says is code: what were covered there would be missing."""
    assert len(long_session.events) > 10_000
    assert Folder(tmp_path).kept(long_session) == long_session.events
