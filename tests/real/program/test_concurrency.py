"""Several questions at once: as many as are allowed, never more, at the rate that is allowed, and with the same results."""

import json
import time

import pytest

from tests.support.counting_server import counting_server
from tests.support.devbench_data import instance, write


@pytest.fixture
def evaluate(ghosttape, tmp_path):
    """Ask a number of tasks of one corpus, without tests."""
    rows = [instance(number, f"    return {number} * x", prefix=f"def f{number}(x):\n") for number in range(40)]
    write(tmp_path / "data", *rows)
    flags = ("--data", "data", "--languages", "python", "--categories", "low_context", "--no-tests")

    def run(server, *words, limit=40):
        provider = ("--provider", "openai", "--base-url", server.url, "--model", "m")
        return ghosttape("evaluate", "devbench", *flags, *provider, "--limit", str(limit), *words, "--json").json

    return run


def records(ghosttape, run):
    """The records of a run, in their order, without what the clock says."""
    found = [json.loads(line) for line in ghosttape("records", run).out.splitlines()]
    for record in found:
        for name in ("latency", "first_token"):
            record["suggestion"].pop(name, None)
    return found


def test_places_on_tapes_are_asked_at_once_with_the_same_results(ghosttape):
    with counting_server(latency_s=0.3) as server:
        flags = (
            "--provider",
            "openai",
            "--base-url",
            server.url,
            "--model",
            "m",
            "--limit",
            "10",
            "--no-tests",
            "--latency",
            "fixed:80",
        )
        many = ghosttape("replay", "demo", *flags, "--concurrency", "4", "--json").json
        assert server.most_in_flight == 4
        asked, server.prompts = server.asked, []
        one = ghosttape("replay", "demo", *flags, "--json").json
        assert sorted(server.asked) == sorted(asked)
    assert records(ghosttape, many["run"]) == records(ghosttape, one["run"])


def test_a_rate_is_kept_in_every_window_and_is_no_part_of_the_latency(evaluate):
    settings = json.dumps({"provider": {"requests_per_minute": 240}})
    with counting_server() as server:
        began = time.monotonic()
        summary = evaluate(server, "--concurrency", "8", "--settings", settings, limit=36)
        assert time.monotonic() - began > 3.0  # 24 at once, and then 3.6 a second
        assert len(server.asked) == 36
    assert summary["metrics"]["latency_ms"]["p99"] < 1000


def test_a_retry_after_holds_back_all_questions_and_none_is_lost(evaluate):
    with counting_server(most_in_window=6, window_s=1.0, retry_after="1") as server:
        summary = evaluate(server, "--concurrency", "8", limit=20)
        assert summary["endings"].get("failed", 0) == 0
        assert server.refused
        # a refusal holds back those that come later: without that, each of 20 questions is refused in every window
        assert len(server.refused) <= 24
