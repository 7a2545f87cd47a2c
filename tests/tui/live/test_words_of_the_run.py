"""A run on the live screen is started by the words of its own command."""

from pathlib import Path

import pytest

from tui.live.starting import child_words


@pytest.mark.parametrize(
    ("words", "child"),
    [
        (["replay", "demo", "--live"], ["replay", "demo", "--plain", "--json", "--out", "a run"]),
        (
            ["replay", "demo", "--live", "--json", "--out", "mine"],
            ["replay", "demo", "--out", "mine", "--plain", "--json"],
        ),
        (["evaluate", "x", "--out=mine", "--live"], ["evaluate", "x", "--out=mine", "--plain", "--json"]),
        (["replay", "--live", "--", "-x"], ["replay", "--plain", "--json", "--out", "a run", "--", "-x"]),
        (
            ["replay", "--live", "--", "--out", "--json"],
            ["replay", "--plain", "--json", "--out", "a run", "--", "--out", "--json"],
        ),
    ],
)
def test_the_run_gets_the_words_of_its_command(words, child):
    assert child_words(words, Path("a run")) == child
