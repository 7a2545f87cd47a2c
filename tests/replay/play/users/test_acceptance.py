"""The acceptance model: what it looks at, its arithmetic, its data, and the fit that its numbers come from."""

import json
import math
import re
import subprocess
import sys

import msgspec
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from tapes import Typist

from replay.errors import ReplayError
from replay.play.users.acceptance.errors import CoefficientsError, TrialsError
from replay.play.users.acceptance.features import FEATURES, SCREEN, match
from replay.play.users.acceptance.model import BUNDLED, Coefficient, Model, Weights, load, logistic
from replay.play.users.acceptance.trials import DataSet, Trial, TrialsHeader, read, write
from replay.play.users.offers import Offer
from replay.tapes.following import Followed
from replay.tapes.tape import Ghost
from tools.acceptance import fit as fitting
from tools.acceptance.from_study import trials_of_study
from tools.acceptance.from_tape import trials_of_tape

HEADER = '{"trials": 1, "name": "ours", "source": "our editors"}'


def document():
    """docs/users.md, each paragraph on one line."""
    text = (BUNDLED.parents[4] / "docs" / "users.md").read_text(encoding="utf-8")
    return re.sub(r"(?<![\n|])\n +(?=[^|\s])|(?<![\n|])\n(?=\w)", " ", text)


def interval_in(text, value, interval, digits):
    return f"{value:.{digits}f} ({interval[0]:.{digits}f} to {interval[1]:.{digits}f})" in text


def offer(text="abc", before="", after="", **fields):
    known = {"language": "python", "latency": 100.0, "idle": 150.0, "followed": Followed(text, (), ())}
    return Offer(text=text, before=before, after=after, **known | fields)


# Features


@pytest.mark.parametrize(
    ("text", "before", "after", "share"),
    [
        ("total + rest", "total = 1\n", "", 1 / 2),
        ("total + total + x", "total = 1\n", "", 2 / 3),
        ("x", "", "\nprint(x)", 1.0),
        ("sole.log(a)", "console.warn(1);\na = 2;\ncon", "", 2 / 3),
        ("sole", "console\ncon", "", 1.0),
        ("sole", "con", "", 0.0),
        ("con", "x = ", "sole", 0.0),
        ("con", "console\nx = ", "sole", 1.0),
        (".log", "x", "", 0.0),
        (" + y2", "y2 = y", "", 1.0),
        ("größe", "größe = 1\n", "", 1.0),
        ("12 + 3", "12", "", None),
        (") {", "if (a", "", None),
    ],
)
def test_match_is_the_share_of_names_that_are_on_screen(text, before, after, share):
    assert match(offer(text, before, after)) == share


@pytest.mark.parametrize(("lines", "share"), [(SCREEN, 1.0), (SCREEN + 1, 0.0)])
def test_what_is_further_away_than_the_screen_is_high_does_not_match(lines, share):
    assert match(offer("name", "name" + "\n" * lines)) == share
    assert match(offer("name", "", "\n" * lines + "name")) == share


def test_each_feature_is_measured_and_scaled_as_its_unit_says():
    shown = offer("a = 1\nb", "a\n", latency=99.0, idle=249.0, confidence=-0.5)
    assert {name: feature.measure(shown) for name, feature in FEATURES.items()} == {
        "characters": 7,
        "lines": 2,
        "latency": 99.0,
        "idle": 249.0,
        "match": 0.5,
        "confidence": -0.5,
    }
    values = {"characters": 7, "lines": 2, "latency": 99.0, "idle": 249.0, "match": 0.5, "confidence": -0.5}
    scaled = [FEATURES[name].scale(value) for name, value in values.items()]
    assert scaled == pytest.approx([math.log(8), math.log(2), math.log(100), math.log(250), 0.5, -0.5])


# The model


def model(**weights):
    return Model(format=1, **{name: Weights(**fields) for name, fields in weights.items()})


