"""How a run that was watched on the live screen ends: on its table, or on what went wrong."""

import io
import shutil
import subprocess

import msgspec
import pytest

from replay.run.events import RunBegan, RunEnded, RunPlan
from replay.run.live.live_stream import FILE
from tui.live.starting import LiveRun, _ended


@pytest.fixture
def outcome(real_run, tmp_path, capsys):
    """A function: a process continues a finished run and ends; give its status, the summaries shown and what was said."""
    folder = tmp_path / "run"
    shutil.copytree(real_run.folder, folder)

    def end(status, *, how="done", anothers=False):
        process = subprocess.Popen(["sh", "-c", f"exit {status}"])
        number = process.pid + 1 if anothers else process.pid
        events = RunBegan(1.0, number, "", RunPlan(), {}), RunEnded(2.0, how)
        (folder / FILE).write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))
        shown = []
        run = LiveRun([], folder, lambda summary, _: shown.append(summary))
        given = _ended(run, process, io.BytesIO(b"ghosttape: the disk is full\n"))
        return given, len(shown), capsys.readouterr().err.strip()

    return end


@pytest.mark.parametrize("status", [0, 1, 3])
def test_a_run_that_was_played_to_its_end_has_its_table(outcome, status):
    assert outcome(status) == (status, 1, "")


@pytest.mark.parametrize("end", [{"how": "failed"}, {"how": "interrupted"}, {"anothers": True}])
def test_a_continuation_that_failed_says_why_and_shows_no_table_of_an_earlier_process(outcome, end):
    assert outcome(1, **end) == (1, 0, "ghosttape: the disk is full")
