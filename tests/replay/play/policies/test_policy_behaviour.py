"""Each number of each policy at work: just on this side of it, and just on the other.

A real session counts for `pause`; all else is small enough to say by hand what must come of it.
"""

import pytest

from replay.play.player_instructions import MomentEnded
from replay.play.policies.policy import policy_names
from replay.tapes.clock import virtual_times
from replay.tapes.tape import Close, Focus, Ghost, Open, Select
from replay.tapes.timeline import Timeline
from tests.support import tabby_timing as tabby
from tests.support.policy_timing import Replay, asked_after, in_turn, inside, offering, single_keys, type_inside
from tests.support.tapes import Typist

# Debounce


@pytest.mark.parametrize(
    ("policy", "ms"),
    [
        *(("vscode", 50), ("copilot", 0), ("copilot-nes", 100), ("continue", 350), ("cody", 25)),
        *(("zed", 0), ("pause", 300), ("pause:120", 120), ("every", 0)),
    ],
)
def test_a_request_is_sent_so_long_after_a_change(policy, ms):
    assert Replay(type_inside(inside(), "a"), policy).asked == [100 + ms]


@pytest.mark.parametrize(("gap", "asked"), [(50, [150]), (51, [150, 201])])
def test_the_next_change_begins_the_wait_anew(gap, asked):
    typist = type_inside(inside(), "a")
    typist.edit((14, 14, "b"), gap=gap)
    assert Replay(typist, "vscode").asked[-len(asked) :] == ([100 + gap + 50] if gap == 50 else asked)
    assert Replay(typist, "vscode").endings[0] == ("debounced" if gap == 50 else "empty")


def test_next_edit_suggestions_wait_two_seconds_longer_where_a_line_ends():
    assert Replay(Typist().type("x"), "copilot-nes").asked == [100 + 100 + 2000]
    assert Replay(Typist(text=" \nrest").type("x", at=0), "copilot-nes").asked == [100 + 100 + 2000]


def test_copilot_asks_at_once_after_an_accept():
    """In drive mode, where what is accepted is a change of its own: held until 750, accepted then."""
    replay = Replay(type_inside(inside(gap=500), "abcd"), "copilot:debounce=50", in_turn(offering("bcd")), drive=True)
    assert replay.asked[:2] == [550, 750]


# Cody


def test_cody_asks_at_once_on_a_new_line_and_only_once():
    typist = Typist(text="x = 1").type("\n").type("\t")
    assert Replay(typist, "cody").asked == [100, 225]


def test_one_request_in_each_quarter_of_a_second_is_not_given_up():
    replay = Replay(type_inside(inside(), "abcd"), "cody", offering("?"), latency="fixed:1000")
    assert replay.asked == [125, 225, 325, 425]
    assert replay.ended == [(300, "superseded"), (400, "superseded"), (1125, "late"), (1425, "shown")]
    assert [ask.patience for ask in replay.asks] == [float("inf"), 75, 75, float("inf")]


@pytest.mark.parametrize(("gap", "kept"), [(250, False), (251, True)])
def test_the_quarter_of_a_second_is_counted_from_the_last_one_that_was_kept(gap, kept):
    typist = type_inside(inside(), "a")
    typist.edit((14, 14, "b"), gap=gap)
    typist.edit((15, 15, "c"), gap=50)
    replay = Replay(typist, "cody", offering("?"), latency="fixed:5000")
    assert ((400 + gap - 250, "superseded") in replay.ended) is not kept
    assert replay.endings.count("late") == 1 + kept


def test_the_request_at_the_start_of_a_line_is_kept_and_begins_the_quarter_of_a_second():
    typist = Typist(text="x = 1").type("a").type("\n").type("bc")
    replay = Replay(typist, "cody", offering("?"), latency="fixed:5000")
    assert replay.asked == [125, 200, 325, 425]
    assert [ask.patience == float("inf") for ask in replay.asks] == [True, True, False, True]


# Hold, follow, serve the next one


@pytest.mark.parametrize(("latency", "shown"), [(0, 350), (199, 350), (260, 410)])
def test_copilot_holds_an_answer_until_200_ms_after_the_request(latency, shown):
    replay = Replay(type_inside(inside(), "a"), "copilot:debounce=50", offering("?"), latency=f"fixed:{latency}")
    assert replay.ended == [(shown, "shown")]


@pytest.mark.parametrize(("gap", "ending"), [(250, "superseded"), (251, "rejected")])
def test_a_key_while_an_answer_is_held_is_in_time(gap, ending):
    replay = Replay(type_inside(inside(gap=gap), "ab"), "copilot:debounce=50", offering("?"))
    assert replay.endings[0] == ending


