"""A replay ordered by an editor: `ghosttape.replay` on a running server, as a real client sees it."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from replay.run.store import Store
from tests.support.ordered_replay import OPTIONS, connected
from tests.support.places import ROOT


@pytest.fixture
async def client(tmp_path, need):
    need("bwrap", "node", "npm")
    async with connected(tmp_path) as client:
        yield client


@dataclass(frozen=True)
class Ordered:
    """A replay that was carried out: its folder and summary, and what the client heard of it."""

    folder: Path
    moments: int
    heard: dict
    progress: list


@pytest.fixture(scope="module")
def ordered(once, run_folder, need):
    """One order, which all workers look at."""
    need("bwrap", "node", "npm")

    async def carried_out():
        async with connected(run_folder) as client:
            summary = await order(client, run_folder / "ordered")
        heard = {
            name: [told.moment.event for told in client.told[f"ghosttape/{name}"]] for name in ("moment", "verdict")
        }
        return Ordered(run_folder / "ordered", summary["moments"], heard, [_kind(each) for each in client.progress])

    return once("ordered-run", lambda: asyncio.run(carried_out()))


def _kind(progress):
    return progress.value["kind"] if isinstance(progress.value, dict) else progress.value.kind


def order(client, folder, **options):
    argument = {
        "tapes": [str(ROOT / "corpora/demo")],
        "options": OPTIONS | options,
        "out": str(folder),
    }
    params = types.ExecuteCommandParams("ghosttape.replay", [argument])
    return client.protocol.send_request_async(types.WORKSPACE_EXECUTE_COMMAND, params, "the-order")


def verdicts(folder):
    with Store.open(folder) as store:
        return [(record.moment.id, str(record.ending), record.verdict.name) for record in store.records()]


def test_an_ordered_replay_gives_the_verdicts_of_the_command_line(ordered, seeded_run):
    assert ordered.moments == 8
    assert verdicts(ordered.folder) == verdicts(seeded_run.folder)


def test_the_client_hears_of_each_moment_each_verdict_and_the_progress(ordered):
    assert len(ordered.heard["moment"]) == 8
    assert set(ordered.heard["verdict"]) == set(ordered.heard["moment"])
    assert ordered.progress[0] == "begin"
    assert ordered.progress[-1] == "end"
    assert ordered.progress.count("report") > 4


@pytest.mark.parametrize("how", ["cancel request", "cancel progress"])
async def test_an_ordered_replay_can_be_cancelled(client, tmp_path, how):
    running = asyncio.ensure_future(order(client, tmp_path / "run", limit=None))
    while not client.told["ghosttape/moment"]:
        await asyncio.sleep(0.005)
    if how == "cancel request":
        client.cancel_request(types.CancelParams("the-order"))
    else:
        token = client.progress[0].token
        client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await asyncio.wait_for(running, 60)
    seen = len(client.told["ghosttape/moment"])
    await asyncio.sleep(2)
    assert len(client.told["ghosttape/moment"]) == seen < 50
    with Store.open(tmp_path / "run") as store:
        assert len(list(store.records())) < 50


async def test_a_malformed_order_is_refused_with_the_reason(client):
    params = types.ExecuteCommandParams("ghosttape.replay", [{"tapes": ["nowhere"], "options": {"policy": "psychic"}}])
    with pytest.raises(JsonRpcException, match="nowhere"):
        await client.protocol.send_request_async(types.WORKSPACE_EXECUTE_COMMAND, params)
