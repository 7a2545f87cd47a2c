"""The live file of a run: what it holds, that the run never depends on it, and that it is read while it is written."""

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from replay.play.playback import Playback
from replay.records import Ending, Record, Suggestion, Verdict
from replay.run.events import (
    Answered,
    Asked,
    Ended,
    Judged,
    Note,
    Pulse,
    Reached,
    ReplayedDocumentChanged,
    RunBegan,
    RunEnded,
    RunEvent,
    SessionBegan,
    StateRunChanged,
    Streamed,
)
from replay.run.live.live_reader import LiveFile, birth_of, is_alive
from replay.run.live.live_stream import FILE, LiveStream
from replay.run.store import Store
from replay.tapes.tape import Tests as ProjectTests
from syntax.text import splice
from tests.support.replays import options_of, run
from tests.support.tapes import Typist, moment_of

BODY = "return x + 1"
TEXT = f"def f(x):\n    {BODY}\n"
RECORD = Record(
    moment=moment_of(3, "def f(x):\n    ", "\n", truth=BODY, hole="a.py:20"),
    ending=Ending("accepted"),
    suggestion=Suggestion(text=BODY, start=14, end=14, latency=80.0, raw="as it came", prompt="a long prompt"),
    verdict=Verdict(name="failed", message="first\nsecond", log="a long log", wall_ms=5.0),
)


@pytest.fixture
def replay(tmp_path):
    """A function that replays a small tape into a folder: its summary, and the events in its live file."""

    async def replay(folder="run", tape=None, **options):
        known = {"settings": {"provider": {"name": "fixed", "text": BODY}}, "latency": "fixed:0", "sandbox": "none"}
        tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
        played = tape or Typist(tests=tests).type(TEXT).tape()
        summary = await run([played], tmp_path / folder, options_of(**known | options), cache=tmp_path / "cache")
        return summary, events_in(tmp_path / folder)

    return replay


def events_in(folder):
    return [msgspec.json.decode(line, type=RunEvent) for line in (folder / FILE).read_bytes().splitlines()]


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


async def test_the_file_tells_a_run_from_its_beginning_to_its_end(replay):
    summary, events = await replay()
    (began,), (session,) = of(RunBegan, events), of(SessionBegan, events)
    assert (began.process, began.birth) == (os.getpid(), birth_of(os.getpid()))
    assert (began.plan.provider, began.plan.policy, list(began.sources)) == ("fixed", "blocks", ["small"])
    assert (session.of, session.duration, session.as_recorded) == (len(TEXT) + 2, 100.0 * len(TEXT), True)
    assert len(of(Asked, events)) == len(of(Answered, events)) == len(of(Ended, events)) == summary["moments"]
    assert len(of(Judged, events)) == sum(event.awaits_verdict for event in of(Ended, events))
    assert of(Reached, events)[-1].index == session.of
    assert isinstance(events[-2], RunEnded)
    assert events[-2].how == "done"


async def test_at_each_question_the_position_is_that_of_its_moment(replay):
    _, events = await replay()
    at = None
    for event in events:
        at = event if isinstance(event, Reached) else at
        if isinstance(event, Ended):
            assert (at.index, at.t) == (event.record.moment.event, event.record.moment.t)


async def test_each_test_is_queued_before_it_runs_and_ends_once(replay):
    _, events = await replay()
    phases = {}
    for event in of(StateRunChanged, events):
        phases.setdefault(event.run.number, []).append(event.run.phase)
    assert phases
    assert set(map(tuple, phases.values())) == {("queued", "running", "ended")}
    assert {event.run.line for event in of(StateRunChanged, events)} == {2}


async def test_in_drive_mode_the_file_has_every_change_of_the_documents(replay):
    _, events = await replay(mode="drive", user="always", policy="vscode", tests=False)
    assert of(SessionBegan, events)[0].as_recorded is False
    text = ""
    for change in of(ReplayedDocumentChanged, events):
        text = change.text if change.text is not None else splice(text, change.changes)
    assert text == TEXT


async def test_in_judge_mode_documents_come_from_the_tape_alone(replay):
    _, events = await replay()
    assert not of(ReplayedDocumentChanged, events)


async def test_a_run_that_cannot_write_the_file_gives_the_same_records(replay, tmp_path):
    await replay("watched")
    (tmp_path / "unwatched" / f"{FILE}.{os.getpid()}").mkdir(parents=True)
    heard = []
    known = {"settings": {"provider": {"name": "fixed", "text": BODY}}, "latency": "fixed:0", "sandbox": "none"}
    tests = ProjectTests(toolchain="none", command="grep -q 'return x + 1' a.py")
    tape = Typist(tests=tests).type(TEXT).tape()
    await run([tape], tmp_path / "unwatched", options_of(**known), heard, cache=tmp_path / "cache")
    assert any("cannot be watched" in event.text for event in of(Note, heard))
    assert records_of(tmp_path / "watched") == records_of(tmp_path / "unwatched")


def records_of(folder):
    with Store.open(folder) as store:
        return [msgspec.structs.replace(record, verdict=plain(record.verdict)) for record in store.records()]


def plain(verdict):
    return verdict and msgspec.structs.replace(verdict, wall_ms=0.0)


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="no /dev/full, which only Linux has: a disk that is always full"
)
async def test_a_full_disk_ends_nothing(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, live._file.fileno())
        os.close(full)
        live.listen(Note("small", "a"))
        live.flush()
        live.listen(Note("small", "b"))
        live.flush()
        assert live.problem == ""
    assert (tmp_path / FILE).read_bytes() == b""


