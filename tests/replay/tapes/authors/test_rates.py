"""Streams of short pieces and of pieces that are written again, told by their rate from what a person types."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay.tapes.authors.streams import numbers, recognised
from replay.tapes.tape import verify
from replay.tapes.timeline import Timeline
from syntax.text import length
from tests.support.places import DEMO
from tests.support.scale import examples
from tests.support.tapes import Typist
from tests.support.unsigned_tapes import agents, change, growing, stream, without_reasons

CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DEMO.glob("*/**/*.py"))).replace("self", "😀")
FUNCTION = (
    "def total(prices, tax):\n    found = 0\n    for one in prices:\n        found += one * tax\n    return found\n"
)
REPEATING = (16.0, 20.0, 30.0, 33.0, 40.0)
"""Times between the repeats of a key that is held down (ms): from 60 a second, which is set by hand, to X11's 25."""


def by_hand(tape):
    """How many edits count as keys that a person pressed."""
    timeline = Timeline(tape)
    return sum(map(timeline.is_by_hand, range(len(tape.events))))


@pytest.mark.parametrize("keys", ["\n \n @", "\n\n\n\n(", "#"])
def test_keys_at_the_start_of_a_stream_are_the_agents(keys):
    typist = Typist(text="import os\n")
    written = stream(typist, [*keys, "def", " total", "(prices", ", tax", "):", "\n    return", " sum", "(prices)"])
    assert agents(typist.tape()) == written
    assert by_hand(typist.tape()) == 0


def test_keys_more_than_a_frame_before_a_stream_are_the_persons():
    typist = Typist().type("x\n")
    typist.t += numbers().agent.frame - 20 + 1
    written = stream(typist, ["(", "def", " total", "(prices", ", tax", "):", "\n    return", " sum"], gap=20)
    assert agents(typist.tape()) == written


@pytest.mark.parametrize("gap", [5.0, 16.0, 33.0])
def test_characters_one_by_one_are_an_agents(gap):
    typist = Typist(text="x = 1\n")
    written = stream(typist, FUNCTION, gap=gap)
    assert len(written) == len(FUNCTION)
    assert agents(typist.tape()) == written
    assert by_hand(typist.tape()) == 0


def test_characters_one_by_one_wait_for_the_model_too():
    typist = Typist()
    written = stream(typist, FUNCTION[:9], gap=12)
    for start in range(9, len(FUNCTION), 40):
        typist.t += 300
        written |= stream(typist, FUNCTION[start : start + 40], gap=12)
    assert agents(typist.tape()) == written


@pytest.mark.parametrize("by_line", [False, True])
def test_text_that_is_written_again_with_each_word_is_an_agents(by_line):
    typist = Typist(text="x = 1\n")
    words = [FUNCTION[at : at + 5] for at in range(0, len(FUNCTION), 5)]
    written = growing(typist, words, by_line=by_line)
    assert len(written) == 21
    assert agents(typist.tape()) == written


def test_short_words_count_with_keys():
    typist = Typist()
    written = stream(typist, ["def", " ", "f", "(", "xs", ")", ":", "\n    return", " sum", "(xs)"])
    assert len(written) == 10
    assert agents(typist.tape()) == written


@pytest.mark.parametrize("gap", REPEATING)
@pytest.mark.parametrize("text", ["a", "\n    ", "()", "😀"])
def test_a_key_that_is_held_down_is_a_persons(gap, text):
    typist = Typist().type("let x")
    stream(typist, [text] * 80, gap=gap)
    typist.type("=1")
    assert agents(typist.tape()) == set()


@pytest.mark.parametrize("gap", REPEATING)
def test_a_quote_that_is_held_down_opens_and_closes_strings_and_is_a_persons(gap):
    typist = Typist()
    for at in range(0, 80, 2):
        change(typist, at, at, '""', gap)
        change(typist, at + 1, at + 2, '"', gap)
    assert agents(typist.tape()) == set()


@pytest.mark.parametrize("gap", REPEATING)
def test_a_number_that_is_counted_up_with_a_key_held_down_is_a_persons(gap):
    typist = Typist(text="x = 7")
    for number in range(8, 120):
        change(typist, 4, 4 + len(str(number - 1)), str(number), gap)
    assert agents(typist.tape()) == set()


@pytest.mark.parametrize("gap", REPEATING)
def test_a_key_that_is_held_down_in_an_input_method_is_a_persons(gap):
    """An input method (for Japanese, for example) writes its whole composition again with each key."""
    typist = Typist(text="x")
    growing(typist, ["あ"] * 60, gap=gap)
    assert agents(typist.tape()) == set()


