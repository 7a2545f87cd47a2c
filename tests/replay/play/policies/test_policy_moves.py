"""Copilot's next edit suggestions after moves of the cursor, their cool-downs and back-off; what is typed as suggested."""

import math

import pytest

from replay.tapes.tape import Select
from tests.support import tabby_timing as tabby
from tests.support.policy_timing import Replay, in_turn, inside, offering, type_inside
from tests.support.tapes import Typist

LINES = "one = call()\ntwo = call()\nthree = call()\n"


def edited(at=11):
    """A document of three lines whose first was just changed, at 100 ms."""
    return Typist(text=LINES).edit((at, at, "x"))


def moved(typist, line, t, *, until=None):
    """The cursor goes before the bracket of a line (0 is the first)."""
    at = sum(map(len, typist.text.splitlines(keepends=True)[: line + 1])) - 2
    typist.events.append(Select(float(t), 0, ((at, at if until is None else until),)))
    return typist


def test_a_move_to_another_line_asks_there_as_well():
    replay = Replay(moved(edited(), 1, 1000), "copilot-nes")
    assert replay.asked == [200, 1100]
    assert [ask.moment.line for ask in replay.asks] == [0, 1]


def test_a_move_asks_nothing_of_other_policies():
    assert Replay(moved(edited(), 1, 1000), "vscode").asked == [150]


def test_a_move_where_a_line_ends_waits_two_seconds_longer():
    typist = edited()
    typist.events.append(Select(1000.0, 0, ((26, 26),)))
    assert Replay(typist, "copilot-nes").asked == [200, 3100]


def test_the_cursor_report_that_follows_a_key_is_no_move():
    typist = edited()
    typist.events.append(Select(101.0, 0, ((12, 12),)))
    assert Replay(typist, "copilot-nes").ended == [(200, "empty")]


@pytest.mark.parametrize(("t", "ending"), [(10_099, "empty"), (10_100, "gated(the change lies too far back)")])
def test_a_move_asks_only_for_ten_seconds_after_a_change(t, ending):
    assert Replay(moved(edited(), 1, t), "copilot-nes").endings == ["empty", ending]


@pytest.mark.parametrize(("t", "ending"), [(5_099, "gated(same line)"), (5_100, "empty")])
def test_a_line_that_was_changed_is_not_asked_about_again_for_five_seconds(t, ending):
    typist = moved(edited(at=3), 0, t)
    assert Replay(typist, "copilot-nes").endings == ["empty", ending]


def test_a_line_that_was_moved_to_is_not_asked_about_again_for_five_seconds():
    typist = moved(moved(moved(moved(edited(), 1, 1000), 2, 1500), 1, 5_999), 1, 6_000, until=20)
    assert Replay(typist, "copilot-nes").endings == ["empty", "empty", "empty", "gated(same line)"]


def test_a_change_lifts_the_ban_of_the_lines():
    typist = moved(edited(), 1, 1000)
    typist.edit((0, 0, "x"), gap=1400)
    replay = Replay(moved(typist, 1, 2000), "copilot-nes")
    assert replay.asked == [200, 1100, 1600, 2100]


def test_a_move_while_it_waits_is_asked_about_in_its_place():
    assert Replay(moved(edited(), 1, 150), "copilot-nes").ended == [(150, "debounced"), (250, "empty")]


def typed_over():
    """A suggestion for a change at 100 ms, which the change at 1,000 ms rejects."""
    return edited().edit((12, 12, "y"), gap=900)


@pytest.mark.parametrize(("t", "ending"), [(5_999, "gated(just rejected)"), (6_000, "empty")])
def test_after_a_rejection_moves_ask_nothing_for_five_seconds(t, ending):
    replay = Replay(moved(typed_over(), 1, t), "copilot-nes", in_turn(offering("?")))
    assert replay.endings == ["rejected", "empty", ending]
    assert (t + 100 in replay.asked) == (ending == "empty")


def test_before_it_is_typed_over_a_suggestion_is_not_rejected():
    typist = moved(edited(), 1, 500)
    typist.edit((12, 12, "y"), gap=900)
    replay = Replay(typist, "copilot-nes", in_turn(offering("?")))
    assert replay.asked == [200, 600, 1100]


def test_a_move_within_the_five_seconds_bans_later_ones_until_the_next_change():
    typist = moved(moved(typed_over(), 1, 2000), 2, 7000)
    replay = Replay(typist, "copilot-nes", in_turn(offering("?")))
    assert replay.endings[2:4] == ["gated(just rejected)", "gated(the change lies too far back)"]


def test_moves_with_a_selection_are_none_of_its_business():
    typist = moved(edited(), 1, 1000, until=20)
    assert Replay(typist, "copilot-nes").endings == ["empty"]


# Back-off


@pytest.mark.parametrize("age", [1_000, 300_000, 600_000, 600_001])
def test_a_rejection_holds_answers_back_by_a_half_that_fades(age):
    """Shown 100 ms · (1 + 0.5 · e^(-age / 10 min)) after the change, and nothing of it after ten minutes.

    The second key rejects what the first one brought; the third one comes `age` less 100 ms later, and asks after 100 ms.
    """
    typist = type_inside(inside(gap=300), "ab").edit((15, 15, "c"), gap=age - 100)
    replay = Replay(typist, "copilot-nes", in_turn(offering("?")))
    shown = 100 * (1 + 0.5 * math.exp(-age / 600_000) * (age <= 600_000))
    assert replay.endings[0] == "rejected"
    assert replay.asked[2] - typist.t == 100
    assert replay.ended[2][0] - typist.t == pytest.approx(shown, abs=0.01)


