"""A whole recording in its thread: what is on the disk when a session ends soon."""

import threading

import pytest

from replay.recording import session as sessions
from replay.recording.secrets import workspace_secrets
from replay.recording.session import RecordingSession
from replay.tapes.tape import Open, read
from server.documents import OpenDocuments
from server.lsp.events import ClientInitialized, ClientLeft, DocumentOpened


@pytest.fixture
def gate(monkeypatch):
    """Closed, it holds up who reads a JSON file."""
    gate, values_of = threading.Event(), workspace_secrets.file_values

    def slow(text, path):
        if path.endswith(".json"):
            gate.wait(30)
        return values_of(text, path)

    monkeypatch.setattr(workspace_secrets, "file_values", slow)
    return gate


def test_a_short_session_beside_much_ignored_data_is_on_the_tape_without_the_values_of_key_files(
    tmp_path, gate, monkeypatch
):
    monkeypatch.setattr(sessions, "_GOODBYE_S", 0.5)
    monkeypatch.setattr(sessions, "SLICE_S", -1.0)
    work, into, told = tmp_path / "work", tmp_path / "into", []
    work.mkdir()
    (work / ".gitignore").write_text("*.json\n")
    (work / ".env").write_text("DB_PASSWORD=blueHorse42Staple\n")
    (work / "data.json").write_text('{"password": "slowRiver77Stone"}')
    session = RecordingSession(into, ClientInitialized("test 1", (work.as_uri(),)), told.append)
    documents = OpenDocuments()
    documents.open((work / "a.py").as_uri(), "python", 1, "x = f(blueHorse42Staple, slowRiver77Stone)\n")
    session(DocumentOpened(documents.get((work / "a.py").as_uri())))
    session(ClientLeft())
    (path,) = into.iterdir()
    assert [event.text for event in read(path).events if isinstance(event, Open)] == [
        f"x = f({'*' * 17}, slowRiver77Stone)\n"
    ]
    assert ["before it had finished" in message for message in told] == [True]
    gate.set()
    session._thread.join(30)
    assert "slowRiver77" not in path.read_text()