@pytest.mark.parametrize("gap", [0.0, 0.3, 1.0, 3.0])
def test_keys_that_an_editor_writes_at_once_after_standing_still_are_a_persons(gap):
    typist = Typist()
    stream(typist, FUNCTION, gap=gap)
    assert agents(typist.tape()) == set()


def test_keys_that_an_editor_writes_one_by_one_after_standing_still_for_two_seconds_are_a_persons():
    typist = Typist()
    stream(typist, "return sum(prices) * ", gap=8)
    assert agents(typist.tape()) == set()


def test_keys_that_roll_over_behind_a_stream_are_the_persons():
    typist = Typist()
    written = stream(typist, ["def", " total", "(prices", ", tax", "):", "\n    return", " sum"], gap=20)
    for keys in ("(", "the", "re", ")"):
        typist.t += 150
        stream(typist, keys, gap=15)
    assert agents(typist.tape()) == written


def test_keys_elsewhere_are_the_persons_while_an_agent_writes_characters():
    typist, written, keys = Typist(text="\n" * 9), set(), set()
    for number, char in enumerate(FUNCTION):
        if number % 12 == 5:
            keys.add(change(typist, 0, 0, "k", 4))
        written |= stream(typist, char, gap=8)
    assert agents(typist.tape()) == written
    assert by_hand(typist.tape()) == len(keys) == 9


def test_the_numbers_lie_where_these_tests_need_them():
    limits = numbers().agent
    assert limits.key_batch < 5 < 1000 / 30 < limits.key_frame < 35 < limits.frame, (
        "what the tests of this file are about"
    )
    assert limits.keys * limits.edits > 20


KEYS = st.sampled_from([*"abcdefgh xyz.,=+:;)]}'\"\n(", "()", "[]", "''", "\n    ", "😀"])


@given(st.lists(st.tuples(KEYS, st.floats(35, 400, exclude_min=True)), max_size=250), st.booleans())
def test_typing_with_more_than_35_ms_between_the_keys_is_never_an_agents(typed, takes_back):
    typist = Typist(text="start\n")
    at = length(typist.text)
    for number, (key, gap) in enumerate(typed):
        change(typist, at, at, key, gap)
        at += length(key)
        if takes_back and number % 7 == 3:
            change(typist, at - 1, at, "", gap)
            at -= 1
    tape = typist.tape()
    verify(tape)
    assert recognised(tape.events) == {}


ROLLING = st.lists(st.tuples(KEYS, st.floats(0, 34)), min_size=1, max_size=3)


@given(st.lists(st.tuples(ROLLING, st.floats(51, 400)), max_size=80))
def test_typing_in_which_keys_roll_over_is_never_an_agents(typed):
    typist = Typist()
    for keys, pause in typed:
        typist.t += pause
        for key, gap in keys:
            change(typist, *[length(typist.text)] * 2, key, gap)
    assert agents(typist.tape()) == set()


@st.composite
def pieces(draw):
    """Code in any pieces: at least so many that characters alone are enough, though some repeat the one before."""
    sizes = draw(st.lists(st.one_of(st.just(1), st.integers(1, 40)), min_size=80, max_size=160))
    at = draw(st.integers(0, len(CODE) - sum(sizes)))
    ends = [at + sum(sizes[:number]) for number in range(len(sizes) + 1)]
    return [CODE[start:end] for start, end in pairwise(ends)]


@given(pieces(), st.sampled_from(["behind", "all", "line"]), st.randoms(use_true_random=False), st.data())
@settings(max_examples=examples(150))
def test_a_stream_in_any_pieces_is_recognised_as_a_whole_between_the_keys_of_a_person(words, form, random, data):
    typist = Typist(text="start\n")
    low, high = sorted((data.draw(st.floats(5, 33)), data.draw(st.floats(5, 33))))
    _type(typist, data.draw(st.text("abc( \n", max_size=12)), data)
    typist.t += data.draw(st.floats(51, 450))
    written = _written(typist, words, form, lambda: random.uniform(low, high))
    _type(typist, data.draw(st.text("abc( \n", max_size=12)), data)
    tape = without_reasons(typist.tape())
    verify(tape)
    assert agents(tape) == written


def _written(typist, words, form, gap):
    if form == "behind":
        return stream(typist, words, gap=gap)
    return growing(typist, words, gap=gap, by_line=form == "line")


def _type(typist, text, data):
    for char in text:
        change(typist, *[length(typist.text)] * 2, char, data.draw(st.floats(51, 450)))
