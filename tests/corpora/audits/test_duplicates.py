"""Near-duplicates of tasks: by hand, and by brute force."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as some

from corpora.audits.duplicates import jaccard, near_duplicates, shape, token_runs, tree_similarity
from corpora.program_tests import ProgramTests
from corpora.tasks import Task

SHAPES = some.text(some.sampled_from("abc"), max_size=7)
LOOP = "total = 0\nfor item in items:\n    if item > 3:\n        total += item\nprint(total)\n"


def task(name, text, language="python"):
    tests = ProgramTests(language)
    return Task("c", name, "k", language, f"{name}.py", text, "", "", tests)


def test_runs_of_four_tokens_by_hand():
    assert token_runs("f(x) + 1") == {("f", "(", "x", ")"), ("(", "x", ")", "+"), ("x", ")", "+", "1")}
    assert token_runs("a b c") == frozenset()


@pytest.mark.parametrize(
    ("one", "other", "index"),
    [("a b c d e", "a b c d f", 1 / 3), ("a b c d", "a b c d", 1), ("a", "a", 0), ("", "a b c d", 0)],
)
def test_the_jaccard_index_by_hand(one, other, index):
    assert jaccard(token_runs(one), token_runs(other)) == pytest.approx(index)


@given(SHAPES, SHAPES)
def test_the_similarity_of_trees_is_that_of_the_longest_common_subsequence(one, other):
    @cache
    def longest(i, j):
        if i == len(one) or j == len(other):
            return 0
        if one[i] == other[j]:
            return 1 + longest(i + 1, j + 1)
        return max(longest(i + 1, j), longest(i, j + 1))

    both = len(one) + len(other)
    assert tree_similarity(one, other) == pytest.approx(2 * longest(0, 0) / both if one and other else 0)


def test_a_shape_knows_neither_names_nor_literals_nor_comments():
    assert shape("python", LOOP) == shape("python", "# sums up\n" + LOOP.replace("item", "x").replace("3", "77"))
    assert shape("cobol", LOOP) == ()


def test_a_copy_with_other_names_is_found_by_its_tree_and_one_with_another_end_by_its_tokens():
    renamed = LOOP.replace("item", "x").replace("total", "s")
    longer = f"{LOOP}class K: x = {{1: (2, [3])}}\n"
    found = near_duplicates(
        [task("a", LOOP), task("b", renamed), task("c", longer), task("d", "import os\nassert os.sep")]
    )
    pairs = {(pair.one, pair.other): pair for pair in found}
    assert pairs["a", "b"].tree == 1
    assert pairs["a", "b"].tokens < 0.5 < pairs["a", "c"].tokens
    assert not any("d" in pair for pair in pairs)


def test_tasks_of_two_languages_are_no_duplicates():
    assert near_duplicates([task("a", "f(1, 2);"), task("b", "f(1, 2);", "java")]) == []
