"""What runs are compared by beside the tests, and what is said of it."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from scipy import stats
from statsmodels.regression.linear_model import OLS

from replay.numbers.comparison import ComparedRun, compare, compare_runs
from replay.numbers.differences import paired_mean
from replay.numbers.paired.changes import changed_moments
from replay.numbers.paired.fairness import unfair, unlike_machines
from replay.numbers.paired.fronts import pareto_front
from replay.numbers.paired.measures import measured_differences, run_measures
from replay.numbers.paired.paired_moments import shared_moments
from replay.options import ReplayOptions
from replay.records import Missed, Suggestion, Verdict
from tests.support.tapes import record_of


def test_with_single_moments_a_mean_difference_has_the_t_test_of_pairs():
    rng = np.random.default_rng(1)
    first, second = rng.normal(3, 2, 25), rng.normal(4, 2, 25)
    expected = stats.ttest_rel(second, first)
    ends = expected.confidence_interval()
    found = paired_mean((str(at), float(b - a)) for at, (a, b) in enumerate(zip(first, second, strict=True)))
    assert found["p"] == pytest.approx(expected.pvalue)
    assert [found["net"]["low"], found["net"]["high"]] == pytest.approx([ends.low, ends.high])
    assert (found["n"], found["clusters"]) == (25, 25)


def test_with_equal_clusters_it_has_the_clustered_regression_of_statsmodels():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), 6)
    values = rng.normal(1, 1, 72) + np.repeat(rng.normal(0, 2, 12), 6)
    found = paired_mean((str(group), float(value)) for group, value in zip(groups, values, strict=True))
    fitted = OLS(values, np.ones(72)).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    error = (fitted.cov_params()[0, 0] * 12 / 11) ** 0.5  # CR2 of equal clusters is G / (G - 1) times CR0
    assert found["variance"] == pytest.approx(error**2)
    assert found["p"] == pytest.approx(2 * stats.t.sf(abs(values.mean()) / error, 11))
    assert found["net"]["high"] - found["net"]["value"] == pytest.approx(stats.t.ppf(0.975, 11) * error)


def test_differences_that_are_all_alike_have_no_interval():
    assert paired_mean([("a", 0.0), ("b", 0.0)])["p"] == 1.0
    assert paired_mean([("a", 2.0), ("b", 2.0)])["p"] is None
    assert paired_mean([("a", 2.0)])["net"] == {"value": 2.0, "low": None, "high": None}
    assert paired_mean([])["net"]["value"] is None


def answered(at, ending="shown", verdict="passed", text="x", *, truth="x", latency=100.0, **fields):
    record = record_of(at, ending, verdict, **fields)
    moment = structs.replace(record.moment, truth=truth)
    return structs.replace(record, moment=moment, suggestion=Suggestion(text=text, start=0, end=0, latency=latency))


def measured(first, second, **options):
    found = measured_differences(
        shared_moments(first, second), "hole", run_measures(**{"with_latency": True, **options})
    )
    return {one["metric"]: one for one in found}


def test_each_measure_is_over_the_moments_at_which_both_runs_have_it():
    first = [answered(at, "shown" if at % 2 else "late", latency=100.0 + at) for at in range(40)]
    second = [answered(at, "accepted", text="y" if at < 10 else " x\n", latency=300.0 + 2 * at) for at in range(40)]
    second[0] = structs.replace(record_of(0, "failed", None, latency=None), moment=first[0].moment)
    found = measured(first, second)
    assert found["exact"]["n"] == found["edit_similarity"]["n"] == found["latency"]["n"] == 39
    assert found["acceptance"]["n"] == 20
    assert (found["exact"]["first"], found["exact"]["second"]) == (1.0, 30 / 39)
    assert found["edit_similarity"]["second"] == 30 / 39
    latencies = np.array([200.0 + at for at in range(1, 40)])
    ends = stats.ttest_1samp(latencies, 0).confidence_interval()
    assert [found["latency"]["net"][end] for end in ("value", "low", "high")] == pytest.approx(
        [latencies.mean(), ends.low, ends.high]
    )
    assert {name: one["says"] for name, one in found.items()} == {
        "passed_in_time": "better",
        "exact": "worse",
        "edit_similarity": "worse",
        "acceptance": "better",
        "latency": "worse",
    }
    assert "latency" not in measured(first, second, with_latency=False)


def test_what_came_too_late_or_was_given_up_did_not_pass_in_time():
    missed = Missed(suggestion=Suggestion(text="x", start=0, end=0, latency=9.0), verdict=Verdict(name="passed"))
    given_up = structs.replace(record_of(1, "superseded", None, latency=None), missed=missed)
    first = [answered(0, "late"), given_up, record_of(2, "gated", None, latency=None), answered(3)]
    second = [answered(0), answered(1, verdict="failed"), answered(2), answered(3, verdict="infrastructure")]
    found = measured(first, second)["passed_in_time"]
    assert (found["n"], found["first"], found["second"]) == (2, 0.0, 0.5)


def test_keys_are_saved_once_where_suggestions_overlap():
    first = [answered(at, "accepted", covered=[9, 10, 11]) for at in range(3)] + [answered(3)]
    second = [answered(at) for at in range(3)] + [answered(3, "accepted", covered=range(20, 30))]
    found = measured(first, second)["keystrokes_saved"]
    assert (found["first"], found["second"], found["unit"]) == (2 / 4, 9 / 4, "keys")


CONFIG = {
    "instructions": ["a", "b"],
    "seed": 0,
    "sources": {"small": "1"},
    "settings": {"repairs": ["prose"], "provider": {"max_tokens": 64}},
}


def settings(**changed):
    return {"settings": CONFIG["settings"] | changed}


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"seed": 1}, "the runs differ in seed: 0 and 1"),
        ({"samples": 5}, "the runs differ in samples: 1 and 5"),
        ({"settings": {"repairs": []}}, "the runs differ in repairs: prose and none"),
        (
            {"settings": {"repairs": ["prose"], "provider": {"max_tokens": 9}}},
            "the runs differ in max_tokens: 64 and 9",
        ),
        ({"sources": {"small": "2"}}, "'small' is not the same in both runs: it has changed in between"),
        ({"sources": {}}, "only one of the runs has 'small'"),
        ({"mode": "drive"}, "the runs differ in mode: 'judge' and 'drive'"),
        (
            {"project_tests": {"command": "pytest -x"}},
            "the runs differ in how projects are tested: command: none and 'pytest -x'",
        ),
        (
            {"tests_over": {"setup": "make"}},
            "the runs differ in how projects are tested, over what tapes say: setup: none and 'make'",
        ),
        ({"also_requires": ["six"]}, "the runs differ in packages for the tests: none and six"),
        ({"paths": ["src"]}, "the runs differ in the paths in which is asked: none and src"),
        ({"ask_missed": True}, "the runs differ in whether is asked again what the editor gave up: none and True"),
        (settings(provider={"seed": 3, "max_tokens": 64}), "the runs differ in seed of the provider: 0 and 3"),
        (
            settings(provider={"heal": False, "max_tokens": 64}),
            "the runs differ in heal (half-typed words): none and False",
        ),
        (settings(provider={"logprobs": False, "max_tokens": 64}), "the runs differ in logprobs: True and False"),
        (settings(cache={"entries": 0}), "the runs differ in cache of the server: entries: 100 and 0"),
        (settings(context={"before": 9}), "the runs differ in context (tokens of the prompt): before: none and 9"),
        (settings(paper_rules="codev"), "the runs differ in paper_rules: 'none' and 'codev'"),
        ({"sandbox": "podman"}, "the runs differ in sandbox: 'auto' and 'podman'"),
        (
            {"instructions": ["b", "c", "d"]},
            "the runs were checked against 2 and 3 instructions of developers: adherence is compared over the 1 that both have",
        ),
    ],
)
def test_what_makes_it_unfair_is_named(other, said):
    assert unfair(CONFIG, CONFIG | other) == [said]
    assert unfair(CONFIG, CONFIG) == []


def test_a_run_that_checks_no_instruction_is_compared_by_all_else():
    assert unfair(CONFIG, CONFIG | {"instructions": []}) == []


def test_another_model_is_what_is_compared():
    record = {"path": "answers.jsonl", "mode": "write"}
    provider = {"name": "openai", "model": "ada", "max_tokens": 64, "base_url": "http://127.0.0.1", "record": record}
    assert unfair(CONFIG, CONFIG | {"settings": CONFIG["settings"] | {"provider": provider}}) == []


def test_every_option_of_a_run_is_compared_or_is_what_runs_are_compared_for():
    """A new option is named by one of the two: this test fails for one that is neither."""
    full = ReplayOptions().kept() | {"sources": {}}
    compared = {"instructions", "projects", "policies"}
    for name, value in full.items():
        if name not in compared | {"settings", "sources", "project_tests", "tests_over"}:
            other = (
                "other"
                if isinstance(value, str | type(None))
                else ("x",)
                if isinstance(value, tuple | list)
                else not value
            )
            assert unfair(full, full | {name: other}), name


def test_of_policies_of_ones_own_those_numbers_count_that_the_run_asks_by():
    one = CONFIG | {"policy": "mine:debounce=5", "policies": {"mine": {"debounce": 75}, "other": {"debounce": 1}}}
    other = one | {"policies": {"mine": {"debounce": 150}}}
    assert unfair(one, other) == ["the runs differ in numbers of the policy: debounce: 75 and 150"]
    assert unfair(one, one | {"policies": {"mine": {"debounce": 75}}}) == []


def test_a_seed_of_the_run_takes_the_place_of_that_of_the_provider():
    provider = {"max_tokens": 64, "seed": 3}
    assert unfair(CONFIG | {"seed": 5}, CONFIG | {"seed": 5, **settings(provider=provider)}) == []


def test_published_answers_are_those_of_another_whatever_the_provider_of_the_run_is():
    published = CONFIG | {"published": "ada", **settings(provider={"max_tokens": 9}, context={"before": 1})}
    assert unfair(CONFIG, published) == []


def machine(processors, *times):
    calibrations = [{"processors": processors, "middle_ms": time} for time in times]
    return {"machine": {"calibrations": calibrations}}


def test_machines_of_another_speed_are_named_where_latencies_are_measured():
    assert unlike_machines(machine(2, 20.0, 21.0), machine(2, 24.0)) == []
    assert unlike_machines(machine(2, 20.0), {}) == []
    (said,) = unlike_machines(machine(2, 20.0, 20.0, 90.0), machine(2, 30.0))
    assert said == "measured latencies are of machines of another speed: the same computation took 20.0 ms and 30.0 ms"
    (said,) = unlike_machines(machine(2, 20.0), machine(8, 20.0))
    assert said == "measured latencies are of machines with 2 and 8 processors"


def test_where_latencies_are_measured_the_number_of_questions_at_once_is_named():
    crowded = {"machine": {**machine(2, 20.0)["machine"], "concurrency": [8]}}
    (said,) = unlike_machines(machine(2, 20.0), crowded)
    assert said == "measured latencies are of models with 1 and 8 questions at once"
    assert unlike_machines(crowded, crowded) == []


@given(st.lists(st.one_of(st.none(), st.tuples(st.integers(0, 5), st.integers(0, 5))), max_size=8))
def test_no_other_point_is_better_than_one_on_the_front_and_each_that_is_not_has_a_better_one(points):
    front = pareto_front(points)
    for at, point in enumerate(points):
        if point is None:
            assert at not in front
            continue
        better = [p for p in points if p and p[0] >= point[0] and p[1] <= point[1] and p != point]
        assert (at in front) == (not better)


def run(name, passed, summary=None, size=4):
    records = [answered(at, verdict="passed" if one else "failed") for at, one in enumerate(passed)]
    placed = [
        structs.replace(one, moment=structs.replace(one.moment, hole=f"a.py:{one.moment.event // size}"))
        for one in records
    ]
    return ComparedRun(name, {"sources": {"small": "1"}}, placed, summary or {})


def test_the_sentence_has_points_ends_moments_and_clusters():
    half = [at % 2 for at in range(400)]
    more = [one or at % 7 == 0 for at, one in enumerate(half)]
    found = compare(run("one", half), run("two", more), "hole", 0.05)["difference"]
    low, high = (f"{100 * found['net'][end]:.1f}" for end in ("low", "high"))
    assert found["sentence"] == f"B passes 7.2 points more, 95 % {low} to {high}, over 400 moments in 100 holes"
    turned = compare(run("two", more), run("one", half), "hole", 0.05)["difference"]
    assert turned["sentence"] == f"B passes 7.2 points fewer, 95 % {low} to {high}, over 400 moments in 100 holes"


def test_too_few_moments_say_how_many_would_do():
    rng = np.random.default_rng(3)
    one, other = (list(rng.random(60) < 0.5) for _ in range(2))
    found = compare(run("one", one), run("two", other), "hole", 0.05)["difference"]
    clusters = (np.array(other, int) - np.array(one, int)).reshape(15, 4).sum(axis=1) / 60
    error = max(clusters.var(ddof=1) * 15, (np.array(other, int) - np.array(one, int)).var(ddof=1) / 60) ** 0.5
    exact = 60 * ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error / 0.05) ** 2
    assert found["says"] == "too few to tell"
    assert found["needed"] == pytest.approx(exact, rel=0.1)
    assert found["needed"] >= exact
    clusters = found["needed"] / 60 * 15
    said = re.search(r"; about ([\d,]+) moments in ([\d,]+) holes would be needed to see 5 points$", found["sentence"])
    assert int(said[1].replace(",", "")) == found["needed"]
    assert clusters <= int(said[2].replace(",", "")) <= 1.1 * clusters


def test_several_runs_are_each_compared_with_the_first_and_adjusted_for_their_number():
    base, good = [0] * 200, [at % 3 == 0 for at in range(200)]
    weak = [at in {0, 5, 11, 17, 23, 29} for at in range(200)]
    summaries = [
        {"metrics": {"pass_at_1": {"value": value}, "latency_ms": {"p50": p50}}}
        for value, p50 in ((0.0, 100), (0.3, 300), (0.03, 400))
    ]
    runs = [run(name, *of) for name, of in zip("abc", zip((base, good, weak), summaries, strict=True), strict=True)]
    found = compare_runs(runs, "hole", 0.05)
    assert [one["runs"] for one in found["comparisons"]] == [["a", "b"], ["a", "c"]]
    weak_p = found["comparisons"][1]["difference"]["p"]
    assert weak_p == pytest.approx(2 / 2**6)
    assert found["comparisons"][1]["difference"]["p_adjusted"] == weak_p  # the largest of them
    assert compare_runs([runs[0], runs[2], runs[2]], "hole", 0.05)["comparisons"][0]["difference"]["says"] != "more"
    assert found["fronts"] == {"latency_p50": ["a", "b"]}


def test_the_front_goes_by_the_moments_that_all_runs_share():
    """The second run was tested at moments that are easy beside those of the first: of the shared ones it passes fewer."""
    hard, easy = [1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    summaries = [
        {"metrics": {"pass_at_1": {"value": value}, "latency_ms": {"p50": p50}}}
        for value, p50 in ((3 / 8, 100), (10 / 16, 200))
    ]
    found = compare_runs([run("a", hard, summaries[0], 2), run("b", easy, summaries[1], 2)], "hole", 0.05)
    shares = [each["pass_of_shared"] for each in found["runs"]]
    assert [(share["value"], share["n"]) for share in shares] == [(3 / 8, 8), (2 / 8, 8)]
    assert found["fronts"] == {"latency_p50": ["a"]}


def test_moments_that_changed_have_both_answers():
    first, second = [answered(0), answered(1, verdict="failed"), answered(2)], [answered(0, verdict="failed", text="y")]
    second += [answered(1), answered(2)]
    lost, gained = changed_moments(shared_moments(first, second))
    assert (lost["change"], gained["change"]) == ("lost", "gained")
    assert [(one["text"], one["verdict"]) for one in lost["answers"]] == [("x", "passed"), ("y", "failed")]
    assert lost["moment"] == first[0].moment.id


def test_that_only_one_run_tests_is_no_change_of_a_tape():
    """The digest of a tape has the files of its project only where they are tested."""
    untested = {"tests": False, "sources": {"small": "2"}}
    assert unfair(CONFIG, CONFIG | untested) == ["the runs differ in tests: True and False"]
