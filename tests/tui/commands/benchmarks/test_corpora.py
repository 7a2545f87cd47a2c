"""`ghosttape corpora` as a person types it: what there is, the data of a benchmark, and what its tasks are like."""

from functools import partial

import pytest

from tests.support.program import run_here
from tests.support.simcopilot_data import write_stairs


@pytest.fixture
def here(tmp_path):
    return partial(run_here, tmp_path, env={"GHOSTTAPE_DATA": str(tmp_path / "data"), "COLUMNS": "80"})


def test_a_task_whose_empty_gap_passes_is_told_apart(here, tmp_path):
    """Line 7 is a comment, and line 6 is all that the tests look at."""
    data = write_stairs(tmp_path / "own", infilling=[(6, 6), (7, 7)], completion=[(6, 7)])
    words = ["corpora", "audit", "simcopilot", "--data", data, "--languages", "python", "--tests", "--json"]
    found = here(*words, "--out", "run").json
    assert {cell["category"]: (cell["testable"], cell["unnoticed"]) for cell in found["cells"]} == {
        "infilling": (1, 1),
        "completion": (1, 0),
    }
    asked = ["evaluate", "simcopilot", "--data", data, "--languages", "python", "--provider", "fixed", "--json"]
    untested = here(*asked, "--out", "asked").json["untested"]
    assert [(task["task"], task["reason"]) for task in untested] == [("python/infilling/stairs/7-7", "undetected")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["audit", "devbnch"], "there is no corpus 'devbnch' (did you mean 'devbench'?)"),
        (["get", "devbench", "--from", "nowhere"], "nowhere: there is no such folder"),
        (["audit", "devbench", "--data", "nowhere"], "there is no folder `benchmark` in it"),
        (["audit", "simcopilot", "--data", "nowhere"], "there is no folder `example_code` in it"),
        (["gett"], "No such command 'gett'"),
    ],
)
def test_wrong_words_are_told(here, words, said):
    assert said in " ".join(here("corpora", *words, status=2).err.split())
