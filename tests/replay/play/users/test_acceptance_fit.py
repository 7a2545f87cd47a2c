"""The fit that the numbers of the acceptance model come from."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from replay.errors import ReplayError
from replay.play.users.acceptance.acceptance_model import BUNDLED, load, logistic
from replay.play.users.acceptance.acceptance_trials import DataSet, Trial, TrialsHeader
from replay.play.users.acceptance.features import FEATURES
from tests.support.acceptance_document import document, interval_in
from tools.acceptance import fit as fitting


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


def test_a_study_of_real_people_gives_the_features_that_the_bundled_file_has_from_it(study):
    bundled, fitted = load(BUNDLED), fitting.fit([study], resamples=5)
    for name in ("without_confidence", "with_confidence"):
        features = getattr(bundled, name).features
        assert list(getattr(fitted, name).features) == [
            each for each, weight in features.items() if weight.data == study.header.name
        ]


def test_replay_does_not_need_what_fits_the_model():
    code = "import sys, replay.play.users.user; replay.play.users.user.user_of('model'); sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_document_tells_the_bundled_figures():
    text, bundled = document(), load(BUNDLED)
    recording = bundled.without_confidence.quality[1]
    assert interval_in(text, recording["auc_before"], recording["auc_before_interval"], 3)
    assert interval_in(text, recording["slope_before"], recording["slope_before_interval"], 2)
    for weights in (bundled.without_confidence, bundled.with_confidence):
        assert (
            f"| intercept | {weights.intercept:.3f} ({weights.interval[0]:.3f} to {weights.interval[1]:.3f}) |" in text
        )
        for name, weight in weights.features.items():
            assert interval_in(text, weight.coefficient, weight.interval, 3), name
        for quality in weights.quality:
            for figure in ("auc", "log_loss", "log_loss_of_rate", "gain"):
                assert interval_in(text, quality[figure], quality[f"{figure}_interval"], 3)
            for _, mean, share, low, high in quality["calibration"]:
                assert f"{mean:.2f} → {share:.2f} ({low:.2f} to {high:.2f})" in text