def test_the_chance_is_the_logistic_function_of_the_weighed_features():
    features = {
        "characters": Coefficient(coefficient=0.5, center=2.0),
        "match": Coefficient(coefficient=1.5, center=0.25),
    }
    fitted = model(without_confidence={"intercept": -1.0, "features": features})
    score = -1.0 + 0.5 * (math.log(8) - 2.0) + 1.5 * (0.5 - 0.25)
    assert fitted.probability(offer("a = 1\nb", "a\n")) == pytest.approx(math.e**score / (1 + math.e**score), rel=1e-12)


def test_a_value_that_is_not_known_changes_nothing():
    features = {"match": Coefficient(coefficient=9.0, center=0.25)}
    fitted = model(without_confidence={"intercept": 0.0, "features": features})
    assert fitted.probability(offer("();")) == 0.5


def test_a_value_beyond_what_was_seen_counts_as_the_end_of_what_was_seen():
    features = {"latency": Coefficient(coefficient=1.0, center=0.0, seen=(math.log(101), math.log(1001)))}
    fitted = model(without_confidence={"intercept": 0.0, "features": features})
    chances = [fitted.probability(offer(latency=latency)) for latency in (0.0, 50.0, 100.0, 500.0, 1000.0, 1e9)]
    assert chances == pytest.approx([101 / 102, 101 / 102, 101 / 102, 501 / 502, 1001 / 1002, 1001 / 1002])


def test_confidence_chooses_the_weights_that_were_fitted_with_it():
    sure = {"intercept": 1.0, "features": {"confidence": Coefficient(coefficient=2.0, center=-1.0)}}
    both = model(without_confidence={"intercept": -1.0, "features": {}}, with_confidence=sure)
    assert both.probability(offer()) == pytest.approx(1 / (1 + math.e))
    assert both.probability(offer(confidence=-0.5)) == pytest.approx(1 / (1 + math.e**-2))
    one = model(without_confidence={"intercept": -1.0, "features": {}})
    assert one.probability(offer(confidence=-0.5)) == pytest.approx(1 / (1 + math.e))


@pytest.mark.parametrize(("score", "chance"), [(0.0, 0.5), (1000.0, 1.0), (-1000.0, 0.0), (math.log(3), 0.75)])
def test_the_logistic_function_holds_out_to_its_ends(score, chance):
    assert logistic(score) == pytest.approx(chance)


PLAIN = "format = 1\n[without_confidence]\nintercept = 0.0\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("format = ", "these are no coefficients of an acceptance model"),
        ("format = 1\n", r"missing required field `without_confidence`"),
        (PLAIN, r"missing required field `features` - at `\$.without_confidence`"),
        (PLAIN.replace("0.0", '"much"') + "features = {}", r"Expected `float`, got `str` - at .*intercept"),
        (PLAIN.replace("0.0", "nan") + "features = {}", "without_confidence.intercept is nan, and must be finite"),
        (PLAIN.replace("1", "2") + "features = {}", "format 2 is not known, only 1 is: fit it again"),
        (PLAIN + "slope = 1.0\nfeatures = {}", "unknown field `slope`"),
        (
            PLAIN + "features.mood = {coefficient = 1.0, center = 0.0}",
            "without_confidence names the feature 'mood', which is not known: choose from characters, lines, latency",
        ),
        (PLAIN + 'unfitted = ["mood"]\nfeatures = {}', "names the feature 'mood'"),
        (PLAIN + "features.idle = {coefficient = inf, center = 0.0}", "features.idle has inf and 0.0"),
        (PLAIN + "features.idle = {coefficient = 1.0}", r"missing required field `center`"),
        (
            PLAIN + 'unfitted = ["idle"]\nfeatures.idle = {coefficient = 1.0, center = 0.0}',
            "features.idle is among the unfitted as well",
        ),
        (PLAIN + "features.confidence = {coefficient = 1.0, center = 0.0}", "unknown confidence and cannot weigh it"),
    ],
)
def test_a_file_that_no_model_can_be_made_of_is_refused_with_file_and_reason(tmp_path, content, reason):
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(CoefficientsError, match=rf"mine\.toml: .*{reason}"):
        load(path)


