"""A provider that fails again and again stops the run, or makes it wait."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from replay.errors import ProviderFailsError
from replay.run import guard
from replay.run.events import Note, Stalled
from replay.run.guard import PAUSES_S, FailureGuard, guard_of
from replay.run.store import Store
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

AWAY = "h:80: no connection (refused)"


def halted(own, *failures):
    return [own.is_halted(failed) for failed in failures]


def test_five_failures_of_one_kind_in_a_row_halt_a_run_that_is_watched():
    own = FailureGuard(waits=True, keeps_going=False)
    assert halted(own, *[AWAY] * 4) == [False] * 4
    assert halted(own, "", *[AWAY] * 4, "h:80 answered 500: no", *[AWAY] * 4) == [False] * 10
    assert halted(own, AWAY, AWAY, "", AWAY) == [True, True, False, False]


def test_reasons_that_differ_in_a_number_alone_are_of_one_kind():
    own = FailureGuard(waits=True, keeps_going=False)
    reasons = [f"h:80 answered 500: request req_{number}f{number} failed after {number}.5 s" for number in range(5)]
    assert halted(own, *reasons) == [False] * 4 + [True]


def test_the_pauses_grow_to_a_few_minutes():
    own = FailureGuard(waits=True, keeps_going=False)
    found = [own.pause_s for _ in range(20) if own.is_halted(AWAY)]
    assert found[: len(PAUSES_S)] == list(PAUSES_S) == sorted(PAUSES_S)
    assert 120 <= found[-1] <= 300


def test_where_nobody_waits_the_run_ends_with_the_reason_and_what_to_do():
    own = FailureGuard(keeps_going=False, remedy=lambda reason: f"mend {reason[:1]}")
    halted(own, *[AWAY] * 4)
    said = r"5 questions in a row failed: h:80: no connection \(refused\): mend h"
    with pytest.raises(ProviderFailsError, match=said):
        own.is_halted(AWAY)


@pytest.mark.parametrize(
    ("options", "guarded"),
    [
        ({"settings": {"provider": {"name": "openai"}}}, True),
        ({"settings": {"provider": {"name": "gguf"}}}, True),
        ({"settings": {"provider": {"name": "openai"}}, "keep_going": True}, False),
        ({"settings": {"provider": {"name": "openai", "record": {"path": "a", "mode": "require"}}}}, False),
        ({"settings": {"provider": {"name": "recorded"}}}, False),
        ({"settings": {"provider": {"name": "oracle"}}}, False),
    ],
)
def test_what_comes_from_a_record_is_not_waited_for(options, guarded):
    own = guard_of(options_of(**options), waits=True)
    assert halted(own, *[AWAY] * 5)[-1] is guarded


@asynccontextmanager
async def answering(plan):
    """The base URL of a server that answers with the statuses of a plan, and then as a model does."""

    async def met(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
        status = plan.pop(0) if plan else 200
        pieces = [{"choices": [{"text": "return x + 1"}]}, {"choices": [{"text": "", "finish_reason": "stop"}]}]
        stream = b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in pieces)
        kind, body = (b"text/event-stream", stream) if status == 200 else (b"application/json", b"{}")
        head = b"HTTP/1.1 %d X\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        writer.write(head % (status, kind, len(body)) + body)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(met, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    server.close()


def played(base_url, folder, heard, *, waits=False, **options):
    settings = {"provider": {"name": "openai", "base_url": base_url, "model": "m", "tries": 1, "api": "completions"}}
    tape = Typist().type("".join(f"def f{n}(x):\n    return x + {n}\n" for n in range(8))).tape()
    chosen = options_of(settings=settings, tests=False, sandbox="none", latency="fixed:0", **options)
    return run([tape], folder, chosen, heard, cache=folder.parent / "cache", waits=waits)


def endings(folder):
    with Store.open(folder) as store:
        return [record.ending.name for record in store.records()]


async def test_a_run_that_ended_so_asks_the_same_questions_again_and_loses_nothing(tmp_path):
    async with answering([]) as url:
        whole = await played(url, tmp_path / "whole", [])
    async with answering([200] * 4 + [500] * 5) as url:  # the first is the question of the probe
        with pytest.raises(ProviderFailsError, match=r"5 questions in a row failed: .*answered 500.*own log"):
            await played(url, tmp_path / "run", [])
        assert endings(tmp_path / "run").count("failed") == 4
        again = await played(url, tmp_path / "run", [])
    assert again["endings"] == whole["endings"]
    assert "failed" not in endings(tmp_path / "run")
    assert len(endings(tmp_path / "run")) == len(endings(tmp_path / "whole")) == whole["moments"]


async def test_a_run_that_is_watched_says_why_it_waits_goes_on_by_itself_and_asks_again_what_had_failed(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(guard, "PAUSES_S", (0.02, 0.03))
    heard = []
    async with answering([]) as url:
        whole = await played(url, tmp_path / "whole", [])
    async with answering([200] * 3 + [500] * 7) as url:
        summary = await played(url, tmp_path / "run", heard, waits=True)
    stalls = [event for event in heard if isinstance(event, Stalled)]
    assert [event.pause_s for event in stalls] == [0.02, 0.03, 0.03]
    assert all("answered 500" in event.reason and "log" in event.remedy for event in stalls)
    assert (summary["endings"], summary["moments"]) == (whole["endings"], whole["moments"])
    assert endings(tmp_path / "run") == endings(tmp_path / "whole")
    assert [event.text for event in heard if isinstance(event, Note) and event.source == "model server"] == [
        "it answers again, and what failed before is asked again"
    ]


async def test_what_failed_without_a_wait_is_not_asked_again_in_the_same_run(tmp_path, monkeypatch):
    monkeypatch.setattr(guard, "PAUSES_S", (0.02,))
    async with answering([200] * 3 + [500] * 4) as url:
        summary = await played(url, tmp_path / "run", [], waits=True)
    assert summary["endings"]["failed"] == 4


async def test_with_keep_going_every_moment_is_asked_and_nothing_is_probed(tmp_path):
    async with answering([500] * 6) as url:
        summary = await played(url, tmp_path / "run", [], keep_going=True)
    assert summary["endings"]["failed"] == 6


async def test_a_provider_that_refuses_every_question_leaves_no_run_and_the_same_folder_is_free(tmp_path):
    async with answering([401, 401]) as url:
        with pytest.raises(ProviderFailsError, match="GHOSTTAPE_API_KEY"):
            await played(url, tmp_path / "run", [])
    assert not (tmp_path / "run").exists()
    async with answering([500] * 6) as wrong, answering([]) as right:
        with pytest.raises(ProviderFailsError):
            await played(wrong, tmp_path / "run", [])
        summary = await played(right, tmp_path / "run", [])
    assert "failed" not in summary["endings"]
