"""The figures of an ablation against the same figures found by other means."""

import itertools
import math
import random

import pytest
from statsmodels.stats.multitest import multipletests

from replay.numbers.differences import paired
from replay.numbers.effects import ablation, effect
from replay.numbers.intervals import share
from replay.records import ArmTrial, Verdict

STEPS = ("prose", "indent", "stop")
ARMS = ("all", "none", *(f"without {step}" for step in STEPS))


def trial(moment, arm, verdict="passed", *, text="x", language="python", tape="small"):
    place = f"a.py:{moment}:1"
    return ArmTrial(
        moment=f"m{moment}",
        tape=tape,
        place=place,
        language=language,
        arm=arm,
        text=text,
        start=0,
        end=0,
        verdict=Verdict(name=verdict),
    )


def trials(moment, default="passed", **verdicts):
    """The trials of a moment: each arm's verdict by its name with underscores; a pair is a verdict and a text."""
    said = {arm: verdicts.get(arm.replace(" ", "_"), default) for arm in ARMS}
    return [
        trial(moment, arm, one) if isinstance(one, str) else trial(moment, arm, one[0], text=one[1])
        for arm, one in said.items()
    ]


def effects(*moments):
    return ablation([one for moment in moments for one in moment], STEPS)["effects"]


def counts(found):
    return tuple(found[name] for name in ("n", "gained", "broken", "killed", "emptied"))


def test_a_step_gains_what_passes_with_all_and_not_without_it():
    found = effects(trials(1, without_prose="syntax", none="syntax"), trials(2))
    assert counts(found["prose"]) == (2, 1, 0, 0, 0)
    assert counts(found["indent"]) == (2, 0, 0, 0, 0)
    assert counts(found["together"]) == (2, 1, 0, 0, 0)


def test_a_step_breaks_what_passes_only_without_it():
    found = effects(trials(1, "failed", without_stop="passed"))
    assert counts(found["stop"]) == (1, 0, 1, 0, 0)
    assert counts(found["together"]) == (1, 0, 0, 0, 0)


def test_a_step_kills_what_was_right_before_all_steps():
    found = effects(trials(1, "failed", without_stop="passed", none="passed"))
    assert counts(found["stop"]) == (1, 0, 1, 1, 0)
    assert counts(found["together"]) == (1, 0, 1, 1, 0)


def test_what_was_emptied_is_told_of_the_killed():
    found = effects(trials(1, ("failed", ""), without_prose="passed", none="passed"))
    assert counts(found["prose"]) == (1, 0, 1, 1, 1)


def test_nothing_offered_passes_nothing():
    found = effects(trials(1, ("passed", ""), none="passed", without_prose="passed"))
    assert counts(found["prose"]) == (1, 0, 1, 1, 1)


def test_what_two_steps_spoil_each_alone_is_killed_by_both_together_only():
    found = effects(trials(1, "failed", none="passed"))
    assert {step: found[step]["killed"] for step in STEPS} == dict.fromkeys(STEPS, 0)
    assert found["together"]["killed"] == 1


def test_a_pair_without_a_verdict_is_left_out_and_counted_apart():
    figures = ablation(
        [*trials(1, without_prose="infrastructure"), *trials(2, all="infrastructure"), *trials(3)], STEPS
    )
    assert figures["infrastructure"] == 2
    assert figures["moments"] == 3
    assert {name: found["n"] for name, found in figures["effects"].items()} == {
        "prose": 1,
        "indent": 2,
        "stop": 2,
        "together": 2,
    }
    assert [figures["arms"][arm]["n"] for arm in ("all", "none", "without prose")] == [2, 3, 2]


def test_a_raw_answer_without_a_verdict_kills_nothing():
    found = effects(trials(1, "failed", without_stop="passed", none="infrastructure"))
    assert counts(found["stop"]) == (1, 0, 1, 0, 0)


def test_untestable_moments_and_those_given_up_in_the_middle_are_no_part_of_it():
    figures = ablation([*trials(1, "untestable"), *trials(2), *trials(3)[:3]], STEPS)
    assert figures["moments"] == 1
    assert {found["n"] for found in figures["effects"].values()} == {1}


def test_languages_are_told_apart_and_add_up():
    own = [*trials(1, without_stop="failed"), *trials(2)]
    other = [trial(moment, arm, language="java") for moment in (3, 4, 5) for arm in ARMS]
    figures = ablation([*own, *other], STEPS)
    assert {name: found["moments"] for name, found in figures["languages"].items()} == {"java": 3, "python": 2}
    assert figures["languages"]["python"]["effects"]["stop"]["gained"] == 1
    assert figures["languages"]["java"]["effects"]["stop"]["gained"] == 0
    assert figures["arms"]["all"] == share(5, 5)


