"""Tests are known by name; those of parametrised tests may be made of what the code under test returns, or be drawn."""

import pytest
import pytest_asyncio

from runners.project import ProjectPlan, prepare
from runners.sandboxes import pick
from runners.verdicts import Result, against_baseline, merge_baselines, restrict_to

CODE = """def tenths():
    return [0.1 * n for n in range(1, 4)]


def makers():
    return [object(), object()]
"""
TESTS = """import os

import pytest

import m


@pytest.mark.parametrize("x", m.tenths())
def test_tenth(x):
    assert abs(10 * x - round(10 * x)) < 1e-9


@pytest.mark.parametrize("made", m.makers(), ids=lambda made: f"<at {os.urandom(8).hex()}>")
def test_made(made):
    assert type(made) is object


def test_other():
    assert m.tenths()
"""


def passed(*names):
    return Result("passed", "", len(names), 0, "", 1.0, frozenset(names))


def cases(*values, test="tests/test_m.py::T::test_x"):
    return [f"{test}[{value}]" for value in values]


def verdict(finished, *names, changed=("m.py",)):
    result = against_baseline(passed(*names), finished, changed)
    return result.verdict_class if result.verdict_class == "passed" else result.message


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def project(cache):
    plan = ProjectPlan(
        "python", ("iniconfig>=2", "pytest>=8"), command="python -m pytest -q -p no:cacheprovider", timeout_s=90.0
    )
    made = await prepare({"m.py": CODE, "test_m.py": TESTS}, plan, pick(), cache, lambda _: None)
    yield made
    made.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def finished(project):
    return merge_baselines(await project.run({}), await project.run({}))


@pytest.mark.asyncio(loop_scope="module")
async def test_the_finished_project_has_names_of_both_kinds(finished):
    assert "test_m.py::test_tenth[0.30000000000000004]" in finished.tests
    assert [name.partition(" ")[0] for name in finished.varying] == ["test_m.py::test_made[<at"] * 2


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("0.1 * n", "n / 10", ""),  # the third is called 0.3
        ("range(1, 4)", "range(1, 3)", "not test_m.py::test_tenth[0.30000000000000004]"),
        (
            "0.1 * n for n in range(1, 4)",
            "n / 10 for n in range(1, 5)",
            "not test_m.py::test_tenth[0.30000000000000004]",
        ),
        ("[object(), object()]", "[object()]", "not test_m.py::test_made[<at"),
        ("[object(), object()]", "[]", "not test_m.py::test_made[<at"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_graft_may_change_names_but_not_how_many_tests_there_are(project, finished, before, after, message):
    result = against_baseline(await project.run({"m.py": CODE.replace(before, after)}), finished, ["m.py"])
    assert result.verdict_class == ("failed" if message else "passed"), result
    assert message in result.message


def test_a_case_by_another_name_counts_where_all_cases_of_its_test_passed():
    finished = merge_baselines(passed(*cases("a", "b"), "test_y"), passed(*cases("a", "b"), "test_y"))
    assert verdict(finished, *cases("a", "c"), "test_y") == "passed"
    assert verdict(finished, *cases("[::c]", "a.py::b[0]"), "test_y") == "passed"
    assert verdict(finished, *cases("a"), "test_y", "test_z").endswith(
        f"2 of the project's 3 tests ran: not {cases('b')[0]}"
    )
    assert verdict(finished, *cases("a", "c", "d"), "test_y") != "passed"  # it is not the same list of cases


@pytest.mark.parametrize(
    "others",
    [
        cases("c", test="tests/test_m.py::T::test_z"),
        cases("c", test="tests/test_n.py::T::test_x"),
        ["tests/test_m.py::T::test_x"],
        ["tests/test_m.py::T::test_x[c"],
    ],
)
def test_a_case_of_another_test_does_not_count(others):
    finished = passed(*cases("a", "b"))
    assert verdict(finished, *cases("a"), *others).endswith(cases("b")[0])


def test_a_test_without_cases_is_known_by_its_name_alone():
    assert verdict(passed("a.py::test_x"), "a.py::test_y").endswith("not a.py::test_x")
    assert verdict(passed("a.test.ts > gives [1]"), "a.test.ts > gives [2]").endswith("not a.test.ts > gives [1]")
    assert verdict(passed("T adds[1]"), "T adds[2]").endswith("not T adds[1]")


@pytest.mark.parametrize("changed", [["tests/test_m.py"], ["m.py", "inner/tests/test_m.py"], None])
def test_cases_in_the_changed_file_keep_their_names(changed):
    finished = passed(*cases("a", "b"))
    assert verdict(finished, *cases("a", "c"), changed=changed) != "passed"
    assert verdict(finished, *cases("a", "c"), changed=["other_tests/test_m.py.bak"]) == "passed"


def test_drawn_names_count_by_their_number_with_every_runner():
    finished = merge_baselines(passed("a.test.ts > is 0x1", "b"), passed("a.test.ts > is 0x2", "b"))
    assert (finished.tests, finished.varying) == ({"b"}, {"a.test.ts > is 0x1"})
    assert verdict(finished, "a.test.ts > is 0x3", "b") == "passed"
    assert verdict(finished, "b") == "only 1 of the project's 2 tests ran: not a.test.ts > is 0x1"
    assert verdict(finished, "a.test.ts > is 0x3", "c").endswith("not b")


def test_drawn_names_of_which_there_is_no_certain_number_are_left_out():
    finished = merge_baselines(passed("is 1", "is 2", "b"), passed("is 3", "b"))  # two bore the same name
    assert (finished.tests, finished.varying) == ({"b"}, frozenset())


def test_other_cases_do_not_stand_in_for_those_with_drawn_names():
    drawn = "tests/test_m.py::test_drawn"
    finished = merge_baselines(passed(*cases(1, 2, test=drawn), "b"), passed(*cases(3, 4, test=drawn), "b"))
    assert verdict(finished, *cases(5, 6, test=drawn), "b") == "passed"
    assert verdict(finished, *cases(5, test=drawn), *cases("a"), "b", "c").endswith(
        f"2 of the project's 3 tests ran: not {drawn}[1]"
    )


def test_of_some_tests_only_their_own_names_are_expected():
    finished = merge_baselines(passed(*cases("a", "0x1"), "b"), passed(*cases("a", "0x2"), "b"))
    only = restrict_to(finished, frozenset(cases("a")))
    assert (only.tests, only.varying) == (set(cases("a")), frozenset())
    assert restrict_to(finished, frozenset(cases("0x1"))).varying == set(cases("0x1"))
