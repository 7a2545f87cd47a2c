"""A whole recording in its thread: what is on the disk when a session ends soon."""

import threading

import pytest

from replay.recording import session as sessions
from replay.recording.secrets import workspace_secrets
from replay.recording.session import RecordingSession
from replay.tapes.tape import Open, read
from server.documents import OpenDocuments
from server.lsp.editor_events import ClientInitialized, ClientLeft, DocumentOpened, DocumentSaved


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


@pytest.fixture
def work(tmp_path):
    """A workspace with a file of keys, and with ignored data that take long to read."""
    work = tmp_path / "work"
    work.mkdir()
    (work / ".gitignore").write_text("*.json\n")
    (work / ".env").write_text("DB_PASSWORD=blueHorse42Staple\n")
    (work / "data.json").write_text('{"password": "slowRiver77Stone"}')
    return work


@pytest.fixture
def hurry(monkeypatch):
    """A server has no time at its end."""
    monkeypatch.setattr(sessions, "_GOODBYE_S", 0.5)


@pytest.fixture
def told():
    return []


@pytest.fixture
def session(work, tmp_path, told, monkeypatch):
    monkeypatch.setattr(sessions, "SLICE_S", -1.0)  # no time for what does not usually have keys
    return RecordingSession(tmp_path / "into", ClientInitialized("test 1", (work.as_uri(),)), told.append)


def open_document(session, work, name, text):
    documents = OpenDocuments()
    documents.open((work / name).as_uri(), "python", 1, text)
    session(DocumentOpened(documents.get((work / name).as_uri())))


def test_a_session_that_ends_waits_until_all_ignored_data_are_read(session, work, gate, tmp_path, told):
    open_document(session, work, "a.py", "x = f(blueHorse42Staple, slowRiver77Stone)\n")
    session(ClientLeft())
    threading.Timer(0.5, gate.set).start()
    session.finish()
    (path,) = (tmp_path / "into").iterdir()
    assert [event.text for event in read(path).events if isinstance(event, Open)] == [
        f"x = f({'*' * 17}, {'*' * 16})\n"
    ]
    assert told == []


@pytest.mark.usefixtures("hurry")
def test_what_was_typed_beside_unread_data_is_on_no_tape_if_there_is_no_time_to_read_them(
    session, work, gate, tmp_path, told
):
    """What a kill leaves is what is there now."""
    open_document(session, work, "a.py", "x = f(slowRiver77Stone)\n")
    session(DocumentSaved((work / "a.py").as_uri()))
    session(ClientLeft())
    session.finish()
    assert not (tmp_path / "into").exists()
    assert ["its end is missing" in message for message in told] == [True]
    gate.set()
    session._thread.join(30)
    assert "slowRiver77" not in next((tmp_path / "into").iterdir()).read_text()
