"""The hole of a suggestion: what says the same as the developer, however long, leaves the finished document as it is."""

import random
import re

import pytest

from corpora.demo.bundled import NAMES, demo_tapes
from replay.judge.alignment import statement_ends
from replay.judge.fitting import clipped, fit_fixed
from replay.judge.grafts import emptied, hole_of, language_at, written_since
from replay.play.player_instructions import Spot
from replay.records import Moment
from replay.tapes import tape as tape_files
from replay.tapes.timeline import Timeline
from syntax.languages import language_of
from syntax.parse import parse
from syntax.text import length
from syntax.tokens import tokens
from tests.support.fitted_suggestions import asks, fitted, leave_the_document, offered
from tests.support.scale import SCALE
from tests.support.tapes import Typist

TAPES = {name: tape_files.read(path) for name, path in zip(NAMES, demo_tapes(), strict=True)}
TIMED = ["vscode", "copilot", "tabby", "continue", "cody", "zed", "pause:300", "every"]


MOST = 20 * SCALE
"""So many places are drawn from those of a policy."""


@pytest.mark.sampled
@pytest.mark.parametrize("policy", TIMED)
@pytest.mark.parametrize("name", NAMES)
def test_what_was_written_up_to_any_token_leaves_the_finished_document(name, policy):
    assert leave_the_document(Timeline(TAPES[name]), policy, MOST) > MOST


def test_the_same_holds_in_a_real_recording(recorded_session):
    assert leave_the_document(Timeline(recorded_session), "pause:300") > 100


SWAPS = {
    "+": "-",
    "-": "+",
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">": "<=",
    "and": "or",
    "or": "and",
    "===": "!==",
    "&&": "||",
}


def changed(text, language, luck):
    """A text in which one operator or number is another, and what was changed; None where there is none."""
    found = [
        token for token in tokens(parse(language, text), 0, len(text)) if token.text in SWAPS or token.text.isdigit()
    ]
    if not found:
        return None
    token = luck.choice(found)
    return text[: token.start] + SWAPS.get(token.text, f"1{token.text}") + text[token.end :]


@pytest.mark.sampled
@pytest.mark.parametrize("policy", ["vscode", "pause:300"])
@pytest.mark.parametrize("name", NAMES)
def test_a_changed_operator_or_number_is_the_same_change_in_the_finished_document(name, policy):
    timeline, luck, tried = Timeline(TAPES[name]), random.Random(7), 0
    for spot, hole in asks(timeline, policy, 2 * MOST):
        language = language_at(spot.moment)
        far = written_since(timeline, spot.moment, hole.start, hole.start + 600)
        ends = [end for end in statement_ends(parse(language, hole.final)) if hole.start < end <= far]
        for end in luck.sample(ends, min(3, len(ends))):
            text = changed(hole.final[hole.start : end], language, luck)
            if text is not None:
                by_hand = hole.final[: hole.start] + text + hole.final[end:]
                assert fitted(timeline, spot, offered(spot, text))[1] == by_hand, spot.moment
                tried += 1
    assert tried > 5


@pytest.mark.parametrize("name", NAMES)
def test_what_says_all_and_then_what_stood_right_of_the_cursor_repeats_it(name):
    timeline, tried = Timeline(TAPES[name]), 0
    for spot, hole in asks(timeline, "vscode"):
        far = written_since(timeline, spot.moment, hole.start, len(hole.final))
        right = re.match(r"\W*\w.*", spot.after)
        if right and far < hole.start + 3000 and not spot.after.partition("\n")[0].strip():
            text = f"{hole.final[hole.start : far]}{right[0]}"
            assert fitted(timeline, spot, offered(spot, text))[0].repeats, (spot.moment, text)
            tried += 1
    assert tried > 20


def place(before, after, typed, language="python"):
    path = {"python": "a.py", "javascript": "a.js", "ruby": "a.rb"}[language]
    typist = Typist(path, language, before + after)
    event, offset = len(typist.events), length(before)
    typist.edit((offset, offset, typed))
    moment = Moment(tape="t", event=event, path=path, language=language, offset=offset, line=0, character=0, t=0.0)
    return Timeline(typist.tape()), Spot(moment, before, after)