async def test_what_a_screen_does_not_need_is_left_out(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        live.listen(Ended(RECORD, awaits_verdict=True))
        live.listen(Judged(RECORD))
    ended, judged = events_in(tmp_path)[:2]
    assert ended.record.moment.id == judged.record.moment.id == RECORD.moment.id
    assert (ended.record.moment.hole, ended.record.suggestion.text) == ("a.py:20", BODY)
    assert (judged.record.verdict.name, judged.record.verdict.message) == ("failed", "first")
    assert all(
        word not in (tmp_path / FILE).read_text() for word in ("a long prompt", "a long log", "second", "as it came")
    )


async def test_thousands_of_positions_are_one_line(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        for index in range(5_000):
            live.listen(Reached("small", index, float(index)))
    assert of(Reached, events_in(tmp_path)) == [Reached("small", 4_999, 4_999.0)]


async def test_of_an_answer_on_its_way_only_the_latest_is_written_and_nothing_once_it_is_there(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        for size in range(5):
            live.listen(Streamed("small", "m", "x" * size))
        live.flush()
        live.listen(Streamed("small", "m", "x" * 9))
        live.listen(Answered("small", "m", "x" * 9, 0, 0, 1.0))
    assert [event.text for event in of(Streamed, events_in(tmp_path))] == ["x" * 4]


async def test_half_a_surrogate_pair_can_be_written(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        live.listen(Note("small", "a\ud83d b"))
    assert events_in(tmp_path)[0] == Note("small", "a? b")


async def test_an_interrupted_run_and_a_failed_one_say_so(tmp_path):
    for error, how, reason in (
        (asyncio.CancelledError(), "interrupted", ""),
        (OSError("the cable was cut"), "failed", "the cable was cut"),
    ):
        with pytest.raises(type(error)), LiveStream(tmp_path, Playback()):
            raise error
        ended = events_in(tmp_path)[0]
        assert (ended.how, ended.reason) == (how, reason)


class FullDisk:
    """A file on a disk with room for so many bytes more."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        done = self.file.write(data[: self.room])
        self.room -= done
        return done

    def close(self):
        self.file.close()


async def test_a_line_that_a_full_disk_tears_is_whole_again_when_there_is_room(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        disk = live._file = FullDisk(live._file, 30)
        for number in range(3):
            live.listen(Note("small", f"number {number}"))
            live.flush()
        assert (tmp_path / FILE).stat().st_size == 30
        disk.room = 1 << 20
        live.listen(Note("small", "number 3"))
    assert [event.text for event in of(Note, events_in(tmp_path))] == [f"number {number}" for number in range(4)]
    assert live.problem == ""


async def test_a_disk_that_stays_full_ends_the_watching_and_not_the_run(tmp_path):
    with LiveStream(tmp_path, Playback()) as live:
        live._file = FullDisk(live._file, 30)
        for _ in range(5_000):
            live.listen(Note("small", "x" * 2_000))
        live.flush()
        assert "cannot be written" in live.problem
        live.listen(Note("small", "more"))
    file = LiveFile(tmp_path)
    file.begins_anew()
    assert file.read() == ([], False)
    file.close()


# Reading


def test_a_line_that_is_not_whole_yet_is_read_when_it_is(tmp_path):
    file = LiveFile(tmp_path)
    assert (file.begins_anew(), file.is_there) == (False, False)
    whole = msgspec.json.encode(Note("small", "first")) + b"\n" + msgspec.json.encode(Note("small", "second")) + b"\n"
    (tmp_path / FILE).write_bytes(whole[:-9])
    assert file.begins_anew()
    assert file.read() == ([Note("small", "first")], False)
    with (tmp_path / FILE).open("ab") as more:
        more.write(whole[-9:])
    assert not file.begins_anew()
    assert file.read() == ([Note("small", "second")], False)
    file.close()


async def test_the_file_of_a_process_that_continues_a_run_is_a_new_one(tmp_path):
    file = LiveFile(tmp_path)
    for text in ("first", "second"):
        with LiveStream(tmp_path, Playback()) as live:
            live.listen(Note("small", text))
        assert file.begins_anew()
        assert file.read()[0][0] == Note("small", text)
    file.close()


def test_lines_of_another_version_are_counted_and_passed_over(tmp_path):
    (tmp_path / FILE).write_bytes(b'{"event": "Sung"}\n' + msgspec.json.encode(Pulse(1.0)) + b"\n")
    file = LiveFile(tmp_path)
    file.begins_anew()
    assert file.read() == ([Pulse(1.0)], False)
    assert file.unreadable == 1
    file.close()


def test_a_torn_line_is_passed_over_and_reading_goes_on_at_the_next_one(tmp_path):
    whole = [msgspec.json.encode(Note("small", text)) + b"\n" for text in ("first", "second", "third")]
    (tmp_path / FILE).write_bytes(whole[0] + whole[1][:20] + b"\n" + whole[2])
    file = LiveFile(tmp_path)
    file.begins_anew()
    assert file.read() == ([Note("small", "first"), Note("small", "third")], False)
    assert file.unreadable == 1
    file.close()


@pytest.mark.parametrize("number", [0, -1, 2**31, 2**200])
def test_a_number_that_no_process_has_is_not_alive(number):
    assert not is_alive(number, "")


def test_a_process_lives_until_it_ends_and_another_one_of_its_number_is_not_it():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    birth = birth_of(process.pid)
    assert is_alive(process.pid, birth)
    assert is_alive(process.pid, "")
    assert not is_alive(process.pid, birth + "1")
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_alive(process.pid, birth), "a zombie does not live"
    process.communicate()
    assert not is_alive(process.pid, birth)