def test_vscode_tells_the_server_when_it_gives_up_and_copilot_does_not():
    typist = type_inside(inside(gap=400), "ab")
    patience = {
        policy: [ask.patience for ask in Replay(typist, policy, latency="measured").asks]
        for policy in ("vscode", "copilot", "continue")
    }
    never = float("inf")
    assert patience == {"vscode": [350, never], "copilot": [never, never], "continue": [never, never]}


@pytest.mark.parametrize(("latency", "will_cancel"), [(49, False), (50, True)])
def test_the_server_hears_that_an_answer_will_not_be_waited_for_if_it_is_known(latency, will_cancel):
    asks = Replay(type_inside(inside(), "ab"), "vscode", latency=f"fixed:{latency}").asks
    assert [ask.will_cancel for ask in asks] == [will_cancel, False]


def test_what_comes_is_served_to_the_next_request_when_it_comes():
    """Asked at 150 for an answer at 750, given up at 200; asked again at 250: the same answer, still at 750."""
    answer = in_turn(offering("?", raw="same"), offering("?", raw="same", cache="inflight"))
    replay = Replay(type_inside(inside(), "ab"), "copilot:debounce=50", answer, latency="fixed:600")
    assert replay.asked == [150, 250]
    assert replay.ended == [(200, "superseded"), (750, "shown")]


def test_what_the_server_had_already_comes_at_once():
    cached = offering("?", raw="old", cache="prefix")
    assert Replay(type_inside(inside(), "a"), "vscode", cached, latency="fixed:600").ended == [(150, "shown")]


@pytest.mark.parametrize(("policy", "ending"), [("zed", "accepted"), ("every", "late")])
def test_an_answer_serves_still_while_it_is_typed_if_the_policy_follows(policy, ending):
    typist = type_inside(inside(), "abcd")
    replay = Replay(typist, policy, offering("bcd"), latency="fixed:150")
    assert (250, ending) in replay.ended


def test_an_answer_does_not_serve_where_something_else_was_typed():
    replay = Replay(type_inside(inside(), "ab"), "zed", offering("xyz"), latency="fixed:150")
    assert (250, "late") in replay.ended


# Zed


@pytest.mark.parametrize(("gap", "asked"), [(299, [100, 400]), (300, [100, 400]), (301, [100, 401])])
def test_zed_sends_one_request_in_300_ms(gap, asked):
    assert Replay(type_inside(inside(gap=100), "a").edit((14, 14, "b"), gap=gap), "zed").asked == asked


def test_at_most_two_requests_are_under_way_and_the_newest_gives_way():
    replay = Replay(type_inside(inside(gap=400), "abc"), "zed", offering("?"), latency="fixed:2000")
    assert replay.asked == [400, 800, 1200]
    assert replay.ended[0] == (1200, "superseded")
    assert replay.ended[1][0] == 2400


@pytest.mark.parametrize(
    ("second", "ending"), [("xx", "superseded(does not extend what is shown)"), ("cd!", "rejected")]
)
def test_a_newer_answer_is_shown_only_if_it_extends_what_is_shown(second, ending):
    typist = type_inside(inside(), "a").edit((14, 14, "b"), gap=350)
    typist.edit((15, 15, "!"), gap=2000)
    replay = Replay(typist, "zed", in_turn(offering("bcd", 500), offering(second, 400)), latency="measured")
    assert replay.asked[:2] == [100, 450]
    assert replay.ended[1] == (850, ending)


# Gates: (what is written before, the change, whether it is asked)

