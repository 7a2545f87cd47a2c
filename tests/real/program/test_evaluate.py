"""`ghosttape evaluate` as a person types it: the benchmark itself, published answers, and what can be wrong."""

import os
import re
import signal
import subprocess
from collections import Counter

import pytest

from replay.run.store import Store
from tests.support.devbench_data import instance, publish, write
from tests.support.places import SCRIPT

FIVE = ("python", "javascript", "typescript", "java", "cpp")


@pytest.fixture
def evaluate(ghosttape, tmp_path, need):
    """Evaluate a corpus with words; the results that are kept are the test's own."""
    need("bwrap")

    def run(data, *words, **more):
        return ghosttape("evaluate", "devbench", "--data", data, *words, "--no-packages", **more)

    return run


@pytest.fixture
def small(tmp_path):
    """A benchmark of five Python tasks: one is sound, and each of the others has a fault of its own."""
    data = tmp_path / "data"
    sound = {"prefix": "def double(x):\n", "suffix": "\nassert double(2) == 4", "assertions": "assert double(3) == 6"}
    write(
        data,
        instance(1, "    return 2 * x", **sound),
        instance(2, "    return 2 * torch.ones(x)", **{**sound, "prefix": "import torch\ndef double(x):\n"}),
        instance(3, "urllib.request.urlopen('http://example.com')", prefix="import urllib.request\n"),
        instance(4, "    return 3 * x", **sound),
        instance(5, "y = 2", prefix="x = 1\n", suffix="assert x == 1"),
    )
    publish(
        data,
        "ada",
        {
            "1": ["    return x + x", "    return x", "    return 2 * x"],
            "2": ["    pass"] * 3,
            "3": ["pass"] * 3,
            "4": ["    return 2 * x"] * 3,
            "5": ["y = 3"] * 3,
        },
    )
    return data


def test_the_ground_truth_of_the_benchmark_passes_in_five_languages(evaluate, shared, need):
    need("node", "npm", "javac", "g++")
    words = [
        "--provider",
        "oracle",
        "--languages",
        ",".join(FIVE),
        "--categories",
        "low_context",
        "--limit",
        "10",
        "--seed",
        "1",
    ]
    told = evaluate(shared, *words, "--json").json
    assert {row["language"]: row["tasks"] for row in told["languages"]} == dict.fromkeys(FIVE, 2)
    assert told["verdicts"] == {"passed": 10}, told["failures"]
    assert told["endings"] == {"shown": 10}
    assert told["self_contained"]["value"] == 1.0
    assert told["left_out"] == []


ONE = ["--published", "ada", "--languages", "python", "--categories", "low_context"]
ADA = [*ONE, "--samples", "3"]


def test_an_interrupted_evaluation_keeps_what_was_done_and_goes_on(evaluate, small, tmp_path):
    words = [*ADA, "--out", "run", "--json"]
    [file] = small.rglob("low_context.jsonl")
    slow = file.read_text().replace(r'"x = 1\n"', r'"import time\ntime.sleep(4)\nx = 1\n"')
    assert "sleep" in slow
    file.write_text(slow)  # it is not over before the signal comes
    process = subprocess.Popen(
        [SCRIPT, "evaluate", "devbench", "--data", str(small), *words, "--no-packages"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "GHOSTTAPE_CACHE": str(tmp_path / "cache")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell in the background ignores it
    )
    for line in process.stderr:
        if re.search(r"devbench: \d+ of \d+ ", line):
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith(
        "ghosttape: interrupted; what was finished is kept in run:\n  ghosttape tui run\n"
        "The same command with --out run goes on from there.\n"
    )
    assert not list(tmp_path.glob("ghosttape-*"))
    with Store.open(tmp_path / "run") as store:
        kept = {record.moment.id for record in store.records()}
    assert kept
    assert evaluate(small, *words).json["moments"] == 15


def test_every_published_answer_is_asked_for_in_its_turn(evaluate, shared):
    words = ["--published", "Ministral-3B", "--samples", "2", "--languages", "python", "--no-tests", "--limit", "6"]
    told = evaluate(shared, *words, "--out", "run", "--json").json
    assert told["moments"] == 12
    assert told["metrics"]["latency_ms"]["p50"] is None, "no model was asked"
    table = evaluate(shared, *words, "--out", "run").out
    assert "6 tasks of devbench; no program ran (--no-tests)." in table
    assert "not run" not in table
    assert "Latency" not in table
    assert Counter(one["category"] for one in told["cells"]) == Counter(row["category"] for row in told["categories"])
