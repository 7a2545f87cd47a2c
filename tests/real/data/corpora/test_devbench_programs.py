"""All of DevBench's programs as problems."""

import json
from collections import Counter

import pytest

from corpora.standalone import read_problems


@pytest.fixture(scope="module")
def read(shared):
    return read_problems(shared)


def rows(shared, language):
    paths = sorted((shared / "devbench/benchmark" / language).glob("*/*.jsonl"))
    lines = (line for path in paths for line in path.read_text("utf-8").splitlines() if line.strip())
    return [json.loads(line) for line in lines]


def test_programs_with_hidden_assertions_are_problems_and_all_others_are_named(read, shared):
    expected = Counter(
        language
        for language in ("python", "javascript")
        for row in rows(shared, language)
        if row["assertions"].strip() and not (language == "python" and row["assertions"].strip("\n")[0] in " \t")
    )
    assert Counter(one.language for one in read.problems) == expected
    assert len(read.problems) + len(read.left_out) == 900
    assert sum(name.startswith("devbench/java/") for name in read.left_out) == 300


def test_a_model_gets_the_program_with_its_gap_and_neither_the_truth_nor_the_assertions(read, shared):
    by_name = {one.name: one for one in read.problems}
    for row in rows(shared, "javascript"):
        one = by_name.get(
            f"devbench/javascript/{row['testsource'].removeprefix('devbench-').replace('-', '_')}/{row['id']}"
        )
        if one is not None:
            assert row["prefix"] in one.request
            assert row["suffix"].rstrip() in one.request
            assert row["golden_completion"] in one.reference
            assert one.tests == row["assertions"]
