"""A replay that an editor orders and watches: what it is shown, and that watching changes nothing."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from lsprotocol import types
from msgspec.structs import replace

from replay.run.store import Store
from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from tests.support.ordered_replay import OPTIONS, connected
from tests.support.places import LEDGER


def ask(client, name, argument):
    return client.workspace_execute_command_async(types.ExecuteCommandParams(name, [argument]))


@dataclass(frozen=True)
class Watched:
    folder: Path
    scenes: list


@pytest.fixture(scope="module")
def watched(once, run_folder, need):
    """The replay of one bundled tape, much faster than it was recorded."""
    need("bwrap")

    async def carried_out():
        async with connected(run_folder) as client:
            seen = client.told["ghosttape/scene"]
            order = {"tapes": [str(LEDGER)], "options": OPTIONS, "out": str(run_folder / "watched"), "scenes": True}
            await asyncio.wait_for(ask(client, "ghosttape.replay", order | {"speed": 500}), 240)
            return Watched(run_folder / "watched", [plain(scene) for scene in seen])

    return once("watched-order", lambda: asyncio.run(carried_out()))


def plain(scene):
    ghost = scene.ghost and (scene.ghost.text, scene.ghost.start, scene.ghost.end, scene.ghost.state)
    return scene.path, scene.text, scene.start, scene.t, ghost


def records(folder, tape):
    """The records of a run, but for what a clock measured on the wall."""
    with Store.open(folder) as store:
        found = [record for record in store.records() if record.moment.tape == tape]
    return [replace(record, verdict=replace(record.verdict, wall_ms=0.0, log="")) for record in found]


def test_a_replay_that_is_watched_has_the_records_of_the_command_line(watched, seeded_run):
    found = records(watched.folder, "ledger")
    assert len(found) == 4
    assert found == records(seeded_run.folder, "ledger")


def test_scenes_show_documents_as_the_tape_has_them(watched):
    tape = read(LEDGER)
    final = Timeline(tape).final
    path, text, *_ = watched.scenes[-1]
    assert text == final[path]
    times = [scene[3] for scene in watched.scenes]
    assert times == sorted(times)
    assert len(watched.scenes) > 4


def test_a_suggestion_is_shown_where_it_was_asked_for_and_says_how_it_ended(watched):
    found = {(record.moment.path, record.moment.offset): record for record in records(watched.folder, "ledger")}
    ended = [scene for scene in watched.scenes if scene[4] and scene[4][3] not in {"asked", "offered"}]
    assert len(ended) >= len(found)
    for path, _, start, _, (text, _, _, state) in ended:
        record = found[path, start]
        assert state == record.ending.name
        assert text == (record.suggestion.text if record.suggestion else "")
