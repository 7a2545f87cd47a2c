"""Pairs of solutions, the order in which raters see them, and whose answers count."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from sklearn.metrics import cohen_kappa_score

from corpora.codealign.benchmark.benchmark_run import AlignmentOutcome
from corpora.codealign.codebook import (
    Preference,
    SolutionPair,
    drawn_pairs,
    read_pairs,
    read_preferences,
    showings,
    write_pairs,
    write_preference,
)
from corpora.codealign.codebook.ratings import ratings
from corpora.errors import DataError


def outcome(problem, program, tests="passed", **fields):
    common = {
        "language": "python",
        "setting": "predefined",
        "instruction": "a",
        "type": "cosmetic",
        "group": "cosmetic",
    }
    common |= {"by": "rule", "ask": "a", "initial": "reference", "request": f"Solve {problem}."}
    return AlignmentOutcome(problem=f"p{problem}", program=program, tests=tests, **common | fields)


def pairs(number):
    return [
        SolutionPair(name=f"{n}", problem=f"p{n}", language="python", request="Solve it.", first=f"x = {n}", second=f"y = {n}", sources=("strong", "weak"))
        for n in range(number)
    ]  # fmt: skip


def said(pair, choice, rater="ada", *, repeated=False, **fields):
    return Preference(pair=f"{pair}", rater=rater, choice=choice, repeated=repeated, **fields)


@pytest.fixture
def runs():
    """Three models, of which the strong one passes everything, and the weak one every fourth problem; the middle one fails every third."""
    strong = [outcome(n, f"a = {n}") for n in range(80)]
    middle = [outcome(n, f"b = {n}", "passed" if n % 3 else "assertion") for n in range(80)]
    weak = [outcome(n, f"c = {n}", "assertion" if n % 4 else "passed") for n in range(80)]
    return {"strong": strong, "middle": middle, "weak": weak}


def test_both_solutions_pass_and_sources_are_drawn_evenly(runs):
    drawn = drawn_pairs(runs, 24, 1)
    by_source = {"strong": "a", "middle": "b", "weak": "c"}
    passing = {(name, one.problem, one.program) for name, own in runs.items() for one in own if one.tests == "passed"}
    for pair in drawn:
        assert {(pair.sources[0], pair.problem, pair.first), (pair.sources[1], pair.problem, pair.second)} <= passing
        assert pair.first.startswith(by_source[pair.sources[0]])
    assert len({pair.problem for pair in drawn}) == len(drawn) == 24
    used = Counter(source for pair in drawn for source in pair.sources)
    assert (
        max(used.values()) - min(used.values()) <= 2
    )  # a plain draw would have `strong` in most pairs, and `weak` in few
    assert drawn_pairs(runs, 24, 1) == drawn
    assert drawn_pairs(runs, 24, 2) != drawn
    everything = drawn_pairs(runs, 1000, 1)
    assert len(everything) == sum(bool(n % 3) or n % 4 == 0 for n in range(80))


def test_references_are_a_source_and_programs_that_differ_in_white_space_alone_are_no_pair():
    tasks = [outcome(0, "x  =  1", initial="x = 1", initial_tests="passed"), outcome(1, "x = 2", initial="y = 2", initial_tests="passed")]  # fmt: skip
    (pair,) = drawn_pairs({"model": tasks}, 9, 0)
    assert (pair.problem, set(pair.sources)) == ("p1", {"model", "reference"})
    own = [outcome(1, "x = 2", initial="y = 2", initial_tests="passed", initial_by_model=True)]
    assert drawn_pairs({"model": own}, 9, 0) == []


def test_a_file_of_pairs_is_not_written_twice_and_a_malformed_one_is_named(tmp_path):
    file = tmp_path / "new" / "pairs.jsonl"
    write_pairs(file, pairs(3))
    assert read_pairs(file) == pairs(3)
    with pytest.raises(DataError, match="may have been rated"):
        write_pairs(file, pairs(1))
    file.write_bytes(file.read_bytes() * 2)
    with pytest.raises(DataError, match=r":4: the pair '0' stands there twice"):
        read_pairs(file)
    file.write_text('{"name": "a"}\n')
    with pytest.raises(DataError, match=":1: is no pair of solutions"):
        read_pairs(file)


def test_each_pair_is_seen_once_and_five_again_with_their_sides_changed_over():
    for seed in range(20):
        shown = showings(pairs(12), "ada", seed)
        once, again = shown[:12], shown[12:]
        assert sorted(one.pair.name for one in once) == sorted(pair.name for pair in pairs(12))
        assert len({one.pair.name for one in again}) == len(again) == 5
        swapped = {one.pair.name: one.swapped for one in once}
        assert all(one.swapped != swapped[one.pair.name] and one.repeated for one in again)
        assert all(one.pair != other.pair for one, other in pairwise(shown))
    assert showings(pairs(12), "ada", 0) == showings(pairs(12), "ada", 0)
    orders = {tuple(one.pair.name for one in showings(pairs(12), rater, 0)) for rater in ("ada", "bob", "eve")}
    assert len(orders) == 3
    assert [len(showings(pairs(number), "ada", 0)) for number in (1, 2, 4, 6)] == [2, 3, 7, 11]


def test_a_choice_is_told_in_the_order_of_the_pair():
    (shown, *_) = [one for one in showings(pairs(12), "ada", 0) if one.swapped]
    assert shown.sides == (shown.pair.second, shown.pair.first)
    assert (shown.choice_of("left"), shown.choice_of("right")) == ("second", "first")


def test_the_last_word_about_a_showing_counts_and_a_torn_line_does_not_spoil_the_file(tmp_path):
    file = tmp_path / "p.jsonl"
    for one in (said(0, "first"), said(0, "second"), said(0, "first", repeated=True)):
        write_preference(file, one)
    assert read_preferences(file) == [said(0, "second"), said(0, "first", repeated=True)]
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"pair": "1", "ra')
    assert len(read_preferences(file)) == 2
    write_preference(file, said(1, "none"))
    assert file.read_bytes().startswith(whole)
    assert len(read_preferences(file)) == 3
    file.write_bytes(file.read_bytes().removesuffix(b"\n"))  # as an editor may leave it
    write_preference(file, said(2, "none"))
    assert len(read_preferences(file)) == 4


def rater(name, choices, again=()):
    return [said(n, choice, name) for n, choice in enumerate(choices)] + [
        said(n, choice, name, repeated=True) for n, choice in enumerate(again)
    ]


def test_who_disagrees_with_himself_or_has_not_seen_the_repeated_pairs_counts_nowhere():
    choices = ["first", "second", "none", "first", "first", "second", "first"]
    everyone = [
        *rater("good", choices, choices[:5]),
        *rater("fickle", choices, ["second", *choices[1:5]]),
        *rater("early", choices, choices[:3]),
    ]
    found = ratings(everyone, pairs(7))
    assert {name: one["left_out"] for name, one in found["raters"].items()} == {
        "good": "",
        "fickle": "disagrees with himself on 1 of 5 repeated pairs",
        "early": "3 of 5 repeated pairs seen",
    }
    assert found["agreement"] == []
    assert (found["preferred"]["strong"]["value"], found["none"]) == (4.5 / 7, 1)
    assert len(ratings(everyone, pairs(7), may_differ=1)["agreement"]) == 1


def test_agreement_of_raters_is_kappa_over_the_pairs_that_both_rated():
    draw = random.Random(5)
    kinds = ["first", "second", "none"]
    ada = [draw.choice(kinds) for _ in range(40)]
    bob = [one if draw.random() < 0.6 else draw.choice(kinds) for one in ada][:30]
    found = ratings([*rater("ada", ada, ada[:5]), *rater("bob", bob, bob[:5])], pairs(40))
    (both,) = found["agreement"]
    assert both["raters"] == ["ada", "bob"]
    assert both["kappa"]["value"] == pytest.approx(cohen_kappa_score(ada[:30], bob))
    assert both["kappa"]["n"] == 30
    assert both["alike"] == sum(one == other for one, other in zip(ada[:30], bob, strict=True))


def test_places_and_what_is_asked_are_told_of_raters_who_count():
    answers = [
        said(0, "first", asks=("Shorter.", "No loop.")),
        said(1, "first", swapped=True, asks=("Name it.",)),
        said(2, "none", unsure=True),
        said(0, "first", repeated=True, asks=("Again.",)),
        said(1, "first", repeated=True),
    ]
    found = ratings(answers, pairs(3))
    assert [one["text"] for one in found["asks"]] == ["Shorter.", "No loop.", "Name it."]
    assert (found["left"]["value"], found["left"]["n"], found["unsure"]) == (0.5, 2, 1)
