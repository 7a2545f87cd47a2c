"""Two runs whose suggestions were checked against instructions: paired differences, beside McNemar's test and counts by hand."""

import random

import pytest
from msgspec import structs
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from replay.numbers.comparison import ComparedRun, compare
from replay.records import Verdict
from tests.support.tapes import record_of

CONFIG = {"instructions": ["a", "b"], "sources": {"small": "1"}}


def record(number, name="passed", sample=0, **said):
    found = record_of(number, "shown", name)
    moment = structs.replace(found.moment, hole=f"a.py:{number}", sample=sample)
    return structs.replace(found, moment=moment, verdict=Verdict(name=name, instructions=said))


def compared(first, second, *, ours=CONFIG, theirs=CONFIG):
    found = compare(ComparedRun("A", ours, first), ComparedRun("B", theirs, second), "hole", 0.05)
    told = {name: {one["metric"]: one for one in found[name]} for name in ("metrics", "instructions")}
    return told, found


@pytest.fixture(scope="module")
def drawn():
    """Two runs of 200 moments, of which B follows more; what each says, and whether it passes, is drawn."""
    draw = random.Random(3)

    def run(follows):
        return [
            record(
                number,
                draw.choice(["passed", "failed", "untestable"]),
                a="followed" if draw.random() < follows else draw.choice(["broken", "not concerned", "unparsable"]),
                b=draw.choice(["followed", "not concerned"]),
            )
            for number in range(200)
        ]

    return run(0.5), run(0.8)


def test_adherence_to_an_instruction_is_compared_where_it_concerns_both(drawn):
    told, _ = compared(*drawn)
    pairs = [(one.verdict.instructions["a"], two.verdict.instructions["a"]) for one, two in zip(*drawn, strict=True)]
    both = [pair for pair in pairs if set(pair) <= {"followed", "broken"}]
    table = [[sum(pair == (x, y) for pair in both) for y in ("followed", "broken")] for x in ("followed", "broken")]
    found = told["instructions"]["a"]
    assert found["n"] == len(both) < 200
    assert (found["gained"], found["broken"]) == (table[1][0], table[0][1])
    assert found["p"] == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert found["first"] == pytest.approx(sum(table[0]) / len(both))
    assert found["net"]["value"] == pytest.approx((table[1][0] - table[0][1]) / len(both))
    assert found["net"]["low"] < found["net"]["value"] < found["net"]["high"]
    assert (found["says"], found["is_gain"]) == ("better", True)


def test_together_and_with_the_tests_they_are_compared_as_counted_by_hand(drawn):
    def together(one):
        said = set(one.verdict.instructions.values())
        if "unparsable" in said:
            return None
        return False if "broken" in said else True if "followed" in said else None

    told, _ = compared(*drawn)
    pairs = [(one, two) for one, two in zip(*drawn, strict=True) if None not in (together(one), together(two))]
    found = told["metrics"]["adherence"]
    assert (found["n"], found["first"]) == (len(pairs), sum(together(one) for one, _ in pairs) / len(pairs))
    tested = [pair for pair in pairs if "untestable" not in {one.verdict.name for one in pair}]
    both = [[together(one) and one.verdict.name == "passed" for one in pair] for pair in tested]
    found = told["metrics"]["follows_and_passes"]
    gained, broken = both.count([False, True]), both.count([True, False])
    assert (found["n"], found["gained"], found["broken"]) == (len(tested), gained, broken)
    assert found["p"] == pytest.approx(binomtest(gained, gained + broken).pvalue)


def test_only_instructions_that_both_runs_checked_are_compared(drawn):
    told, found = compared(*drawn, theirs=CONFIG | {"instructions": ["b", "c"]})
    assert set(told["instructions"]) == {"b"}
    assert told["metrics"]["adherence"]["first"] == 1  # `b` is never broken
    assert "over the 1 that both have" in found["unfair"][0]
    told, _ = compared(*drawn, theirs={"sources": {"small": "1"}})
    assert told["instructions"] == {}
    assert "adherence" not in told["metrics"]


def test_several_answers_to_a_question_are_one_moment():
    def answers(*said):
        return [record(0, sample=sample, a=one) for sample, one in enumerate(said)]

    told, _ = compared(answers("followed", "broken", "not concerned"), answers("followed", "followed", "broken"))
    found = told["instructions"]["a"]
    assert (found["n"], found["first"], found["second"]) == (1, pytest.approx(1 / 2), pytest.approx(2 / 3))
