"""From a tested repository to blocks that its tests notice."""

from __future__ import annotations

from corpora.agent.block_sampling import read_distribution
from corpora.agent.stages import BuiltRepository
from tests.support.block_repository import CODE


def test_chains_say_which_tests_enter_a_function_and_from_where(built: BuiltRepository) -> None:
    assert built.chains is not None
    chains = {one.name: (one.tests, one.callers) for one in built.chains.functions if one.path == "m.py"}
    entered = ("test_m.py::test_entered",)
    assert chains == {
        "helper": (entered, ("m.py#entered",)),
        "entered": (entered, ("test_m.py#test_entered",)),
        "unchecked": (("test_m.py::test_unchecked",), ("test_m.py#test_unchecked",)),
    }


def test_a_block_is_kept_only_if_a_test_that_enters_its_function_fails_without_it(built: BuiltRepository) -> None:
    kept = {CODE[sample.start : sample.end] for sample in built.samples}
    assert kept == {
        "return x * 2",
        "y = helper(x)\n    if x > 100:\n        y = 0\n    return y",
        "y = helper(x)",
        "return y",
        "z = x",  # without it `print(z)` has no name to print
    }
    assert {test for sample in built.samples for test in sample.noticed_by} == {
        "test_m.py::test_entered",
        "test_m.py::test_unchecked",
    }
    assert built.stages["unnoticed"] == 3


def test_one_block_in_five_wants_nothing_inside(built: BuiltRepository) -> None:
    parts = [sample.inner for sample in built.samples]
    assert sum(part is not None and part.start == part.end for part in parts) == 1


def test_the_published_distribution_adds_up_to_any_number() -> None:
    assert read_distribution().wanted(31) == {"METHOD": 3, "IF": 8, "FOR": 6, "TRY": 4, "STATEMENT": 10}
    assert all(sum(read_distribution().wanted(number).values()) == number for number in range(1, 80))
