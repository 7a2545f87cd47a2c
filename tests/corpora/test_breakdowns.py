"""The figures of an evaluation by the labels of its tasks."""

import pytest

from corpora.corpus import corpus_of
from corpora.evaluation_options import EvaluateOptions
from corpora.labels.labels import CONSTRUCTS
from corpora.run.scores import summary
from replay.numbers.intervals import clustered_share
from replay.records import Ending, Record, Verdict
from server.settings import ProviderSettings, Settings
from tests.support.simcopilot_data import STAIRS_CASES, checkpoints, write

PROGRAM = """import os
# how many steps
limit = {number}

def step(count):
    return count + 1

def walk(height):
    found = []
    for one in range(height):
        if one > limit:
            found.append(step(one))
    return found, os.sep
"""
GAPS = ((6, 6), (9, 9), (10, 12), (11, 11), (12, 12), (13, 13))
MODEL = Settings(provider=ProviderSettings(name="fixed"))


@pytest.fixture
def tasks(tmp_path):
    """Six gaps in each of two programs, as infilling and as completion."""
    programs = [
        (checkpoints(name, GAPS, GAPS), PROGRAM.format(number=number), STAIRS_CASES)
        for number, name in enumerate(("one", "two"))
    ]
    return corpus_of("simcopilot", write(tmp_path, programs)).tasks(
        ("python",), ("infilling", "completion"), packages=False
    )


def names(tasks):
    """A verdict for each task, so that programs differ: in the first all but each third pass."""
    return ["failed" if number % 3 == 0 or "/two/" in task.name else "passed" for number, task in enumerate(tasks)]


def records(tasks):
    return [
        Record(moment=task.moment(), ending=Ending("shown"), verdict=Verdict(name=name))
        for task, name in zip(tasks, names(tasks), strict=True)
    ]


def told(tasks, **more):
    options = EvaluateOptions(corpus="simcopilot", data="", settings=MODEL, **more)
    return summary(options, tasks, records(tasks))["labels"]


LABELS_BY_HAND = {
    "6-6": {"local variable"},
    "9-9": set(),
    "10-12": {"local variable", "global variable", "function", "if condition", "if body", "loop body"},
    "11-11": {"local variable", "global variable", "if condition", "loop body"},
    "12-12": {"local variable", "function", "if body", "loop body"},
    "13-13": {"local variable", "library"},
}


def test_each_construct_is_a_group_with_its_own_share_clustered_by_program(tasks):
    found = {row["group"]: row for row in told(tasks)["constructs"]["all"]}
    assert [*found] == [construct for construct in CONSTRUCTS if construct != "class"]
    for construct, row in found.items():
        own = [
            (task.name.split("/")[2], float(name == "passed"))
            for task, name in zip(tasks, names(tasks), strict=True)
            if construct in LABELS_BY_HAND[task.name.split("/")[-1]]
        ]
        assert (row["tasks"], row["testable"], row["passed"]) == (len(own), len(own), sum(value for _, value in own))
        expected = clustered_share(own)
        assert {name: row["share"][name] for name in expected} == expected
        assert row["share"]["clusters"] == 2


def test_groups_stand_by_language_and_by_cell_too(tasks):
    labels = told(tasks)
    for name in ("constructs", "comment", "reference"):
        assert {row["language"] for row in labels[name]["languages"]} == {"python"}
        cells = labels[name]["cells"]
        assert [row["category"] for row in cells] == sorted((row["category"] for row in cells), reverse=True)
        for whole in labels[name]["all"]:
            parts = [row["tasks"] for row in cells if row["group"] == whole["group"]]
            assert sum(parts) == whole["tasks"]


def test_distances_part_all_tasks_and_say_where(tasks):
    labels = told(tasks)
    assert sum(row["tasks"] for row in labels["comment"]["all"]) == len(tasks)
    assert {row["group"]: row["tasks"] for row in labels["comment"]["all"]} == {"short": 12, "long": 12}
    assert labels["comment"]["borders"] == [
        {"language": "python", "category": category, "up_to": [8.5]} for category in ("infilling", "completion")
    ]
    assert {row["group"]: row["tasks"] for row in labels["reference"]["all"]} == {"short": 20, "none": 4}
    assert labels["reference"]["borders"] == [{"language": "python", "up_to": [10, 30], "from": "paper"}]


def test_an_untestable_task_counts_among_tasks_and_in_no_share(tasks):
    verdicts = ["untestable", *names(tasks)[1:]]
    shown = [
        Record(moment=task.moment(), ending=Ending("shown"), verdict=Verdict(name=name))
        for task, name in zip(tasks, verdicts, strict=True)
    ]
    found = summary(EvaluateOptions(corpus="simcopilot", data="", settings=MODEL), tasks, shown)["labels"]
    row = next(row for row in found["constructs"]["all"] if row["group"] == "local variable")
    assert (row["tasks"], row["testable"], row["share"]["n"], row["share"]["testable"]["n"]) == (20, 19, 19, 20)


def test_of_many_samples_the_first_and_the_last_k_are_given(tasks):
    row = told(tasks, samples=5)["constructs"]["all"][0]
    assert [*row["pass_at_k"]] == ["1", "5"]


def test_where_no_program_runs_no_task_is_labelled(tasks):
    assert told(tasks, tests=False) == {}