def held_back(policy, gap):
    """How long after each of 15 keys a suggestion was shown, each rejected by the next key; and what it ought to be.

    Independently: the product of the weights of the last ten rejections, each as old as the key that typed over it.
    """
    typist = inside(gap=gap)
    for char in "abcdefghijklmno":
        type_inside(typist, char)
    shown = [now for now, ending in Replay(typist, policy, offering("?")).ended if ending in {"rejected", "shown"}]
    waits, wanted = [], []
    for number, now in enumerate(shown):
        asked = gap * (number + 1) + 100
        weights = [1 + 0.5 * math.exp(-(asked - gap * (one + 2)) / 600_000) for one in range(number)]
        waits.append(now - asked + 100)
        wanted.append(100 * math.prod(weights[-10:]))
    return waits, wanted


def test_only_the_last_ten_decisions_count():
    waits, wanted = held_back("copilot-nes:backoff.max=99999", gap=8_000)
    assert len(waits) == 15
    assert waits == pytest.approx(wanted, abs=0.01)


def test_an_answer_is_held_back_for_three_seconds_at_the_most():
    waits, wanted = held_back("copilot-nes", gap=3_100)
    assert waits == pytest.approx([min(3_000, one) for one in wanted], abs=0.01)
    assert max(waits) == 3_000


def test_many_accepts_ask_after_fifty_ms_at_the_least():
    typist = type_inside(inside(gap=400), "abcdefgh")
    replay = Replay(typist, "copilot-nes", lambda ask: offering("abcdefgh"[ask.moment.offset - 13 :])(ask))
    assert replay.endings.count("accepted") == 7
    assert min(asked - 400 * (number + 1) for number, asked in enumerate(replay.asked)) == 50


@pytest.mark.parametrize(("cache", "shown"), [("prefix", 300), ("inflight", 300), ("typed", 200)])
def test_next_edit_suggestions_from_the_cache_wait_until_200_ms_after_the_change(cache, shown):
    replay = Replay(type_inside(inside(), "a"), "copilot-nes", offering("?", cache=cache))
    assert replay.ended == [(shown, "shown")]


@pytest.mark.parametrize(("cache", "shown"), [("prefix", 300), ("typed", 100)])
def test_copilot_does_not_hold_what_is_typed_as_suggested(cache, shown):
    replay = Replay(type_inside(inside(), "a"), "copilot", offering("?", cache=cache))
    assert replay.ended == [(shown, "shown")]


@pytest.mark.parametrize(("latency", "patience"), [("measured", 50), ("fixed:60", 50), ("fixed:40", math.inf)])
def test_a_latency_that_is_known_to_be_in_time_needs_no_patience_on_the_wall(latency, patience):
    """Else a slow machine would give up what comes in time on the tape's own clock."""
    assert Replay(type_inside(inside(), "ab"), "vscode", latency=latency).asks[0].patience == patience


# Tabby and Zed


def test_tabby_learns_of_a_response_time_when_the_answer_came_and_not_of_those_given_up():
    """Score 0.4 + 0.1 (nothing but a bracket follows): 2.25 · 200 = 450 ms; less 380 it is 100 at the least."""
    typist = type_inside(inside(), "a").edit((14, 14, "b"), gap=600).edit((15, 15, "c"), gap=2000)
    typist.edit((16, 16, "d"), gap=2000)
    replay = Replay(typist, "tabby", offering("long enough"), latency="fixed:380")
    assert replay.asked == [100 + 450, 700 + 450, 2700 + 100, 4700 + 100]


@pytest.mark.parametrize("quick", [60, 130, 310, 399])
def test_tabby_goes_by_the_last_ten_answers_that_came(quick):
    typist, keys = tabby.written(quick)
    replay = Replay(typist, "tabby", tabby.answering(380), latency="measured")
    assert replay.asked == pytest.approx(tabby.asked(keys, tabby.took(380)))


def test_white_space_does_not_make_a_suggestion_long_enough():
    replay = Replay(type_inside(inside(), "x"), "tabby", offering(" abc "))
    assert replay.endings == ["filtered(shorter than 4 characters)"]


def test_zed_asks_nothing_while_what_is_shown_is_typed():
    typist = type_inside(inside(gap=400), "abc").edit((16, 16, "!"), gap=400)
    replay = Replay(typist, "zed", in_turn(offering("bcd")))
    assert replay.endings == ["rejected", "gated(typed as suggested)", "gated(typed as suggested)", "empty"]


def test_a_newer_answer_that_comes_first_is_the_end_of_older_requests():
    typist = type_inside(inside(gap=400), "ab")
    replay = Replay(typist, "zed", in_turn(offering("bcd", 2000), offering("?", 300)), latency="measured")
    assert replay.ended == [(1100, "superseded(a newer answer came first)"), (1100, "shown")]
