"""`ghosttape evaluate` as a person types it: the benchmark itself, published answers, and what can be wrong."""

import os
from pathlib import Path

import pytest

from replay.run.store import Store
from tests.support.devbench_data import instance, publish, write

FIGURES = {"tasks", "testable", "passed", "share", "pass_at_k", "why_untestable"}
SHARE = {"value", "low", "high", "n", "clusters", "design_effect"}


@pytest.fixture
def evaluate(here, tmp_path, need):
    """Evaluate a corpus with words; the results that are kept are the test's own."""
    need("bwrap")

    def run(data, *words, **more):
        return here("evaluate", "devbench", "--data", data, *words, "--no-packages", **more)

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


def test_each_failure_of_the_ground_truth_is_explained(evaluate, small, tmp_path):
    told = evaluate(
        small, "--provider", "oracle", "--languages", "python", "--categories", "low_context", "--json"
    ).json
    assert {failure["task"][-1]: failure["cause"] for failure in told["failures"]} == {
        "2": "missing-library torch",
        "3": "network",
        "4": "wrong-golden assertion",
    }
    assert (told["testable"], told["passed"]) == (5, 2)
    assert told["self_contained"]["n"] == 3
    assert {key: set(told[key]) for key in ("share", "self_contained")} == {
        "share": SHARE | {"testable"},
        "self_contained": SHARE,
    }
    for row in (told, *told["cells"], *told["languages"], *told["categories"]):
        assert set(row) >= FIGURES


ONE = ["--published", "ada", "--languages", "python", "--categories", "low_context"]
ADA = [*ONE, "--samples", "3"]


def test_published_answers_count_where_the_tests_mean_something_and_the_run_holds_them_all(evaluate, small, tmp_path):
    told = evaluate(small, *ADA, "--out", "run", "--json").json
    assert {one["task"][-1]: (one["reason"], one["cause"]) for one in told["untested"] if one["sample"] == 0} == {
        "2": ("broken-baseline", "missing-library torch"),
        "3": ("broken-baseline", "network"),
        "4": ("broken-baseline", "wrong-golden assertion"),
        "5": ("undetected: filler", ""),
    }
    assert (told["tasks"], told["testable"], told["passed"]) == (5, 1, 1)
    assert {k: round(share["value"], 3) for k, share in told["pass_at_k"].items()} == {"1": 0.667, "2": 1.0, "3": 1.0}
    counted = {"broken": 3, "unnoticed": 1, "empty": 0, "not_run": 0}
    assert {key: told[key] for key in counted} == counted
    share = told["as_published"]["share"]  # without torch nothing passes; three of the other tasks pass with anything
    assert (share["value"], share["n"]) == (pytest.approx((2 / 3 + 0 + 1 + 1 + 1) / 5), 5)
    (failure,) = told["failures"]
    assert (failure["sample"], failure["verdict"]) == (1, "assertion")
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
    assert len(records) == 15
    (failed,) = [record for record in records if record.verdict.name == "assertion"]
    assert (failed.moment.path, failed.moment.sample) == ("python/low_context/1.py", 1)
    assert failed.verdict.program == (
        "import os\nimport asyncio\n\ndef double(x):\n\n    return x\n\nassert double(2) == 4\n\n# Run assertions\nassert double(3) == 6\n"
    )
    assert "AssertionError" in failed.verdict.log


def test_the_same_command_goes_on_where_a_run_was_stopped(evaluate, small, tmp_path):
    words = [*ONE, "--out", "run", "--json"]
    first = evaluate(small, *words).json
    with Store.open(tmp_path / "run") as store:
        records = list(store.records())
        store._db.execute("DELETE FROM records WHERE number % 2 = 0")
        store._db.commit()
        left = {record.moment.id for record in store.records()}
    again = evaluate(small, *words)
    with Store.open(tmp_path / "run") as store:
        latencies = {record.moment.id: record.suggestion.latency for record in store.records()}
    for record in records:  # what was there was not asked again
        assert (latencies[record.moment.id] == record.suggestion.latency) == (record.moment.id in left)
    same = ("share", "pass_at_k", "cells", "failures", "untested", "verdicts", "endings")
    assert {key: again.json[key] for key in same} == {key: first[key] for key in same}