def test_the_cases_are_named_in_an_order_that_does_not_depend_on_the_run():
    given = [
        *trials(2, without_prose="failed"),
        *trials(1, "failed", without_stop="passed", none="passed"),
        *trials(3, "failed", without_indent="passed"),
    ]
    named = [(case["place"], case["step"], case["kind"]) for case in ablation(given, STEPS)["cases"]]
    assert named == [("a.py:1:1", "stop", "killed"), ("a.py:2:1", "prose", "gained"), ("a.py:3:1", "indent", "broken")]
    random.Random(1).shuffle(given)
    assert ablation(given, STEPS)["cases"] == ablation(sorted(given, key=lambda one: one.arm), STEPS)["cases"]


def test_nothing_tested_says_nothing():
    figures = ablation([], STEPS)
    assert figures["moments"] == 0
    assert figures["effects"]["prose"]["net"] == {"value": None, "low": None, "high": None}
    assert figures["effects"]["prose"]["p"] is None


def test_looking_at_several_steps_is_paid_for_by_holm():
    draw = random.Random(5)
    given = [trial(number, arm, draw.choice(["passed", "failed"])) for number in range(60) for arm in ARMS]
    effects = ablation(given, STEPS)["effects"].values()
    adjusted = multipletests([one["p"] for one in effects], method="holm")[1]
    assert [one["p_adjusted"] for one in effects] == pytest.approx(list(adjusted))


def test_counts_of_random_trials_are_those_of_a_plain_count():
    draw = random.Random(7)
    verdicts = ["passed", "passed", "failed", "syntax", "infrastructure"]
    table = {number: {arm: draw.choice(verdicts) for arm in ARMS} for number in range(300)}
    figures = ablation(
        [trial(number, arm, verdict) for number, own in table.items() for arm, verdict in own.items()], STEPS
    )
    for step, arm in [*((step, f"without {step}") for step in STEPS), ("together", "none")]:
        pairs = [own for own in table.values() if "infrastructure" not in {own["all"], own[arm]}]
        gained = [own for own in pairs if own["all"] == "passed" != own[arm]]
        broken = [own for own in pairs if own["all"] != "passed" == own[arm]]
        killed = [own for own in broken if own["none"] == "passed"]
        assert counts(figures["effects"][step]) == (len(pairs), len(gained), len(broken), len(killed), 0)
        difference = sum(own["all"] == "passed" for own in pairs) - sum(own[arm] == "passed" for own in pairs)
        assert figures["effects"][step]["net"]["value"] == pytest.approx(difference / len(pairs))


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        ((36, 12, 2, 0), 0.0569, 0.3404),  # Newcombe 1998, table II, method 10
        ((1, 1, 7, 12), -0.507, -0.026),  # Fagerland, Lydersen and Laake 2014, on the data of Bentur 2009
    ],
)
def test_the_interval_is_that_of_the_published_examples(cells, low, high):
    both, gained, broken, _ = cells
    found = paired(gained, broken, both + gained, sum(cells))["net"]
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))


@pytest.mark.parametrize(("gained", "broken"), itertools.product([0, 1, 5, 12], repeat=2))
def test_p_is_the_share_of_coin_tosses_that_are_as_far_off(gained, broken):
    n = gained + broken
    tosses = sum(math.comb(n, heads) for heads in range(n + 1) if abs(2 * heads - n) >= abs(gained - broken))
    assert paired(gained, broken, 20 + gained, 60)["p"] == pytest.approx(tosses / 2**n)


def test_the_interval_holds_the_true_difference_about_as_often_as_it_says():
    draw, held, rounds = random.Random(3), 0, 400
    for _ in range(rounds):
        kinds = draw.choices(["both", "gained", "broken", "neither"], [0.35, 0.2, 0.05, 0.4], k=50)
        gained, broken, both = (kinds.count(kind) for kind in ("gained", "broken", "both"))
        net = paired(gained, broken, both + gained, 50)["net"]
        held += net["low"] <= 0.15 <= net["high"]
    assert 0.92 <= held / rounds <= 0.98


def test_a_run_that_changes_nothing_is_not_sure_that_there_is_nothing():
    net = effect([{one.arm: one for one in trials(number)} for number in range(20)], "without prose")["net"]
    assert net["value"] == 0.0
    assert net["low"] < 0.0 < net["high"]
