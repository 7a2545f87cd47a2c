"""Our labels beside the records of an analyser, which here is one of the tests' own, over a program of the tests' own."""

import json
import sys

import pytest

from corpora.corpus import corpus_of
from tools.labels.beside import TABLE_1, BothSides, analysed

PROGRAM = """import os
limit = 3

def walk(height):
    found = []
    for one in range(height):
        if one > limit:
            found.append(one)
    return found, os.sep
"""
ANALYSER = """
class DependencyAnalyzer:
    def __init__(self, source, first, last, short, medium):
        assert (first, last, short, medium) == (1, source.count("\\n") + 1, 10, 30)

    def analyze_dependencies(self, path, read, save):
        assert path.endswith("stairs.py") and not read and not save
        print("noise")
        use = dict(usage_line=8, def_line=5, scope_type="local", var_name="found")
        names = [use, {**use, "usage_line": 9}, dict(usage_line=9, def_line=1, scope_type="library", var_name="os"), {**use, "scope_type": "builtin"}]
        heads = [dict(usage_line=6, reason_category="Define Stop Criteria"), dict(usage_line=7, reason_category="If-else Reasoning")]
        return heads, names, [], []
"""


@pytest.fixture
def copy(tmp_path):
    code = tmp_path / "example_code"
    (code / "Python" / "stairs").mkdir(parents=True)
    (code / "Java").mkdir()
    gaps = {"checkpoint_LN_infilling": [[7, 7], [8, 8], [9, 9]], "checkpoint_LN_Completion": []}
    (code / "Python" / "Python_tasks_checkpoints.json").write_text(
        json.dumps([{"Task_Name": "stairs", "output_to_check": "final_output", **gaps}])
    )
    (code / "Java" / "Java_tasks_checkpoints.json").write_text("[]")
    paths = {"Python": {"stairs": "./example_code/Python/stairs/stairs"}, "Java": {}}
    (code / "tasks_path.json").write_text(json.dumps(paths))
    (code / "Python" / "stairs" / "stairs.py").write_text(PROGRAM)
    (code / "Python" / "stairs" / "stairs.json").write_text(json.dumps({"test_case1": "", "expected_output1": ""}))
    (tmp_path / "dependency_analyzer").mkdir()
    (tmp_path / "dependency_analyzer" / "analyzer.py").write_text(ANALYSER)
    return tmp_path


@pytest.fixture
def sides(copy):
    corpus = corpus_of("simcopilot", copy)
    tasks = corpus.tasks(corpus.languages, corpus.categories, packages=False)
    return BothSides.of(tasks, analysed(copy, sys.executable))


def test_a_task_has_the_records_of_its_lines(sides):
    assert [list(found.items()) for found in sides.theirs.values()] == [
        [("if condition", ["line 7"]), ("if body", ["line 7"])],
        [("local variable", ["found 8 → 5"])],
        [("local variable", ["found 9 → 5"]), ("library", ["os 9 → 1"])],
    ]


def test_each_construct_has_its_number_of_tasks_by_paper_analyser_and_labels(sides):
    lines = {line.split(" |")[0]: line for line in sides.counts()}
    assert lines["| local variable"].startswith(
        f"| local variable | {TABLE_1['python', 'infilling'][0]} / 2 / 3 | 206 / 0 / 0 |"
    )
    assert lines["| loop body"].startswith("| loop body | 72 / 0 / 2 | 49 / 0 / 0 |")


def test_agreement_is_counted_by_construct(sides):
    """Ours has the local variable of line 7 too; of (yes, yes) twice and (yes, no) once chance explains all."""
    lines = {line.split(" |")[0]: line for line in sides.agreement("python")}
    assert lines["| local variable"] == "| local variable | 2 | 1 | 0 | 0 | 0.00 |"
    assert lines["| library"] == "| library | 1 | 0 | 0 | 2 | 1.00 |"
    assert lines["| class"] == "| class | 0 | 0 | 0 | 3 |  |"
    assert lines["| if condition"] == "| if condition | 1 | 0 | 0 | 2 | 1.00 |"


def test_differences_are_named_with_the_side_that_stands_alone(sides):
    (one,) = sides.differences("python", "local variable")
    assert one.startswith("local variable, ours alone: python/infilling/stairs/7-7")
    assert [line.split(":")[0] for line in sides.differences("python", "if body")] == [
        "if body, theirs alone",
        "if body, ours alone",
    ]
    assert list(sides.differences("java", "if body")) == []