def test_a_folder_with_another_run_is_not_written_over(evaluate, small):
    evaluate(small, *ONE, "--no-tests", "--out", "run", "--json")
    done = evaluate(small, *ONE, "--no-tests", "--seed", "7", "--out", "run", "--json", status=2)
    assert "run holds a run of another configuration" in done.err


def test_any_provider_answers_through_the_language_server(evaluate, small):
    words = [
        "--provider",
        "fixed",
        "--text",
        "    return x * 2",
        "--languages",
        "python",
        "--categories",
        "low_context",
    ]
    told = evaluate(small, *words, "--json").json
    assert (told["testable"], told["passed"]) == (1, 1)
    assert "as_published" not in told
    told = evaluate(small, *words, "--all-tasks", "--json").json
    assert (told["testable"], told["passed"]) == (1, 1)
    assert told["as_published"]["share"]["value"] == pytest.approx(2 / 5)  # tasks 1 and 4


def test_without_tests_nothing_is_run(evaluate, small):
    words = ["--provider", "ngram", "--no-tests", "--languages", "python", "--categories", "low_context", "--json"]
    told = evaluate(small, *words).json
    assert (told["moments"], told["verdicts"], told["testable"]) == (5, {}, 0)


def test_a_language_without_its_toolchain_is_left_out_and_named(evaluate, small):
    write(small, instance(1, "y = 2;", prefix="int x = 1;", language="c_sharp"), language="csharp")
    words = ["--provider", "oracle", "--languages", "python,c_sharp", "--categories", "low_context", "--json"]
    path = os.pathsep.join(
        part for part in os.environ["PATH"].split(os.pathsep) if not (Path(part) / "dotnet").exists()
    )
    told = evaluate(small, *words, env={"PATH": path}).json
    assert [(one["tape"], one["why"]) for one in told["left_out"]] == [("devbench csharp", "lacking")]
    assert told["tasks"] == 5
    (cell,) = told["apart"]
    assert (cell["language"], cell["category"], cell["tasks"]) == ("csharp", "low_context", 1)
    assert cell["reason"] == told["left_out"][0]["reason"]
    only = ["--provider", "oracle", "--languages", "csharp", "--categories", "low_context", "--json"]
    evaluate(small, *only, env={"PATH": path}, status=3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["devbench", "--data", "nowhere"], "nowhere: there is no folder `benchmark` in it"),
        (
            ["humaneval", "--data", "data"],
            "there is no corpus 'humaneval': choose one of codev, devbench, mined, simcopilot",
        ),
        (["devbench"], "--data"),
        (["devbench", "--data", "data", "--languages", "cobol"], "no language is called 'cobol'"),
        (["devbench", "--data", "data", "--categories", "hard"], "no category is called 'hard'"),
        (
            ["devbench", "--data", "data", "--provider", "fixed", "--languages", "java"],
            "api_usage.jsonl: cannot be read",
        ),
        (["devbench", "--data", "data", "--samples", "0"], "--samples"),
        (["devbench", "--data", "data", "--workers", "lukewarm"], "workers"),
        (["devbench", "--data", "data", "--provider", "oracle", "--published", "ada"], "--published takes the answers"),
        (["devbench", "--data", "data", "--provider", "crystal-ball"], "crystal-ball"),
    ],
)
def test_wrong_use_ends_with_status_2_and_says_what_is_wrong(here, small, words, said):
    done = here("evaluate", *words, status=2)
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert done.out == ""


def test_a_malformed_line_is_named(here, small):
    file = write(small, instance(1, "b"), '{"id": 2}', category="api_usage")
    words = ["--languages", "python", "--categories", "api_usage", "--provider", "fixed"]
    done = here("evaluate", "devbench", "--data", small, *words, status=2)
    assert f"{file}:2: is no record of DevBench" in done.err


def test_a_model_that_published_nothing_is_refused(evaluate, small):
    words = ["--published", "bob", "--languages", "python", "--categories", "low_context"]
    assert (
        "no answers of a model 'bob' were published here: there are those of ada"
        in evaluate(small, *words, status=2).err
    )
