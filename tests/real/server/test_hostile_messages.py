"""Ten thousand hostile messages to a real server, and what they cost it."""

import pytest

from tests.support.places import SCRIPT
from tests.support.raw_session import RawSession


@pytest.fixture
def session(tmp_path):
    started = RawSession(SCRIPT, tmp_path)
    yield started
    started.close()


def test_ten_thousand_hostile_messages_neither_kill_nor_hang_the_server(session):
    session.greet()
    assert session.complete("first") == "return 1"
    memory = session.memory_mb()
    session.storm(batches=20, each=500)
    assert session.memory_mb() - memory < 150
    assert "Traceback" not in session.errors.read_text()


def test_ten_gigabytes_are_refused_at_once(session):
    session.greet()
    memory = session.memory_mb()
    session.send(b"Content-Length: 10737418240\r\n\r\n" + b"x" * (8 << 20))
    assert session.complete("good") == "return 1"
    assert session.codes[None] == -32700
    assert session.memory_mb() - memory < 50