# Trials


def test_trials_are_read_as_they_were_written(tmp_path):
    trials = (
        Trial(person="a", accepted=True, characters=3, lines=1, latency=5.5, idle=7.0, match=0.5, confidence=-0.1),
        Trial(person="b", accepted=False),
    )
    data = DataSet(TrialsHeader(trials=1, name="ours", source="our editors"), trials)
    write(data, tmp_path / "ours.jsonl")
    assert read(tmp_path / "ours.jsonl") == data
    assert data.covers() == tuple(FEATURES)


@pytest.mark.parametrize(
    ("lines", "where", "reason"),
    [
        ([], ":1", "Input data was truncated"),
        (['{"person": "a", "accepted": true}'], ":1", "unknown field `person`"),
        (['{"trials": 2, "name": "n", "source": "s"}'], ":1", "Invalid enum value 2"),
        ([HEADER, "{"], ":2", "Input data was truncated"),
        ([HEADER, "", '{"accepted": true}'], ":3", "missing required field `person`"),
        ([HEADER, '{"person": "a"}'], ":2", "missing required field `accepted`"),
        ([HEADER, '{"person": "a", "accepted": 1}'], ":2", "Expected `bool`, got `int`"),
        ([HEADER, '{"person": "a", "accepted": true, "mood": 1}'], ":2", "unknown field `mood`"),
        ([HEADER, '{"person": "a", "accepted": true, "match": 1.5}'], ":2", r"Expected `float` <= 1.*\$.match"),
        ([HEADER, '{"person": "a", "accepted": true, "lines": 0}'], ":2", r"Expected `int` >= 1.*\$.lines"),
        ([HEADER, '{"person": "a", "accepted": true, "idle": -1}'], ":2", r"Expected `float` >= 0.*\$.idle"),
        ([HEADER, '{"person": "a", "accepted": true, "confidence": 0.2}'], ":2", r"Expected `float` <= 0.*\$.conf"),
        ([HEADER], "", "of 0 trials 0 were accepted: both outcomes are needed"),
        ([HEADER, '{"person": "a", "accepted": true}'], "", "of 1 trials 1 were accepted"),
        (
            [HEADER, '{"person": "a", "accepted": true}', '{"person": "a", "accepted": false}'],
            "",
            "all trials are of one person and one stretch",
        ),
    ],
)
def test_malformed_trials_are_refused_with_file_line_and_reason(tmp_path, lines, where, reason):
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(TrialsError, match=rf"ours\.jsonl{where}: .*{reason}"):
        fitting.read_any(path)


def test_a_file_of_trials_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TrialsError, match=r"no\.jsonl: cannot be read: No such file"):
        fitting.read_any(tmp_path / "no.jsonl")


# The study


def states(path, *rows):
    """Rows (user, seconds, state, ms since the request)."""
    for user, at, state, issued in rows:
        measured = {"compCharLen": 10.0 + at, "numLines": 2.0, "timeSinceIssuedMs": issued, "meanLogProb": -0.5}
        row = {"user": user, "t": f"2022-08-08T16:05:{at:06.3f}Z", "state": state, "measurements": measured}
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
    return trials_of_study(path)


def test_a_suggestion_is_one_trial_from_when_it_was_shown_until_its_end(tmp_path):
    data = states(
        tmp_path / "study.jsonl",
        (1, 1, "Shown", 300.0),
        (2, 2, "Shown", 400.0),
        (1, 3, "Replay", 2300.0),
        (1, 4, "Replay", 3300.0),
        (1, 5, "Accepted", 4300.0),
        (2, 6, "Rejected", 4400.0),
    )
    assert [(trial.person, trial.accepted, trial.characters, trial.latency) for trial in data.trials] == [
        ("1", True, 11, 300.0),
        ("2", False, 12, 400.0),
    ]
    assert {(trial.lines, trial.confidence) for trial in data.trials} == {(2, -0.5)}


