"""What tokens cost, and what is said where a server does not tell them."""

import pytest

from corpora.evaluation_options import EvaluateOptions
from replay.numbers.comparison import ComparedRun, figures_of
from replay.numbers.costs import Price, no_cost, token_use
from replay.numbers.figures import read_figure
from replay.numbers.paired.fronts import fronts
from replay.numbers.paired.sentences import front_sentences
from replay.options import ReplayOptions
from server.settings import ProviderSettings, Settings

PRICES = {"a": Price(2.5, 10.0), "b": Price(1.0, 2.0)}


def test_the_cost_of_tokens_is_by_the_million():
    # by hand: 2.5 * 4000 / 1e6 + 10 * 100 / 1e6 = 0.01 + 0.001; 1 * 1000 / 1e6 + 2 * 500 / 1e6 = 0.002
    use = token_use([("a", 4000, 100), ("b", 1000, 500)], PRICES)
    assert (use.input_tokens, use.output_tokens, use.untold) == (5000, 600, 0)
    assert use.cost == pytest.approx(0.013)


@pytest.mark.parametrize("untold", [("a", None, 5), ("a", 5, None), ("a", None, None)])
def test_an_answer_whose_tokens_are_not_told_is_in_no_sum_and_said(untold):
    use = token_use([("a", 1000, 0), untold], PRICES)
    assert (use.input_tokens, use.output_tokens, use.untold) == (1000, 0, 1)
    assert use.cost == pytest.approx(0.0025)


def test_there_is_no_cost_where_a_model_has_no_price_or_nothing_is_told():
    assert token_use([("c", 10, 10), ("a", 1, 1)], PRICES).cost is None
    assert token_use([("a", None, None)], PRICES).cost is None
    assert token_use([], PRICES).cost is None


def test_a_price_below_nothing_is_refused():
    with pytest.raises(ValueError, match="below 0"):
        Price(-1, 0)


def test_a_front_of_cost_leaves_out_runs_whose_cost_lacks_answers():
    def run(name, **cost):
        return ComparedRun(name, {}, [], {"metrics": {"pass_at_1": {"value": 0.5}}, "cost": {"tokens": 9, **cost}})

    runs = [run("all", cost=2.0, untold=0), run("half", cost=1.0, untold=8), run("more", cost=3.0, untold=0)]
    found = [figures_of(each) for each in runs]
    assert [(each["cost"], each["tokens"]) for each in found] == [(2.0, 9), (None, None), (3.0, 9)]
    assert fronts(found)["cost"] == ["all"]


def test_a_run_that_costs_nothing_is_on_the_front_and_holds_a_limit_of_cost():
    def run(name, passes, cost):
        return ComparedRun(
            name, {}, [], {"metrics": {"pass_at_1": {"value": passes, "low": 0.1, "high": 0.6}}, "cost": cost}
        )

    dear = {"tokens": 9, "cost": 2.0, "untold": 0}
    runs = [run("free", 0.5, no_cost()), run("worse", 0.4, dear), run("better", 0.6, dear)]
    found = {"runs": [figures_of(each) | {"label": label} for each, label in zip(runs, "ABC", strict=True)]}
    found["fronts"] = {"cost": fronts(found["runs"])["cost"]}
    assert found["fronts"]["cost"] == ["free", "better"]
    said = "No other run passes more for less cost than A (50.0 %, 95 % 10.0 to 60.0), C (60.0 %, 95 % 10.0 to 60.0)."
    assert front_sentences(found) == [said]
    assert read_figure(runs[0].summary, "cost").value == 0.0
    assert "cost" not in fronts(found["runs"][:1] * 2)  # where nothing costs anything, nothing is weighed


@pytest.mark.parametrize(
    ("options", "is_free"),
    [
        (ReplayOptions(settings=Settings(provider=ProviderSettings(name="ngram"))), True),
        (ReplayOptions(settings=Settings(provider=ProviderSettings(name="gguf"))), True),
        (ReplayOptions(settings=Settings(provider=ProviderSettings(name="openai"))), False),
        (
            EvaluateOptions(
                corpus="devbench",
                data="",
                published="gpt-4o",
                settings=Settings(provider=ProviderSettings(name="openai")),
            ),
            True,
        ),
    ],
)
def test_published_answers_and_models_of_this_machine_cost_nothing(options, is_free):
    assert options.is_free == is_free