def test_a_statement_more_than_is_wanted_takes_the_next_statement_too():
    timeline, spot = place("def f(x):\n    a = x\n", "", "    b = a\n    return b\n")
    found, text = fitted(timeline, spot, offered(spot, "    b = a + 1\n    return b + 1\n"))
    assert found.hole.truth.strip() == "b = a\n    return b"
    assert text == "def f(x):\n    a = x\n    b = a + 1\n    return b + 1\n\n"


def test_part_of_a_statement_is_counted_as_its_share_and_emptied_as_a_whole():
    timeline, spot = place("def f(x):\n    ", "", "return x + 1\n")
    found, text = fitted(timeline, spot, offered(spot, "return x"))
    assert (found.hole.truth, found.emptied.truth) == ("return x", "return x + 1")
    assert found.part == len("returnx") / len("returnx+1")
    assert emptied(found.emptied, language_of("python")) == "def f(x):\n    pass\n"
    assert text == "def f(x):\n    return x + 1\n"


@pytest.mark.parametrize(
    ("typed", "after", "text", "repeats"),
    [
        ("b = a", "\n    return b\n", "b = a\n    return b", True),
        ("b = a", "\n    return b\n", "c = 2\n    return b", True),
        ("b = a", "\n    return b\n", "b = a", False),
        ("b = a", "\n    return b\n", "b = a\n    return c", False),
        ("b = a", "\n    return b\n\n\nx = 1\n", "b = a\n    return b\n\n\nx = 2", True),
        ("b = a\n    return b", "\n    return b\n", "b = a\n    return b", False),
        ("b = a", "\n    return b\n", "if not a:\n        return b", False),
        ("b = a\n    return b", "\n    return b\n", "if a:\n        b = a\n    return b", False),
        ("b = a", "\n    return b\n", "if a:\n        b = a\n    return b", True),
        ("b = a", "\n    return b\n", "x = y\n    z = f(\n    return b", True),
        ("b = a", "\n    return b\n", "c = return b", False),
    ],
)
def test_what_stood_right_of_the_cursor_and_is_said_again_is_told(typed, after, text, repeats):
    timeline, spot = place("def f(a):\n    ", after, typed)
    assert fitted(timeline, spot, offered(spot, text))[0].repeats is repeats


@pytest.mark.parametrize(
    ("language", "marked", "text", "repeats"),
    [
        ("ruby", "def f(xs)\n  ¦xs.sum¦\nend\n", "xs.map do |x|\n    x + 1\n  end", False),
        ("ruby", "def f(x)\n  ¦y = x¦\n  y\nend\n", "if x.nil?\n    return 0\n  end", False),
        ("ruby", "def f(x)\n  ¦y = x¦\n  y + 1\nend\n", "z = x\n  y + 1", True),
        ("javascript", "function f(a) {\n  ¦let b = a;¦\n  return b;\n}\n", "if (!a) {\n  return b;", False),
        ("javascript", "function f(a) {\n  ¦let b = a;¦\n  return b;\n}\n", "let c = a;\nreturn b;", True),
    ],
)
def test_only_lines_as_deep_as_the_cursor_repeat(language, marked, text, repeats):
    before, typed, after = marked.split("¦")
    timeline, spot = place(before, after, typed, language)
    assert fitted(timeline, spot, offered(spot, text))[0].repeats is repeats


def test_what_is_said_again_is_told_also_where_the_policy_says_how_much_is_wanted():
    timeline, spot = place("def f(s):\n    ", "\n    s.add(1)\n", "s = set()")
    hole = hole_of(timeline, spot.moment, spot.before, spot.after)
    assert fit_fixed(timeline, hole, spot, offered(spot, "s = set()\n    s.add(1)")).repeats
    assert not fit_fixed(timeline, hole, spot, offered(spot, "s = set()")).repeats


