"""The pace of a run, changed from outside through the socket in its folder."""

import asyncio
import socket
import stat
import sys

import pytest

from replay.play.playback import Playback
from replay.run.live.control import FILE, ControlError, Watcher, Wish, controlled
from tests.support.waiting import PATIENCE_S, until


@pytest.fixture
def said():
    """A function that says a wish to the run in a folder, from one screen for each folder."""
    screens = {}

    async def say(folder, *wish):
        screen = screens.setdefault(folder, Watcher(folder))
        return await asyncio.to_thread(screen.send, Wish(*wish))

    yield say
    for screen in screens.values():
        screen.close()


async def test_wishes_are_met_and_answered(tmp_path, said):
    playback, changes = Playback(), []
    async with controlled(tmp_path, playback, lambda: changes.append(playback.status())):
        assert await said(tmp_path, "pause") == "0:00 of the tape, paused"
        assert playback.is_paused
        await said(tmp_path, "speed", 4.0)
        assert await said(tmp_path, "resume") == "0:00 of the tape, 4 times as fast"
        await said(tmp_path, "speed", None)
        assert (playback.speed, len(changes)) == (None, 4)


async def test_a_skip_goes_on_from_here_and_a_seek_to_a_time(tmp_path, said):
    playback = Playback(1.0)
    async with controlled(tmp_path, playback, lambda: None):
        await playback.reach(0.0)
        await said(tmp_path, "skip", 60_000.0)
        await asyncio.wait_for(playback.reach(59_000.0), PATIENCE_S)
        await said(tmp_path, "seek", 90_000.0)
        await asyncio.wait_for(playback.reach(89_000.0), PATIENCE_S)
        with pytest.raises(ControlError, match="has been played already"):
            await said(tmp_path, "seek", 1.0)


async def test_a_moment_at_a_time(tmp_path, said):
    playback = Playback()
    async with controlled(tmp_path, playback, lambda: None):
        await said(tmp_path, "moment")
        await said(tmp_path, "moment")
        await asyncio.wait_for(playback.reach(1.0), PATIENCE_S)
        await asyncio.wait_for(playback.reach(2.0, ends_moment=True), PATIENCE_S)
        await asyncio.wait_for(playback.reach(3.0, ends_moment=True), PATIENCE_S)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(playback.reach(4.0), 0.05)


@pytest.mark.parametrize("line", [b"nonsense\n", b'{"action": "sing"}\n', b'{"action": "speed", "to": -1}\n'])
async def test_what_is_no_wish_is_refused_with_the_reason(tmp_path, line):
    playback = Playback()
    async with controlled(tmp_path, playback, lambda: None):
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / FILE))
        writer.write(line)
        assert b'"error"' in await reader.readline()
        writer.close()
    assert playback.speed is None


async def test_a_line_without_an_end_does_no_harm(tmp_path, said):
    playback = Playback()
    async with controlled(tmp_path, playback, lambda: None):
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / FILE))
        writer.write(b"x" * 100_000)
        assert await reader.read() == b""
        writer.close()
        assert await said(tmp_path, "pause")


async def test_only_its_owner_may_use_the_socket(tmp_path):
    async with controlled(tmp_path, Playback(), lambda: None):
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert not (tmp_path / FILE).exists()


async def test_a_folder_may_have_a_long_name(tmp_path, said):
    folder = tmp_path / ("long" * 40) / ("name" * 40)
    folder.mkdir(parents=True)
    playback = Playback()
    async with controlled(folder, playback, lambda: None) as problem:
        assert not problem
        await said(folder, "pause")
    assert playback.is_paused


async def test_what_a_killed_run_left_is_taken_away(tmp_path, said):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / FILE))
    with pytest.raises(ControlError, match="does not listen"):
        await said(tmp_path, "pause")
    async with controlled(tmp_path, Playback(), lambda: None) as problem:
        assert not problem
        await said(tmp_path, "pause")


async def test_where_no_socket_can_be_made_the_run_goes_on(tmp_path):
    (tmp_path / FILE).mkdir()
    async with controlled(tmp_path, Playback(), lambda: None) as problem:
        assert "nobody can pause it" in problem


async def test_a_paused_run_goes_on_when_its_last_screen_is_gone(tmp_path):
    playback, changes = Playback(), []
    first, second = Watcher(tmp_path), Watcher(tmp_path)
    async with controlled(tmp_path, playback, lambda: changes.append(playback.is_paused)):
        assert await asyncio.to_thread(second.stay)
        await asyncio.to_thread(first.send, Wish("pause"))
        first.close()
        await asyncio.sleep(0.1)
        assert playback.is_paused, "the second screen still shows it"
        second.close()
        await until(lambda: not playback.is_paused)
        await asyncio.wait_for(playback.reach(1.0), PATIENCE_S)
        assert changes == [True, False]


async def test_a_paused_run_goes_on_when_the_process_of_its_screen_is_killed(tmp_path):
    code = "import sys, time; from pathlib import Path; from replay.run.live.control import Watcher, Wish; "
    code += "one = Watcher(Path(sys.argv[1])); one.send(Wish('step')); print('said', flush=True); time.sleep(600)"
    playback = Playback()
    async with controlled(tmp_path, playback, lambda: None):
        screen = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path), stdout=-1)
        assert await screen.stdout.readline() == b"said\n"
        assert playback.is_paused
        screen.kill()
        await screen.wait()
        await until(lambda: not playback.is_paused)


async def test_what_was_not_paused_by_a_screen_stays_paused_when_it_goes(tmp_path):
    playback = Playback()
    playback.pause()
    screen = Watcher(tmp_path)
    async with controlled(tmp_path, playback, lambda: None):
        assert await asyncio.to_thread(screen.stay)
        await asyncio.sleep(0.05)
        screen.close()
        await asyncio.sleep(0.1)
        assert playback.is_paused


async def test_a_screen_finds_the_process_that_continues_the_run(tmp_path, said):
    for _ in range(2):
        playback = Playback()
        async with controlled(tmp_path, playback, lambda: None):
            await said(tmp_path, "pause")
        assert playback.is_paused, "a run that is over does not go on"
        await asyncio.sleep(0.05)
    with pytest.raises(ControlError, match="does not listen"):
        await said(tmp_path, "pause")
