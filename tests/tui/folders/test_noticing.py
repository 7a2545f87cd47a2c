"""Waiting for changes in folders that come and go."""

import asyncio
import shutil

from tests.support.waiting import PATIENCE_S
from tui.folders import replays
from tui.folders.replays import Noticing


async def test_a_folder_that_goes_away_before_it_is_watched_is_only_looked_at(tmp_path, monkeypatch):
    gone, there = tmp_path / "gone", tmp_path / "there"
    gone.mkdir()
    there.mkdir()
    inode = replays._inode

    def removed_after(folder):
        found = inode(folder)
        if folder == gone:
            shutil.rmtree(gone, ignore_errors=True)
        return found

    monkeypatch.setattr(replays, "_inode", removed_after)
    waiting = Noticing((gone, there))
    try:
        await waiting.wait()
        monkeypatch.setattr(replays, "LOOK_EVERY_S", PATIENCE_S)  # so that it is the system's word that ends the wait
        asyncio.get_running_loop().call_later(0.2, there.joinpath("a").touch)
        await asyncio.wait_for(waiting.wait(), PATIENCE_S / 2)
    finally:
        waiting.close()