def test_a_suggestion_without_an_end_is_no_trial(tmp_path):
    rows = [(1, 1, "Shown", 300.0), (1, 2, "Shown", 300.0), (1, 3, "Accepted", 1300.0), (2, 4, "Rejected", 9.0)]
    data = states(tmp_path / "study.jsonl", *rows, (3, 5, "Shown", 9.0), (3, 6, "Rejected", 9.0), (3, 7, "Shown", 9.0))
    assert [(trial.person, trial.accepted, trial.characters) for trial in data.trials] == [
        ("1", True, 12),
        ("3", False, 15),
    ]


def test_an_answer_that_was_asked_for_before_the_last_suggestion_came_says_nothing_of_the_wait(tmp_path):
    rows = [(1, 1, "Shown", 300.0), (1, 2, "Rejected", 1300.0), (1, 2.1, "Shown", 1500.0), (1, 3, "Accepted", 2400.0)]
    data = states(
        tmp_path / "study.jsonl",
        *rows,
        (1, 4, "Shown", 900.0),
        (2, 5, "Shown", 9.0),
        (1, 6, "Rejected", 9.0),
        (2, 7, "Rejected", 9.0),
    )
    assert [trial.latency for trial in data.trials] == [300.0, None, 900.0, 9.0]


def test_a_line_of_the_study_that_is_no_state_is_refused_with_its_line(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"user": 1, "measurements": {}, "state": "Shown"}\n')
    with pytest.raises(TrialsError, match=r"study\.jsonl:1: .*missing required field"):
        fitting.read_any(path)


@pytest.fixture(scope="module")
def study(shared):
    return fitting.read_any(shared / "acceptance" / "copilot_study.jsonl")


def test_the_study_has_the_published_rates(study):
    """35.2 % accepted, 13 to 57 % by person (PEERS.md), from 21 people."""
    people = {trial.person for trial in study.trials}
    rates = [np.mean([trial.accepted for trial in study.trials if trial.person == person]) for person in people]
    assert (len(people), len(study.trials)) == (21, 1096)
    assert sum(trial.accepted for trial in study.trials) / len(study.trials) == pytest.approx(0.352, abs=5e-4)
    assert (min(rates), max(rates)) == (pytest.approx(0.13, abs=0.005), pytest.approx(0.57, abs=0.005))


def test_the_document_counts_the_study_s_trials_as_they_are(study):
    text = document()
    assert f"({sum(trial.latency is None for trial in study.trials)} trials)" in text
    assert f"{sum(trial.confidence is not None for trial in study.trials):,} trials `confidence`" in text


# A tape


class Assisted(Typist):
    def asks(self, request, text, *, ms=40.0, away=0, overtaken=""):
        offset = len(self.text)
        self.events.append(Ghost(self.t, 0, request, "asked", offset))
        self.type(overtaken)
        self.t += ms
        self.events.append(Ghost(self.t, 0, request, "shown", offset - away, text, ms))
        return self

    def takes(self, request, text, phase="accepted"):
        at = len(self.text)
        self.edit((at, at, text), reason="accept")
        self.events.append(Ghost(self.t, 0, request, phase, at, text))
        return self


def session():
    typist = Assisted(text="total = 1\n", name="s")
    typist.type("t").asks(1, "otal + x").type("o").asks(2, "tal + x").takes(2, "tal + x")
    typist.type("\n").asks(3, "zzz").type("q")
    return typist


def trials_of(typist):
    """Its trials, and one more, five minutes later, that is left out again: a tape of one stretch is no data."""
    typist.t += 301_000
    typist.type("x").asks(99, "later")
    *trials, last = trials_of_tape(typist.tape()).trials
    assert last.characters == 5
    return trials


