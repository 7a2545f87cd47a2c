"""Two runs on the same moments."""

import pytest
from msgspec import structs

from replay.numbers.comparison import COMPARISON, DOCUMENT, ComparedRun, compare, compare_sides, words
from replay.numbers.differences import paired, paired_difference
from replay.numbers.paired.paired_moments import shared_moments
from tests.support.tapes import record_of

CONFIG = {"policy": "vscode", "sources": {"small": "1"}}


def run(name, passed, config=CONFIG, **fields):
    """A run whose moments passed or not; moments 0 to 3 are in one hole, 4 to 7 in the next."""
    records = [
        record_of(at, "shown", verdict if isinstance(verdict, str) else "passed" if verdict else "failed")
        for at, verdict in enumerate(passed)
    ]
    return ComparedRun(name, config, [placed(record, **fields) for record in records])


def placed(record, **fields):
    at = record.moment.event
    moment = structs.replace(record.moment, hole=f"a.py:{at // 4}", language="python" if at % 2 else "java", **fields)
    return structs.replace(record, moment=moment)


def test_the_difference_is_of_the_moments_that_both_could_be_tested_at():
    first, second = run("one", [1, 1, 0, "untestable", 0, 1]), run("two", [1, 0, 1, 1, "infrastructure", 1, 1])
    found = compare(first, second, "hole", 0.05)
    assert found["passed"] == [3, 3]
    assert found["moments"] == [6, 7]
    assert found["shared"] == 6
    expected = paired_difference([("a", True, True), ("a", False, True), ("a", True, False), ("b", True, True)])
    assert {name: found["difference"][name] for name in expected} == expected


def test_with_single_moments_it_is_the_exact_test_of_pairs():
    first, second = run("one", [0] * 12 + [1] * 8), run("two", [1] * 20)
    found = compare(first, second, "hole", 0.05)["difference"]
    assert found["clusters"] == 5
    alone = [
        ComparedRun(
            one.name, one.config, [structs.replace(r, moment=structs.replace(r.moment, hole="")) for r in one.records]
        )
        for one in (first, second)
    ]
    found = compare(*alone, "hole", 0.05)["difference"]
    assert (found["net"], found["p"]) == (paired(12, 0, 20, 20)["net"], pytest.approx(2 / 2**12))
    assert found["says"] == "more"
    assert compare(*alone[::-1], "hole", 0.05)["difference"]["says"] == "fewer"


def test_runs_that_differ_at_every_moment_are_told_apart():
    found = compare(run("one", [0] * 40), run("two", [1] * 40), "hole", 0.05)["difference"]
    assert (found["clusters"], found["says"]) == (10, "more")


def test_the_document_has_the_members_that_are_declared():
    found = compare_sides([(run("one", [0, 1]),), (run("two", [1, 1]),)], "hole", 0.05)
    assert {*found} == {*DOCUMENT}
    assert [{*one} for one in found["comparisons"]] == [{*COMPARISON}]


def test_groups_are_adjusted_for_their_number_over_all_breakdowns():
    found = compare(run("one", [0] * 40), run("two", [at % 2 for at in range(40)]), "hole", 0.05)
    groups = {(one["by"], one["group"]): one for one in found["breakdowns"]}
    assert groups.keys() == {("language", "python"), ("language", "java")}
    python, java = groups["language", "python"], groups["language", "java"]
    assert (python["p"], python["p_adjusted"]) == (pytest.approx(2 / 2**10), pytest.approx(4 / 2**10))
    assert (java["p"], java["p_adjusted"], java["says"]) == (1.0, 1.0, "too few to tell")


@pytest.mark.parametrize(
    ("low", "high", "p", "said"),
    [
        (0.01, 0.2, 0.01, "more"),
        (-0.2, -0.01, 0.01, "fewer"),
        (0.01, 0.2, 0.06, "too few to tell"),
        (-0.02, 0.04, 0.5, "as many"),
        (0.01, 0.04, 0.2, "as many"),
        (-0.08, 0.02, 0.3, "too few to tell"),
        (-0.02, 0.05, 0.3, "too few to tell"),
        (None, None, 1.0, "too few to tell"),
    ],
)
def test_what_a_difference_means(low, high, p, said):
    assert words({"value": 0.0, "low": low, "high": high}, p, 0.05) == said


def test_runs_of_other_policies_and_tapes_are_noted():
    other = {"policy": "blocks", "sources": {"small": "2", "large": "1"}}
    notes = compare(run("one", [1] * 60), run("two", [1] * 60, other), "hole", 0.05)["notes"]
    assert notes == [
        "the runs differ in policy: 'vscode' and 'blocks'",
        "only one of the runs has 'large'",
        "'small' is not the same in both runs: it has changed in between",
    ]


def test_two_published_models_are_compared_without_a_word_about_changed_data():
    """What a run reads of a corpus has the published answers in it: those of another model are no change."""
    first, second = ({"published": model, "sources": {"devbench": model}} for model in ("ada", "bob"))
    assert compare(run("one", [1] * 60, first), run("two", [1] * 60, second), "hole", 0.05)["notes"] == []
    second |= {"published": "ada", "programs": "editor"}
    first |= {"programs": "evaluator"}
    notes = compare(run("one", [1] * 60, first), run("two", [1] * 60, second), "hole", 0.05)["notes"]
    assert notes == ["the runs differ in programs: 'evaluator' and 'editor'"]


def test_runs_that_share_too_few_moments_are_noted():
    notes = compare(run("one", [1] * 9), run("two", [1] * 9, tape="another"), "hole", 0.05)["notes"]
    assert notes[0] == "the runs share only 0 of 9 moments"
    assert notes[1] == "both could be tested at only 0 of the same moments, in 0 clusters"
    assert compare(run("one", [1] * 60), run("two", [0] * 60), "hole", 0.05)["notes"] == []


def test_the_order_of_the_records_does_not_matter():
    first, second = run("one", [1, 0, 1, 1, 0]), run("two", [1, 1, 0, 1, 0])
    turned = ComparedRun("two", CONFIG, second.records[::-1])
    assert shared_moments(first.records, second.records) == shared_moments(first.records, turned.records)


def test_in_each_pair_counts_the_verdict_by_the_hole_that_does_not_depend_on_the_suggestion():
    first, second = run("one", [1, 0]), run("two", [1, 0])
    records = [structs.replace(one, verdict=structs.replace(one.verdict, fixed="failed")) for one in second.records]
    found = compare(first, ComparedRun("two", CONFIG, records), "hole", 0.05)
    assert found["passed"] == [1, 0]
