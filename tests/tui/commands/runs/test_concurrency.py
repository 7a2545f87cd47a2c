"""Several questions at once: as many as are allowed, never more, and with the same results."""

import json

import pytest

from tests.support.counting_server import counting_server
from tests.support.devbench_data import instance, write


def named(server):
    return "--provider", "openai", "--base-url", server.url, "--model", "m"


@pytest.fixture
def evaluate(here, tmp_path):
    """Ask a number of tasks of one corpus, without tests."""
    rows = [instance(number, f"    return {number} * x", prefix=f"def f{number}(x):\n") for number in range(40)]
    write(tmp_path / "data", *rows)
    flags = ("--data", "data", "--languages", "python", "--categories", "low_context", "--no-tests")

    def run(server, *words, limit=40):
        return here("evaluate", "devbench", *flags, *named(server), "--limit", str(limit), *words, "--json").json

    return run


def records(here, run):
    """The records of a run, in their order, without what the clock says."""
    found = [json.loads(line) for line in here("records", run).out.splitlines()]
    for record in found:
        for name in ("latency", "first_token"):
            record["suggestion"].pop(name, None)
    return found


def test_eight_questions_are_under_way_and_never_more_with_the_same_results(here, evaluate):
    with counting_server(together=8) as server:
        many = evaluate(server, "--concurrency", "8", "--out", "many")
        assert server.most_in_flight == 8
        assert len(server.asked) == 40
        server.most_in_flight, server.together = 0, 1
        one = evaluate(server, "--out", "one")
        assert server.most_in_flight == 1
    assert records(here, many["run"]) == records(here, one["run"])


def test_under_a_policy_of_time_the_questions_of_a_session_stay_in_order(here):
    with counting_server() as server:
        flags = (*named(server), "--limit", "6", "--no-tests", "--latency", "fixed:80")
        here("replay", "demo", *flags, "--policy", "pause:300", "--concurrency", "8", "--json")
        assert server.most_in_flight == 1