@pytest.mark.parametrize(
    ("language", "before", "typed", "after", "text"),
    [
        (
            "javascript",
            "function f(xs) {\n  ",
            "total += g(x);\n  count++;",
            "\n}\n",
            "total += g(x)\n  count++",
        ),
        ("javascript", "function f(x) {\n  ", "const a = g(x);\n  return a;", "\n}\n", "const a = g(x)\n  return a"),
        ("python", "def f(a):\n    ", "x = a + b + c\n    n += 1", "\n", "x = a\n    n += 1"),
    ],
)
def test_what_the_developer_says_with_more_words_is_not_left_behind(language, before, typed, after, text):
    timeline, spot = place(before, after, typed, language)
    found, document = fitted(timeline, spot, offered(spot, text))
    assert found.hole.truth == typed
    assert document == before + text + after


@pytest.mark.parametrize(
    ("text", "part", "emptied_text"),
    [
        ("if debug:", len("ifdebug:") / len("ifdebug:log(x)log(y)"), "def f(x):\n    pass\n    return x\n"),
        (
            "if debug:\n        log(x)",
            len("ifdebug:log(x)") / len("ifdebug:log(x)log(y)"),
            "def f(x):\n    pass\n    return x\n",
        ),
        ("if debug:\n        log(x)\n        log(y)", 1.0, "def f(x):\n    pass\n    return x\n"),
        (
            "if debug:\n        log(x)\n        log(y)\n    return",
            len("return") / len("returnx"),
            "def f(x):\n    pass\n",
        ),
    ],
)
def test_a_construct_that_is_begun_is_emptied_as_a_whole(text, part, emptied_text):
    timeline, spot = place("def f(x):\n    ", "", "if debug:\n        log(x)\n        log(y)\n    return x\n")
    found, _ = fitted(timeline, spot, offered(spot, text))
    assert found.part == pytest.approx(part)
    assert emptied(found.emptied, language_of("python")) == emptied_text


IF_ELSE = "if n == 1:\n        return a\n    else:\n        return b\n"


@pytest.mark.parametrize(
    ("marked", "text", "truth", "part"),
    [
        (
            f"def f(n):\n    {IF_ELSE.replace('return a', '¦return a', 1)}¦",
            "return a if n == 1 else b",
            "return a",
            1.0,
        ),
        (f"def f(n):\n    ¦{IF_ELSE}¦", "return a + b", IF_ELSE.rstrip(), 1.0),
        (
            f"def f(n):\n    ¦{IF_ELSE}¦",
            "if n < 2:\n        return a",
            "if n == 1:\n        return a",
            len("ifn==1:returna") / len("ifn==1:returnaelse:returnb"),
        ),
        ("x = 1\n# ¦a comma\ny = x + 1¦\n", "decimal commas", "a comma", 1.0),
        ("x = 1\n# ¦a comma\ny = x + 1¦\n", "a comma", "a comma", 1.0),
        ("¦x = 1  # one\ny = x + 1¦\n", "x = 1  # one", "x = 1  # one", 1.0),
        ("¦x = 1  # one\ny = x + 1¦\n", "x = 1  # one\ny = x", "x = 1  # one\ny = x", len("y=x") / len("y=x+1")),
    ],
)
def test_a_hole_stays_in_its_block_and_with_its_comment(marked, text, truth, part):
    before, typed, after = marked.split("¦")
    timeline, spot = place(before, after, typed)
    found = fitted(timeline, spot, offered(spot, text))[0]
    assert (found.hole.truth.rstrip(), found.part) == (truth, pytest.approx(part))
    assert found.emptied.truth.rstrip() == (truth if part == 1.0 else typed.rstrip())


def test_a_range_over_what_stood_right_of_the_cursor_replaces_it_and_what_came_behind_it():
    timeline, spot = place("x = f(", ")\n", "a")
    suggestion = offered(spot, "a)", right=1)
    assert fitted(timeline, spot, suggestion)[1] == "x = f(a)\n"
    assert not fitted(timeline, spot, suggestion)[0].repeats


def test_in_the_fixed_hole_a_suggestion_counts_up_to_the_end_of_what_is_wanted():
    timeline, spot = place("def f(x):\n    a = x\n    ", "", "b = a\n    return b\n")
    hole = hole_of(timeline, spot.moment, spot.before, spot.after)
    longer = offered(spot, "b = a + 1\n    return b + 1")
    assert hole.truth == "b = a"
    assert clipped(hole, spot, longer).text == "b = a + 1"
    assert clipped(hole, spot, offered(spot, "b =")).text == "b ="
