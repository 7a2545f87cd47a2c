"""A run in a folder that cannot be written is there to be looked at."""

import json
import shutil
import subprocess

import pytest

from replay.errors import StoreError
from replay.records import Ending, Moment, Record
from replay.run.store import Store
from tests.support.places import SCRIPT


def moment():
    return Moment(
        tape="t",
        event=1,
        path="a.py",
        language="python",
        offset=0,
        line=0,
        character=0,
        t=0.0,
        stop="auto",
        before="",
        after="",
        truth="x",
    )


@pytest.fixture
def folder(tmp_path):
    with Store.create(tmp_path / "run", {"provider": "gguf", "policy": "blocks"}) as store:
        store.put(Record(moment=moment(), ending=Ending("shown")))
    return tmp_path / "run"


def test_a_run_on_a_read_only_file_system_is_read(folder):
    """On a real one: the folder is bound over itself, read-only, in a namespace of its own."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not on PATH, so there is no namespace to mount in")
    words = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && ! touch "$1/x" && exec "$2" records "$1"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", words, "sh", str(folder), SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["moment"]["path"] == "a.py"


def test_a_run_that_was_not_closed_says_what_to_do(folder, monkeypatch):
    monkeypatch.setattr("replay.run.storage.database.os.access", lambda *_: False)
    (folder / "run.sqlite-wal").write_bytes(b"x")
    with pytest.raises(StoreError, match="cannot be written, and its run was not closed: copy the folder"):
        Store.open(folder)
    (folder / "run.sqlite-wal").unlink()
    with Store.open(folder) as store:
        assert [record.moment.path for record in store.records()] == ["a.py"]