GATES = [
    ("vscode", "x = 1", [(5, 5, "2")], "undo", ""),
    ("vscode", "x = 1", [(5, 5, "")], "type", "gated(no change)"),
    ("copilot-nes", "f(1)", [(3, 3, "2")], "undo", "gated(undo)"),
    ("copilot-nes", "f(1)", [(3, 3, "2")], "redo", "gated(redo)"),
    ("copilot-nes", "f(1)", [(3, 3, "2")], "delete", ""),
    ("copilot-nes", "f(1)", [(1, 1, "2"), (3, 3, "2")], "type", "gated(several cursors)"),
    ("vscode", "f(1)", [(1, 1, "2"), (3, 3, "2")], "type", ""),
    ("copilot", "12345678", [(8, 8, "9")], "type", "gated(too little text)"),
    ("copilot", "123456789", [(9, 9, "0")], "type", ""),
    ("copilot", "1\n2345678", [(1, 1, "0")], "type", ""),
    ("copilot", "value = call()", [(13, 13, "x")], "type", ""),
    ("copilot", "value = call()]};", [(13, 13, "x")], "type", ""),
    ("copilot", "value = call() + 1", [(13, 13, "x")], "type", "gated(text right of the cursor)"),
    ("copilot", "value = call(),;", [(13, 13, "x")], "type", "gated(text right of the cursor)"),
    ("cody", "f() + g", [(2, 2, "x")], "type", "gated(text right of the cursor)"),
    ("cody", "f() + !", [(2, 2, "x")], "type", ""),
    *(
        ("cody", "f(x", [(3, 3, closer)], "type", "gated(the line is finished)")
        for closer in (")", "]", "}", ";", "; ")
    ),
    ("cody", "f(x", [(3, 3, "(")], "type", ""),
    ("cody", "f(x", [(3, 3, ", y")], "accept", "gated(just accepted)"),
    ("cody", "f(x", [(3, 3, ",\n y")], "accept", ""),
    ("cody", "f(x", [(3, 3, ", y")], "paste", ""),
    ("continue", "x", [(0, 1, "")], "delete", "gated(empty document)"),
    ("continue", "xy", [(0, 1, "")], "delete", ""),
    ("vscode", "x", [(0, 1, "")], "delete", ""),
]


@pytest.mark.parametrize(("policy", "text", "changes", "reason", "gate"), GATES)
def test_a_gate_is_shut_here_and_open_there(policy, text, changes, reason, gate):
    replay = Replay(Typist(text=text).edit(*changes, reason=reason), policy)
    assert (replay.endings, len(replay.asked)) == (([gate], 0) if gate else (["empty"], 1))


def test_a_document_without_the_focus_is_not_asked_about():
    typist = Typist(text="x = 1")
    typist.events += [Open(0.0, 1, "b.py", "python", ""), Focus(0.0, 1)]
    assert Replay(typist.edit((5, 5, "2")), "vscode").endings == ["gated(not focused)"]


def test_with_text_selected_nothing_is_asked():
    typist = Typist(text="x = 1").edit((5, 5, "2"))
    typist.events.append(Select(110.0, 0, ((0, 3),)))
    assert Replay(typist, "vscode").endings == ["gated(selection)"]


@pytest.mark.parametrize("event", [Focus(120.0, 1), Close(120.0, 0)])
def test_a_wait_ends_where_the_document_is_left(event):
    typist = Typist(text="x = 1").edit((5, 5, "2"))
    typist.events.insert(0, Open(0.0, 1, "b.py", "python", ""))
    typist.events.append(event)
    assert Replay(typist, "vscode").endings == ["gated(focus moved)"]


def test_after_a_single_line_accept_in_drive_mode_cody_does_not_ask_again():
    typist = type_inside(inside(), "abc")
    replay = Replay(typist, "cody", offering("bc"), drive=True)
    assert replay.endings[:2] == ["accepted", "gated(just accepted)"]


# What is shown


@pytest.mark.parametrize(("text", "ending"), [("abc", "filtered(shorter than 4 characters)"), ("abcd", "shown")])
def test_tabby_drops_less_than_four_characters(text, ending):
    assert Replay(type_inside(inside(), "x"), "tabby", offering(text)).endings == [ending]


@pytest.mark.parametrize(("policy", "wait", "seen"), [("cody", 25, 750), ("continue", 350, 500)])
def test_what_is_seen_for_too_short_a_time_does_not_count(policy, wait, seen):
    for gap, ending in [(wait + seen - 1, "superseded(hardly seen)"), (wait + seen, "rejected")]:
        assert Replay(type_inside(inside(gap=gap), "ab"), policy, offering("?")).endings[0] == ending


@pytest.mark.parametrize(("stays", "ending"), [(10_000, "shown"), (10_001, "rejected")])
def test_continue_takes_what_stands_for_ten_seconds_as_rejected(stays, ending):
    typist = type_inside(inside(), "a").edit((0, 0, "#"), gap=350 + stays)
    assert Replay(typist, "continue", offering("?")).endings[0] == ending


# Next edit suggestions: accepts make it quicker


