"""What plain runs asked for: tokens as the server told them, and their cost, against sums by hand."""

import pytest

from tests.support.counting_server import counting_server
from tests.support.places import DEMO

PRICES = '[prices."m"]\ninput = 2.0\noutput = 10.0\n'
EACH = (100 * 2 + 5 * 10) / 1e6
"""A prompt of 100 tokens and an answer of 5, as the server tells them."""


@pytest.fixture
def replay(here, tmp_path):
    def run(server, *words, name):
        provider = (
            "--provider",
            "openai",
            "--base-url",
            server.url,
            "--model",
            "m",
            "--no-tests",
            "--latency",
            "fixed:80",
        )
        return here("replay", "demo", *provider, *words, "--out", name)

    return run


def test_a_replay_tells_the_tokens_of_its_answers_and_their_cost_and_parts_add_up(replay, here, tmp_path):
    (tmp_path / "ghosttape.toml").write_text(PRICES)
    with counting_server() as server:
        replay(server, "--limit", "2", name="one")
        asked = len(server.asked)
    found = here("runs", "show", "./one", "--json").json["cost"]
    told = asked - found["untold"]
    assert told > 0
    assert (found["input_tokens"], found["output_tokens"], found["tokens"]) == (100 * told, 5 * told, 105 * told)
    assert found["cost"] == pytest.approx(told * EACH)
    assert (
        f"Tokens: {'at least ' if found['untold'] else ''}{100 * told:,} of prompts"
        in here("runs", "show", "./one").out
    )


def test_parts_that_are_merged_add_their_tokens_and_their_cost_up(here, tmp_path):
    (tmp_path / "ghosttape.toml").write_text(PRICES)
    parts = {name: DEMO / f"{name}.tape.jsonl" for name in ("ledger", "router")}
    with counting_server() as server:
        words = ("--provider", "openai", "--base-url", server.url, "--model", "m", "--no-tests", "--limit", "6")
        for name, tape in parts.items():
            here("replay", tape, *words, "--latency", "fixed:80", "--out", name)
    apart = [here("runs", "show", f"./{name}", "--json").json["cost"] for name in parts]
    here("runs", "merge", "./both", *parts)
    both = here("runs", "show", "./both", "--json").json["cost"]
    assert both["cost"] == pytest.approx(sum(each["cost"] for each in apart))
    assert both["cost"] > 0
    assert both["input_tokens"] == sum(each["input_tokens"] for each in apart)
    assert both["untold"] == sum(each["untold"] for each in apart)


def test_where_the_server_tells_nothing_or_the_model_has_no_price_it_is_said_and_nothing_is_0(replay, here):
    with counting_server(usage=False) as server:
        out = replay(server, "--limit", "1", name="silent").out
        asked = len(server.asked)
    found = here("runs", "show", "./silent", "--json").json["cost"]
    assert found == {"tokens": None, "input_tokens": 0, "output_tokens": 0, "untold": asked, "cost": None}
    assert "Tokens: the server told none." in out
    with counting_server() as server:
        assert "no price in [prices]" in replay(server, "--limit", "1", name="free").out
