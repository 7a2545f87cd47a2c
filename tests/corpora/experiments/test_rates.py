"""How many tokens a prompt has at most, against the longest prompts there are; and how long a load takes, against sums by hand."""

import pytest
from msgspec.structs import replace

from corpora.experiments.experiment_plan import Load, MeasuredRates, most_tokens
from replay.options import ReplayOptions
from server.context import CHARACTERS_A_TOKEN, Snippet, Surroundings, choose
from server.providers import registry
from server.providers.gguf import weights
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.settings import ContextSettings, ProviderSettings, Settings

LINES = "".join(f"    total_{number} = first_{number % 7} + second_{number % 11}\n" for number in range(4_000))
LONG = Surroundings("src/long.py", "python", LINES, LINES, others=[Snippet("src/other.py", LINES)])
SERVERS = (
    {"name": "openai"},
    {"name": "openai", "model": "qwen2.5-coder"},
    {"name": "openai", "api": "chat"},
    {"name": "openai", "chat": "codev"},
    {"name": "ollama", "model": "other"},
    {"name": "anthropic", "model": "other"},
    {"name": "llamacpp"},
)


@pytest.mark.parametrize(
    "context", [ContextSettings(), ContextSettings(before=9_000), ContextSettings(before=50, after=20)]
)
@pytest.mark.parametrize("named", SERVERS, ids=str)
def test_the_longest_prompt_has_about_as_many_tokens_as_is_said_and_no_more(named, context):
    settings = Settings(provider=ProviderSettings(base_url="http://127.0.0.1:9/v1", **named), context=context)
    provider = registry.make(settings.provider)
    budget = provider.budget.overridden(context)
    found = len(provider.prompt(choose(LONG, budget)).shown()) / CHARACTERS_A_TOKEN
    assert 0.5 * (budget.before + budget.after) <= found <= most_tokens(settings)


def test_of_what_a_server_may_want_the_longer_form_counts():
    of = lambda api: Settings(provider=ProviderSettings(name="openai", base_url="http://127.0.0.1:9/v1", api=api))  # noqa: E731
    assert most_tokens(of("auto")) == most_tokens(of("chat")) > most_tokens(of("suffix"))


def options(name="openai", concurrency=1, **provider):
    return ReplayOptions(settings=Settings(provider=ProviderSettings(name=name, **provider)), concurrency=concurrency)


RATES = MeasuredRates({"one": 600.0}, test=2_000.0)


@pytest.mark.parametrize(
    ("wanted", "is_timed", "seconds"),
    [
        (options(model="one"), False, 100 * 0.6 + 10 * 2),
        (options(model="one", concurrency=8), False, 100 * 0.6 / 8 + 10 * 2),
        (options(model="one", concurrency=8), True, 100 * 0.6 + 10 * 2),  # questions of a session stay in order
        (options("gguf", model="one", concurrency=8), False, 100 * 0.6 + 10 * 2),  # in this process one by one
        # 60 a minute: six at once, then the other 54 in a minute
        (options(model="one", concurrency=8, requests_per_minute=60), False, 100 * 60 / 54 + 10 * 2),
        (options(model="one", concurrency=8, tokens_per_minute=10_000), False, 30_000 * 60 / 9_000 + 10 * 2),
        (options(model="one", requests_per_minute=6_000), False, 100 * 0.6 + 10 * 2),
        (options(model="two"), False, None),
    ],
)
def test_a_load_takes_as_long_as_places_and_limits_allow(wanted, is_timed, seconds):
    found = RATES.seconds(wanted, Load(questions=100, tokens=30_000, tests=10), is_timed=is_timed)
    assert found == (None if seconds is None else pytest.approx(seconds))


def test_without_questions_no_rate_is_needed_and_without_tests_either():
    assert MeasuredRates({}, None).seconds(options(model="one"), Load(0, 0, 0), is_timed=False) == 0.0
    assert replace(RATES, test=None).seconds(options(model="one"), Load(10, 0, 0), is_timed=False) == pytest.approx(6.0)


@pytest.mark.parametrize("model", ["", "weights/small.gguf"])
def test_the_rate_of_a_gguf_file_is_found_under_the_name_that_records_have(tmp_path, model):
    shared = tmp_path / "one" / "shared"
    for took in (200.0, 400.0):
        row = AnswerRow("k", "gguf", weights(model), "", ("x",), took=took, session=str(took))
        AnswerFile(shared / "answers.jsonl").append(row)
    rates = MeasuredRates.of(tmp_path / "two" / "shared")
    assert rates.seconds(options("gguf", model=model), Load(10, 0, 0), is_timed=False) == pytest.approx(3.0)