@pytest.mark.parametrize(("age", "wait"), [(1, 80.0), (300_000, 87.869), (600_000, 92.642), (600_001, 100.0)])
def test_an_accept_makes_next_edit_suggestions_quicker(age, wait):
    """100 ms · (1 - 0.2 · e^(-age / 10 min)), and nothing of it after ten minutes. The accept is at 400 ms."""
    typist = type_inside(inside(gap=300), "a").edit((14, 14, "b"), gap=100 + age)
    replay = Replay(typist, "copilot-nes", in_turn(offering("b")))
    assert replay.endings[0] == "accepted"
    assert replay.asked[1] - typist.t == pytest.approx(wait, abs=0.001)


# By hand, and where the tape's assistant was asked


def ghost(typist, t, offset, *, request=0, trigger="automatic"):
    typist.events.append(Ghost(t, 0, request, "asked", offset, trigger=trigger))
    return typist


@pytest.mark.parametrize(
    "policy", ["vscode", "copilot", "copilot-nes", "continue", "tabby", "cody", "zed", "pause:5000", "every"]
)
def test_by_hand_it_is_asked_at_once_whatever_the_gates_say(policy):
    typist = ghost(Typist(text="f(x); g").edit((7, 7, "y"), reason="agent"), 107, 5, trigger="invoked")
    replay = Replay(typist, policy, offering("long enough"))
    assert [
        (now, ask.moment.trigger, ask.moment.offset) for now, ask in zip(replay.asked, replay.asks, strict=True)
    ] == [(107, "invoked", 5)]


def test_by_hand_the_wait_of_the_last_change_is_over():
    typist = ghost(Typist(text="x = 1").edit((5, 5, "2")), 130, 6, trigger="invoked")
    assert Replay(typist, "vscode").ended == [(130, "debounced"), (130, "empty")]


def test_what_the_tapes_assistant_was_asked_by_itself_is_nothing_to_other_policies():
    typist = ghost(Typist(text="x = 1").edit((5, 5, "2"), reason="agent"), 130, 6)
    assert Replay(typist, "vscode").asked == []
    assert Replay(typist, "recorded").asked == [130]


def test_recorded_asks_where_and_when_the_tapes_assistant_was_asked_and_a_change_cancels():
    typist = ghost(type_inside(inside(), "a"), 160, 14)
    typist.t = 160
    typist = ghost(type_inside(typist, "b"), 300, 15, request=1)
    replay = Replay(typist, "recorded", offering("?"), latency="fixed:120")
    assert [(ask.moment.t, ask.moment.offset) for ask in replay.asks] == [(160, 14), (300, 15)]
    assert replay.ended == [(260, "superseded"), (420, "shown")]


@pytest.mark.parametrize(("quick", "base"), [(60, 0), (130, 0), (310, 0), (399, 0), (60, 40), (130, 40), (310, 40)])
def test_tabby_waits_as_its_own_formula_says(quick, base):
    typist, keys = tabby.written(quick)
    replay = Replay(typist, "tabby", tabby.answering(base), latency="measured")
    assert len(replay.asked) >= 15
    assert replay.asked == pytest.approx(tabby.asked(keys, tabby.took(base)))


# All policies


def test_every_policy_by_name_can_be_played_and_each_moment_has_one_ending():
    typist = type_inside(inside(), "abc")
    for name in policy_names():
        replay = Replay(typist, name, offering("?"))
        ids = [step.moment.id for _, step in replay.steps if isinstance(step, MomentEnded)]
        assert len(ids) == len(set(ids)) == 0 if name in {"recorded", "blocks", "edits"} else 3


@pytest.mark.parametrize("policy", ["vscode", "copilot", "copilot-nes", "continue", "tabby", "cody:keeps_every=0"])
def test_most_policies_give_a_request_up_when_the_text_changes(policy):
    replay = Replay(type_inside(inside(gap=1000), "ab"), policy, offering("?"), latency="fixed:5000")
    assert replay.ended[0] == (2000, "superseded")


def test_policies_that_cancel_nothing_leave_every_request_under_way():
    for policy in ("every", "pause:10"):
        replay = Replay(type_inside(inside(), "abc"), policy, offering("?"), latency="fixed:150")
        assert replay.endings == ["late", "late", "shown"]


@pytest.mark.parametrize("ms", [50, 100, 300, 1000])
def test_pause_asks_after_the_keys_of_a_real_session_that_are_followed_by_a_longer_one(recorded_session, ms):
    timeline = Timeline(recorded_session)
    times, events = virtual_times(timeline.tape.events), timeline.tape.events
    single = single_keys(timeline.tape)
    longer = [index for index, until in single.items() if until == len(events) or times[until] - times[index] > ms]
    assert len(single) > 200
    assert asked_after(timeline, ms) == longer