def test_a_tape_s_suggestions_are_trials_with_all_that_a_tape_can_tell():
    first, second = trials_of(session())
    assert first == Trial(
        person="s", accepted=True, stretch="0", characters=8, lines=1, latency=40.0, idle=40.0, match=0.5
    )
    assert second == Trial(
        person="s", accepted=False, stretch="0", characters=3, lines=1, latency=40.0, idle=40.0, match=0.0
    )


def test_a_part_that_was_accepted_counts_as_accepted():
    typist = Assisted().type("a").asks(1, "b c").takes(1, "b", "part").asks(2, " c").type("x").asks(3, "y").type("z")
    assert [trial.accepted for trial in trials_of(typist)] == [True, False]


@pytest.mark.parametrize(
    "unseen",
    [
        lambda typist: typist.asks(9, ""),
        lambda typist: typist.asks(9, "far", away=2),
        lambda typist: typist.asks(9, "late", overtaken="x"),
    ],
)
def test_what_was_not_to_be_seen_at_the_cursor_is_no_trial(unseen):
    assert [trial.characters for trial in trials_of(unseen(session()))] == [8, 3]


def test_stretches_of_a_tape_are_five_minutes_long():
    typist = session()
    typist.t += 301_000
    data = trials_of_tape(typist.type("x").asks(4, "later").tape())
    assert data.groups() == ("0", "0", "1")


def test_a_tape_of_one_stretch_is_no_data():
    with pytest.raises(TrialsError, match="<memory>: all trials are of one person and one stretch"):
        trials_of_tape(session().tape())


# The fit


def synthetic(weights, intercept, *, trials=15_000, people=30, name="made"):
    """Trials whose chances are known."""
    random = np.random.default_rng(7)
    made = []
    for at in range(trials):
        values = {
            "characters": int(random.integers(1, 200)),
            "latency": float(random.uniform(50, 2000)),
            "match": float(random.uniform()),
            "confidence": -float(random.exponential(0.5)),
        }
        score = intercept + sum(weight * FEATURES[name].scale(values[name]) for name, weight in weights.items())
        accepted = bool(random.uniform() < logistic(score))
        made.append(Trial(person=str(at % people), accepted=accepted, **{name: values[name] for name in weights}))
    return DataSet(TrialsHeader(trials=1, name=name, source="a formula"), tuple(made))


KNOWN = {"characters": -0.4, "latency": 0.3, "match": 1.2, "confidence": 0.8}


def test_a_fit_recovers_the_weights_that_trials_were_made_with():
    weights = fitting.fit([synthetic(KNOWN, 0.5)], resamples=20).with_confidence
    found = {name: weight.coefficient for name, weight in weights.features.items()}
    assert found == pytest.approx(KNOWN, abs=0.2)
    raw = weights.intercept - sum(weight.coefficient * weight.center for weight in weights.features.values())
    assert raw == pytest.approx(0.5, abs=0.6)
    assert set(weights.unfitted) == {"lines", "idle"}
    assert all(low < KNOWN[name] < high for name, (low, high) in intervals_of(weights).items())


def intervals_of(weights):
    """The intervals, half as wide again: of four at 95 %, one may well miss."""
    widened = {}
    for name, weight in weights.features.items():
        low, high = weight.interval
        widened[name] = (low - (high - low) / 4, high + (high - low) / 4)
    return widened


def test_a_fitted_chance_is_the_one_that_another_fit_of_the_same_design_predicts():
    data = synthetic(KNOWN, 0.5, trials=600, people=6)
    fitted = fitting.fit([data], resamples=2)
    design = [[trial.scaled(name) for name in KNOWN] for trial in data.trials]
    accepted = [trial.accepted for trial in data.trials]
    other = LogisticRegression(C=1e10, tol=1e-10, max_iter=10_000).fit(design, accepted).predict_proba(design)[:, 1]
    ours = [logistic(fitted.with_confidence.score({n: trial.value(n) for n in KNOWN})) for trial in data.trials]
    assert ours == pytest.approx(list(other), abs=1e-4)


