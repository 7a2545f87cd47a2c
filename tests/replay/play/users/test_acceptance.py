"""The acceptance model: what it looks at, and its arithmetic."""

import math

import pytest

from replay.play.users.acceptance.acceptance_model import Coefficient, Model, Weights, load, logistic
from replay.play.users.acceptance.errors import CoefficientsError
from replay.play.users.acceptance.features import FEATURES, SCREEN, match
from replay.play.users.offers import Offer
from replay.tapes.lasting_text import Followed


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
