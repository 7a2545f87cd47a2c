"""What a policy remembers by itself: how long it waits and holds an answer back, and what a move of the cursor calls for."""

import math

import pytest

from replay.play.policies.pacing import Pacer, Situation
from replay.play.policies.policy import policy_of


def situation(now, **more):
    known = {"path": "a.py", "line": 0, "left": "call(x", "right": ")", "before": 60, "after": 10}
    return Situation(now=now, **{**known, **more})


def pacer(policy, *changes):
    """A policy that has seen changes at these times."""
    made = Pacer(policy_of(policy))
    for now in changes:
        assert made.gate(situation(now)) == ""
        made.delay(situation(now))
    return made


def move(now, line):
    return situation(now, line=line, moved=True)


# At once


def test_copilot_asks_at_once_after_a_change():
    assert pacer("copilot").delay(situation(0)) == 0


def test_vscode_asks_at_once_after_an_accept_and_waits_after_every_other_change():
    assert pacer("vscode").delay(situation(0, reason="accept"), accepted=True) == 0
    assert pacer("vscode").delay(situation(0)) == 50


# Held back


@pytest.mark.parametrize(("cache", "ms"), [("none", 200), ("prefix", 200), ("inflight", 200), ("typed", 20)])
def test_an_answer_is_held_but_not_what_is_typed_as_suggested(cache, ms):
    assert pacer("copilot", 0).held(50, 20, cache) == ms
    assert pacer("copilot", 0).held(50, 320, cache) == 320


@pytest.mark.parametrize(("asked", "ms"), [(100, 100), (150, 50), (200, 0), (2100, 0)])
def test_an_answer_from_the_cache_waits_since_the_change(asked, ms):
    assert pacer("copilot-nes", 0).held(asked, 0, "prefix") == ms


def test_a_request_by_hand_long_after_a_change_is_not_held_back():
    made = pacer("copilot-nes", 0)
    made.decided(10, "")
    assert made.held(60_000, 5) == 5


def test_rejections_hold_answers_back_and_leave_the_request_where_it_is():
    made = pacer("copilot-nes")
    for _ in range(3):
        made.decided(0, "")
    assert made.delay(situation(0)) == 100
    assert made.held(100, 0) == pytest.approx(100 * 1.5**3 - 100, rel=1e-3)


def test_of_decisions_the_last_ten_count_and_none_is_older_than_ten_minutes():
    made = pacer("copilot-nes:backoff.max=1e9")
    for number in range(14):
        made.decided(1000.0 * number, "" if number % 3 else "x")
    now = 600_000.0 + 6000
    weights = [1.5 if number % 3 else 0.8 for number in range(14)]
    product = math.prod(1 + (weights[n] - 1) * math.exp((1000 * n - now) / 600_000) for n in range(6, 14))
    made.delay(situation(now))
    assert made.held(now, 0) == pytest.approx(100 * product)


def test_the_pause_between_requests_is_counted_from_the_last_that_was_sent():
    made = pacer("zed", 0)
    assert made.due(7) == 7
    made.asked(7)
    assert [made.due(wanted) for wanted in (100, 306, 308)] == [307, 307, 308]
    assert pacer("vscode", 0).due(3) == 3


# Moves


def test_moves_are_gated_by_the_last_change_of_their_own_document():
    made = pacer("copilot-nes", 0)
    assert made.gate(move(9_999, 1)) == ""
    assert made.gate(move(10_000, 2)) == "the change lies too far back"
    assert made.gate(situation(9_000, path="b.py", line=4, moved=True)) == "the change lies too far back"


def test_moves_to_a_line_are_gated_for_five_seconds_until_something_changes():
    made = pacer("copilot-nes", 0)
    assert [made.gate(move(1000, line)) for line in (0, 1, 2)] == ["same line", "", ""]
    assert [made.gate(move(now, 1)) for now in (5_999, 6_000, 6_001)] == ["same line", "", "same line"]
    assert made.gate(situation(6_500)) == ""
    assert made.gate(move(6_501, 1)) == ""


def test_moves_are_gated_after_a_rejection_and_then_until_something_changes():
    made = pacer("copilot-nes", 0)
    made.decided(100, "")
    assert made.gate(move(5_100, 1)) == ""
    assert made.gate(move(5_099, 2)) == "just rejected"
    assert made.gate(move(5_200, 2)) == "the change lies too far back"
    assert made.gate(situation(5_300)) == ""
    assert made.gate(move(5_400, 2)) == ""


def test_an_undone_change_lets_no_move_ask():
    made = Pacer(policy_of("copilot-nes"))
    assert made.gate(situation(0, reason="undo")) == "undo"
    assert made.gate(move(10, 1)) == "the change lies too far back"


def test_changes_are_never_gated_by_what_gates_moves():
    made = pacer("copilot-nes", 0, 10, 20)
    made.decided(25, "")
    assert made.gate(situation(30)) == ""
    assert made.gate(situation(60_000)) == ""


# Rhythm


@pytest.mark.parametrize(
    ("left", "right", "wordless", "rate"),
    [
        *(("x", "y", False, 3.0), ("x.", "y", False, 2.25), ("", "y", False, 2.25), ("é", "y", False, 2.25)),
        *(("x", ");", False, 2.4), ("x", "", False, 2.4), ("x", ")", True, 2.25), ("x.", "", True, 1.5)),
    ],
)
def test_tabby_waits_shorter_where_a_suggestion_is_likely_to_be_wanted(left, right, wordless, rate):
    made = Pacer(policy_of("tabby"))
    assert made.delay(situation(1000, left=left, right=right, wordless=wordless)) == pytest.approx(200 * rate)


def test_tabby_goes_by_its_last_ten_response_times():
    made = Pacer(policy_of("tabby"))
    for number in range(25):
        made.answered(10.0 * number)
    assert made.delay(situation(1000, right="y")) == pytest.approx(600 - 195)