def test_a_further_data_set_gives_only_what_the_first_lacks_beside_its_score():
    first = synthetic({"characters": -0.4, "latency": 0.3}, 0.5, trials=900, people=9, name="first")
    second = synthetic({"characters": 0.9, "match": 1.2}, -1.0, trials=900, people=9, name="second")
    alone, both = (fitting.fit(data, resamples=2).without_confidence for data in ([first], [first, second]))
    assert both.intercept == alone.intercept
    assert {name: weight.data for name, weight in both.features.items()} == {
        "characters": "first",
        "latency": "first",
        "match": "second",
    }
    assert both.features["characters"] == alone.features["characters"]
    scores = [alone.score({"characters": trial.characters}) for trial in second.trials]
    assert both.features["match"].coefficient == pytest.approx(greatest(scores, second), rel=1e-3)


def greatest(scores, data):
    """The weight of `match` of greatest likelihood beside a score, by a general optimiser."""
    design = np.array([[1.0, score, trial.match] for score, trial in zip(scores, data.trials, strict=True)])
    signs = np.array([1 if trial.accepted else -1 for trial in data.trials])
    return minimize(lambda weights: np.logaddexp(0, -signs * (design @ weights)).sum(), np.zeros(3)).x[2]


def test_what_a_trial_does_not_tell_stands_at_the_mean():
    data = synthetic({"characters": -0.4, "latency": 0.3}, 0.5, trials=600, people=6)
    holes = tuple(
        msgspec.structs.replace(trial, latency=None) if at % 3 == 0 else trial for at, trial in enumerate(data.trials)
    )
    told = [trial.scaled("latency") for trial in holes if trial.latency is not None]
    weights = fitting.fit([DataSet(data.header, holes)], resamples=2).without_confidence
    assert weights.features["latency"].center == pytest.approx(np.mean(told), rel=1e-5)
    assert weights.features["latency"].seen == pytest.approx((min(told), max(told)), rel=1e-5)


