"""Runs that are taken together: those of one model under several policies, each paired with that of the other model."""

import numpy as np
import pytest
from msgspec import structs
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

from replay.numbers.comparison import ComparedRun, compare, compare_sides
from tests.support.tapes import record_of
from tui.tables.comparison_markdown import comparison_markdown

HOLES, SIZE = 12, 4


def run(name, policy, passed, repairs=("indent",), **fields):
    """A run whose moments passed or not; four after each other are in one hole, the same under each policy."""
    records = [
        record_of(at, "accepted", "passed" if one else "failed", covered=(5 * at, 5 * at + 1))
        for at, one in enumerate(passed)
    ]
    placed = [
        structs.replace(each, moment=structs.replace(each.moment, hole=f"a.py:{at // SIZE}", **fields))
        for at, each in enumerate(records)
    ]
    return ComparedRun(name, {"policy": policy, "settings": {"repairs": list(repairs)}}, placed)


@pytest.fixture(scope="module")
def drawn():
    """Whether moments pass: of each of two models, under each of two policies; in which holes each model is good does not depend on the policy."""
    rng = np.random.default_rng(7)
    ease = [np.repeat(rng.uniform(low, 1.0, HOLES), SIZE) for low in (0.0, 0.2)]
    return [[rng.random(HOLES * SIZE) < own for _ in range(2)] for own in ease]


@pytest.fixture(scope="module")
def sides(drawn):
    kinds = {"blocks": "if", "vscode": ""}
    return [
        [run(f"{model}-{policy}", policy, own[at], kind=kinds[policy]) for at, policy in enumerate(kinds)]
        for model, own in zip(("small", "large"), drawn, strict=True)
    ]


def test_sides_of_several_runs_have_the_clustered_regression_of_statsmodels(drawn, sides):
    """A hole is one cluster under both policies: its moments are not independent, whoever asked."""
    found = compare_sides(sides, "hole", 0.05)["comparisons"][0]
    values = np.concatenate([np.subtract(more, less, dtype=float) for less, more in zip(*drawn, strict=True)])
    groups = np.tile(np.repeat(np.arange(HOLES), SIZE), 2)
    fitted = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    error = (fitted.cov_params()[0, 0] * HOLES / (HOLES - 1)) ** 0.5  # CR2 of equal clusters is G / (G - 1) times CR0
    told = found["difference"]
    assert error**2 > values.var(ddof=1) / len(values)  # else the larger of the two counts
    assert (told["n"], told["clusters"]) == (2 * HOLES * SIZE, HOLES)
    assert told["net"]["value"] == pytest.approx(values.mean())
    assert told["variance"] == pytest.approx(error**2)
    assert told["net"]["high"] - told["net"]["value"] == pytest.approx(stats.t.ppf(0.975, HOLES - 1) * error)
    assert found["passed"] == [sum(map(sum, own)) for own in drawn]
    assert found["runs"] == ["small-blocks, small-vscode", "large-blocks, large-vscode"]


def test_by_policy_the_difference_is_that_of_the_two_runs_under_it(sides):
    found = compare_sides(sides, "hole", 0.05)["comparisons"][0]["breakdowns"]
    by_policy = {one["group"]: one for one in found if one["by"] == "policy"}
    alone = {one.config["policy"]: compare(one, other, "hole", 0.05) for one, other in zip(*sides, strict=True)}
    assert by_policy.keys() == alone.keys() == {"blocks", "vscode"}
    for policy, one in by_policy.items():
        assert {name: one[name] for name in ("n", "clusters", "net", "p")} == {
            name: alone[policy]["difference"][name] for name in ("n", "clusters", "net", "p")
        }
    assert [one["p_adjusted"] for one in found] == pytest.approx(
        multipletests([one["p"] for one in found], method="holm")[1]
    )
    assert not [one for one in found if one["by"] == "block"]  # one policy has blocks, all of one kind


def test_keys_are_saved_in_each_run_by_itself(drawn):
    """Equal moments under two sets of repairs are two sessions: what one saves covers nothing of the other."""
    together = [
        [run(f"{model}-{each}", "blocks", own[at], (each,)) for at, each in enumerate(("indent", "stop"))]
        for model, own in zip(("small", "large"), drawn, strict=True)
    ]
    of_two = {one["metric"]: one for one in compare_sides(together, "hole", 0.05)["comparisons"][0]["metrics"]}
    alone = [
        {one["metric"]: one for one in compare(*pair, "hole", 0.05)["metrics"]} for pair in zip(*together, strict=True)
    ]
    for name in ("keystrokes_saved", "acceptance"):
        assert of_two[name]["n"] == sum(one[name]["n"] for one in alone)
        assert of_two[name]["first"] == pytest.approx(np.mean([one[name]["first"] for one in alone]))
    groups = compare_sides(together, "hole", 0.05)["comparisons"][0]["breakdowns"]
    assert [one["group"] for one in groups if one["by"] == "repairs"] == ["indent", "stop"]


def test_what_makes_opposite_runs_hard_to_compare_is_said_once(sides):
    (small, other), large = sides[0], sides[1]
    odd = [ComparedRun(one.name, {**one.config, "seed": 4}, one.records) for one in large]
    found = compare_sides([[small, other], odd], "hole", 0.05)
    assert [one["says"] for one in found["unfair"]] == ["the runs differ in seed: 0 and 4"]
    assert [one["label"] for one in found["runs"]] == ["A1", "A2", "B1", "B2"]
    assert "| B2 | large\\-vscode |" in comparison_markdown(found, 0)
    assert "policy vscode" in comparison_markdown(found, 0)
