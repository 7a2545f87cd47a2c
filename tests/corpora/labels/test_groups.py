"""Tasks in groups by their labels, beside numpy's quantiles and the paper's borders."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.labels.groups import GROUPS, NONE, Borders, LabelledTask
from corpora.labels.labels import CONSTRUCTS, Labels


def task(comment=None, reference=None, language="cpp", category="x", constructs=()):
    return LabelledTask(language, category, Labels(frozenset(constructs), comment, reference))


def groups_of(tasks, name):
    borders = Borders.of(tasks)
    return [list(borders.groups(one, name)) for one in tasks]


def test_a_task_is_in_each_of_its_constructs_in_their_own_order():
    one = task(constructs=("loop body", "function", "local variable"))
    assert groups_of([one, task()], "constructs") == [["local variable", "function", "loop body"], []]


def test_a_comment_at_the_median_is_near_as_in_the_published_script():
    """`get_comment_dist.ipynb` (`classify_abs_diff`): up to the border is short, beyond it long."""
    tasks = [task(comment=lines) for lines in (1, 2, 3, 3, 9)] + [task()]
    assert groups_of(tasks, "comment") == [["short"]] * 4 + [["long"], [NONE]]


def test_the_median_is_one_of_the_tasks_of_a_language_and_a_category():
    tasks = [task(comment=5, category="a"), task(comment=7, category="a"), task(comment=7, category="b")]
    tasks += [task(comment=7, language="go", category="a"), task(comment=8, language="go", category="a")]
    assert [group for (group,) in groups_of(tasks, "comment")] == ["short", "long", "short", "short", "long"]
    assert [one["up_to"] for one in Borders.of(tasks).told("comment")] == [[6.0], [7.0], [7.5]]


@pytest.mark.parametrize(
    ("language", "lines", "group"),
    [
        ("python", 10, "short"),
        ("python", 11, "medium"),
        ("python", 30, "medium"),
        ("python", 31, "long"),
        ("java", 30, "short"),
        ("java", 31, "medium"),
        ("java", 100, "medium"),
        ("java", 101, "long"),
        ("java", None, NONE),
    ],
)
def test_references_of_python_and_java_have_the_borders_of_table_3(language, lines, group):
    assert groups_of([task(reference=lines, language=language)], "reference") == [[group]]
    told = Borders.of([task(reference=1, language=language)]).told("reference")
    assert [one["from"] for one in told] == ["paper"]


@given(st.lists(st.integers(0, 300), min_size=1, max_size=40))
def test_references_of_other_languages_are_parted_by_terciles_of_their_tasks(lines):
    tasks = [task(reference=one) for one in lines]
    first, second = np.quantile(lines, [1 / 3, 2 / 3])
    told = Borders.of(tasks).told("reference")
    assert [one["from"] for one in told] == ["tasks"]
    assert told[0]["up_to"] == pytest.approx([first, second])
    borders = told[0]["up_to"]
    expected = ["short" if one <= borders[0] else "medium" if one <= borders[1] else "long" for one in lines]
    assert [group for (group,) in groups_of(tasks, "reference")] == expected


def test_terciles_part_tasks_in_three_groups_of_like_size():
    tasks = [task(reference=lines) for lines in range(90)]
    assert Counter(group for (group,) in groups_of(tasks, "reference")) == {"short": 30, "medium": 30, "long": 30}


def test_every_group_has_a_name_that_is_known():
    assert GROUPS["constructs"] == CONSTRUCTS
    assert Borders.of([task()]).told("constructs") == []
    assert groups_of([task()], "reference") == groups_of([task()], "comment") == [[NONE]]