def test_quality_is_measured_on_people_who_were_left_out():
    data = synthetic(KNOWN, 0.5, trials=400, people=5)
    found = fitting.fit([data], resamples=20).with_confidence.quality[0]
    design = [[trial.scaled(name) for name in KNOWN] for trial in data.trials]
    accepted, people = np.array([trial.accepted for trial in data.trials]), [trial.person for trial in data.trials]
    other = cross_val_predict(
        LogisticRegression(C=1e10, max_iter=10_000),
        design,
        accepted,
        groups=people,
        cv=LeaveOneGroupOut(),
        method="predict_proba",
    )[:, 1]
    assert found["auc"] == pytest.approx(roc_auc_score(accepted, other), abs=1e-3)
    assert found["log_loss"] == pytest.approx(log_loss(accepted, other), abs=1e-3)
    assert found["gain"] == pytest.approx(found["log_loss_of_rate"] - found["log_loss"], abs=2e-4)
    assert [line[0] for line in found["calibration"]] == [80] * 5
    assert sum(line[0] * line[2] for line in found["calibration"]) / 400 == pytest.approx(accepted.mean(), abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_data_in_which_one_person_has_all_that_was_accepted_is_refused():
    trials = tuple(
        Trial(person=person, accepted=person == "a", characters=at + 1) for at in range(9) for person in "ab"
    )
    with pytest.raises(ReplayError, match="has all accepted trials, or all others: more data is needed"):
        fitting.fit([DataSet(TrialsHeader(trials=1, name="n", source="s"), trials)], resamples=2)


def test_a_written_fit_is_read_back_as_it_was(tmp_path):
    fitted = fitting.fit([synthetic(KNOWN, 0.5, trials=300, people=5)], resamples=5)
    (tmp_path / "fit.toml").write_text(fitting.text_of(fitted), encoding="utf-8")
    assert msgspec.json.encode(load(tmp_path / "fit.toml")) == msgspec.json.encode(fitted)


def test_the_script_says_what_is_wrong_and_leaves_the_bundled_numbers_alone(tmp_path):
    before = BUNDLED.read_bytes()
    with pytest.raises(SystemExit, match=r"no\.jsonl: cannot be read"):
        fitting.main([str(tmp_path / "no.jsonl")])
    with pytest.raises(SystemExit, match="name the data to fit on"):
        fitting.main([])
    assert BUNDLED.read_bytes() == before


# The bundled coefficients


@pytest.fixture(scope="module")
def refitted(study, long_session):
    return fitting.fit([study, trials_of_tape(long_session)], resamples=30)


@pytest.mark.parametrize("name", ["without_confidence", "with_confidence"])
def test_a_refit_gives_the_bundled_coefficients(refitted, name):
    bundled, again = getattr(load(BUNDLED), name), getattr(refitted, name)
    assert again.intercept == pytest.approx(bundled.intercept, abs=1e-4)
    assert list(again.features) == list(bundled.features)
    assert again.unfitted == bundled.unfitted
    for feature, weight in bundled.features.items():
        found = again.features[feature]
        assert (found.coefficient, found.center) == pytest.approx((weight.coefficient, weight.center), abs=1e-4)
        assert (found.seen, found.data) == (pytest.approx(weight.seen, abs=1e-4), weight.data)
        assert found.interval == pytest.approx(weight.interval, abs=0.6 * (weight.interval[1] - weight.interval[0]))


@pytest.mark.parametrize("name", ["without_confidence", "with_confidence"])
def test_a_refit_has_the_quality_that_the_bundled_file_tells(refitted, name):
    bundled, again = getattr(load(BUNDLED), name), getattr(refitted, name)
    for told, found in zip(bundled.quality, again.quality, strict=True):
        plain = [key for key, value in told.items() if not isinstance(value, list | tuple)]
        assert {key: found[key] for key in plain} == {key: pytest.approx(told[key], abs=2e-3) for key in plain}
        shares = [[line[:3] for line in quality["calibration"]] for quality in (found, told)]
        assert shares[0] == [pytest.approx(line, abs=2e-3) for line in shares[1]]


def test_the_bundled_file_names_its_data_and_what_was_not_fitted(refitted):
    bundled = load(BUNDLED)
    assert list(bundled.data) == list(refitted.data)
    assert bundled.without_confidence.unfitted == ()
    assert bundled.with_confidence.unfitted == ("idle", "match")


def test_replay_does_not_need_what_fits_the_model():
    code = "import sys, replay.play.users.user; replay.play.users.user.user_of('model'); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_document_tells_the_bundled_figures():
    text, bundled = document(), load(BUNDLED)
    recording = bundled.without_confidence.quality[1]
    assert interval_in(text, recording["auc_before"], recording["auc_before_interval"], 3)
    assert interval_in(text, recording["slope_before"], recording["slope_before_interval"], 2)
    rows = dict(re.findall(r"^\| (?:`(\w+)`|intercept) \| (.*) \| (?:study|recording) \|$", text, re.MULTILINE))
    for weights, column in ((bundled.without_confidence, 0), (bundled.with_confidence, 1)):
        for name, weight in {"": None, **weights.features}.items():
            value, (low, high) = (
                (weight.coefficient, weight.interval) if weight else (weights.intercept, weights.interval)
            )
            assert rows[name].split("|")[column].strip() == f"{value:.3f} ({low:.3f} to {high:.3f})"
        for quality in weights.quality:
            for figure in ("auc", "log_loss", "log_loss_of_rate", "gain"):
                assert interval_in(text, quality[figure], quality[f"{figure}_interval"], 3)
            for _, mean, share, low, high in quality["calibration"]:
                assert f"{mean:.2f} → {share:.2f} ({low:.2f} to {high:.2f})" in text
