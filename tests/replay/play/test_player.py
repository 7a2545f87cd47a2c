"""The player against tapes that are small enough to say by hand what must come of them."""

import math
from collections import Counter
from itertools import pairwise

import pytest

from replay.importers.workspace_recording.recording_import import import_recording
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, DidChange, MomentEnded
from replay.play.policies.policy import UnknownPolicyError, policy_of
from replay.play.users.recorded_requests import RecordedDecision
from replay.play.users.user import user_of
from replay.tapes.tape import Close, Edit, Ghost, Open
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist


def played(tape, policy, answer=lambda ask: Answer(0.0), *, latency="fixed:0", user="exact", **options):
    """All instructions of a replay whose requests are answered by a function; `user` is a name, or a user."""
    user = user_of(user) if isinstance(user, str) else user
    player = Player(Timeline(tape), policy_of(policy), user, latency_of(latency, 0, tape), **options)
    steps, reply, done = player.play(), None, []
    try:
        while True:
            step = steps.send(reply)
            reply = answer(step) if isinstance(step, Ask) else None
            done.append(step)
    except StopIteration:
        return done


class Watching:
    """A user who accepts nothing, and remembers what was offered."""

    name, needs_tests = "watching", False

    def __init__(self):
        self.offers = []

    def accepts(self, offer):
        self.offers.append(offer)
        return 0

    def leaves(self, offer):
        return None


def watched(tape, policy, answer, **options):
    watching = Watching()
    played(tape, policy, answer, user=watching, **options)
    return watching.offers


def endings(steps):
    return Counter(str(step.ending) for step in steps if isinstance(step, MomentEnded))


def offering(text):
    return lambda ask: Answer(0.0, text=text, start=ask.moment.offset, end=ask.moment.offset)


def test_a_pause_asks_only_where_the_next_change_comes_later():
    tape = Typist(gap=100).type("abc").edit((3, 3, "d"), gap=300).tape()
    asked = [step.moment for step in played(tape, "pause:250") if isinstance(step, Ask)]
    assert [(moment.offset, moment.t) for moment in asked] == [(3, 550.0), (4, 850.0)]


def test_what_did_not_pause_long_enough_ends_as_debounced():
    tape = Typist(gap=100).type("abc").tape()
    assert endings(played(tape, "pause:250")) == {"debounced": 2, "empty": 1}


def test_a_change_on_the_very_millisecond_comes_before_the_request():
    tape = Typist(gap=250).type("ab").tape()
    assert endings(played(tape, "pause:250")) == {"debounced": 1, "empty": 1}


def test_vscode_gives_up_what_a_new_key_supersedes():
    tape = Typist(gap=100).type("ab").tape()
    assert endings(played(tape, "vscode", offering("b"), latency="fixed:80")) == {"superseded": 1, "shown": 1}


def test_an_answer_within_the_gap_is_shown():
    tape = Typist(gap=100).type("ab").tape()
    assert endings(played(tape, "vscode", offering("b"), latency="fixed:40")) == {"accepted": 1, "shown": 1}


def test_an_answer_on_the_millisecond_of_the_next_key_is_not_in_time():
    tape = Typist(gap=100).type("ab").tape()
    assert endings(played(tape, "vscode", offering("b"), latency="fixed:50"))["superseded"] == 1


def test_where_nothing_cancels_the_answer_comes_late():
    tape = Typist(gap=100).type("ab").tape()
    assert endings(played(tape, "pause:60", offering("b"), latency="fixed:80")) == {"late": 1, "shown": 1}


def test_moving_the_cursor_away_cancels():
    tape = Typist(gap=100).type("ab").select(0, gap=70).tape()
    assert endings(played(tape, "vscode", offering("b"), latency="fixed:500"))["cancelled(cursor moved)"] == 1


def test_the_cursor_report_that_follows_a_key_cancels_nothing():
    typist = Typist(gap=100).type("a").select(1, gap=60)
    assert endings(played(typist.tape(), "vscode", offering("b"), latency="fixed:40")) == {"shown": 1}


@pytest.mark.parametrize("reason", ["agent", "external", "format"])
@pytest.mark.parametrize(
    "policy", ["vscode", "copilot", "copilot-nes", "continue", "tabby", "cody", "zed", "pause:60", "every"]
)
def test_changes_that_no_person_made_are_no_moments(policy, reason):
    tape = Typist(gap=5000, text="x = 12345\n").edit((9, 9, "6"), reason=reason).edit((9, 10, ""), reason=reason).tape()
    assert endings(played(tape, policy)) == {}


def test_the_share_of_an_ending_is_of_the_places_where_a_person_wrote():
    typist = Typist(gap=400).type("abcdef")
    for char in "ghijklmnop":
        typist.edit((len(typist.text), len(typist.text), char), reason="agent", gap=20)
    assert endings(played(typist.tape(), "vscode", offering("x"))) == {"rejected": 5, "debounced": 1}


def test_a_change_that_no_person_made_ends_what_waits_and_what_is_under_way():
    waits = Typist(gap=400).type("a").edit((0, 0, "b"), reason="agent", gap=20).tape()
    assert endings(played(waits, "vscode")) == {"debounced": 1}
    flies = Typist(gap=400).type("a").edit((0, 0, "b"), reason="format", gap=100).tape()
    assert endings(played(flies, "vscode", offering("c"), latency="fixed:500")) == {"cancelled(changed)": 1}


def test_a_failure_ends_as_failed_with_its_reason():
    tape = Typist().type("a").tape()
    assert endings(played(tape, "vscode", lambda _: Answer(0.0, failed="no route"))) == {"failed(no route)": 1}


def test_a_suggestion_emptied_by_a_repair_ends_as_filtered():
    tape = Typist().type("a").tape()
    assert endings(played(tape, "vscode", lambda _: Answer(0.0, filtered="prose"))) == {"filtered(prose)": 1}


def test_the_exact_user_accepts_what_was_typed_next_and_knows_the_keys_it_saved():
    tape = Typist(gap=100).type("ab").edit((2, 2, "c"), gap=400).type("d").tape()
    accepted = [
        step for step in played(tape, "pause:250", offering("cd")) if isinstance(step, MomentEnded) and step.covered
    ]
    assert [(step.ending.name, step.covered) for step in accepted] == [("accepted", (4, 5))]


def test_a_typo_on_the_way_does_not_spoil_the_match():
    typist = Typist(gap=400).type("a").type("x")
    typist.edit((1, 2, ""), reason="delete").type("b")
    assert endings(played(typist.tape(), "pause:250", offering("b")))["accepted"] >= 1


def test_the_exact_user_rejects_what_was_not_typed():
    tape = Typist(gap=400).type("ab").tape()
    assert endings(played(tape, "pause:250", offering("zz"))) == {"rejected": 1, "shown": 1}


def test_always_accepts():
    tape = Typist(gap=400).type("ab").tape()
    assert endings(played(tape, "pause:250", offering("zz"), user="always")) == {"accepted": 2}


def test_every_moment_has_exactly_one_ending(recording_file):
    tape = import_recording(recording_file("RejectionCollector.test1.w.json")).tape
    for policy in ("vscode", "pause:100"):
        ended = [
            step
            for step in played(tape, policy, offering("x"), latency="lognormal:200,1")
            if isinstance(step, MomentEnded)
        ]
        assert len(ended) == sum(isinstance(event, Edit) for event in tape.events)


def test_the_limit_ends_asking_but_not_the_tape():
    steps = played(Typist(gap=400).type("abc").tape(), "pause:250", limit=1)
    assert sum(isinstance(step, Ask) for step in steps) == 1
    assert sum(isinstance(step, DidChange) for step in steps) == 3


def test_a_clock_that_steps_back_lets_no_time_pass_and_goes_on():
    typist = Typist(gap=100).type("a")
    typist.t = -5000.0
    typist.type("b").edit((2, 2, "c"), gap=400)
    assert endings(played(typist.tape(), "pause:250")) == {"debounced": 1, "empty": 2}


def test_a_recording_whose_first_stamp_is_late_is_played_in_its_own_time(recording_file):
    """Against the gaps themselves: 134 of its 159 changes are followed by more than 50 ms."""
    tape = import_recording(recording_file("RejectionCollector.test1.w.json")).tape
    stamps = [event.t for event in tape.events if isinstance(event, Edit)]
    quick = sum(after - before <= 50 for before, after in pairwise(stamps))
    assert endings(played(tape, "vscode", latency="fixed:80"))["debounced"] == quick == 25


def test_moments_outside_the_paths_asked_for_do_not_exist():
    tape = Typist(gap=100).type("abc").tape()
    assert endings(played(tape, "pause:250", paths=("b",))) == {}


def test_edits_that_no_person_made_are_not_saved_keys():
    typist = Typist(gap=400).type("a")
    for char in "bc":
        typist.edit((len(typist.text), len(typist.text), char), reason="agent")
    ended = [step for step in played(typist.tape(), "pause:250", offering("bc")) if isinstance(step, MomentEnded)]
    assert [(step.ending.name, step.covered) for step in ended] == [("accepted", ())]


def test_an_unknown_policy_is_refused_with_those_that_exist():
    with pytest.raises(UnknownPolicyError, match=r"choose one of vscode, copilot"):
        policy_of("eager")


def test_the_user_is_told_how_long_it_took_and_how_long_nothing_was_typed():
    tape = Typist(gap=1000).type("ab").tape()
    offers = watched(tape, "vscode", offering("b"), latency="fixed:300")
    assert [(offer.latency, offer.idle) for offer in offers] == [(300.0, 350.0), (300.0, 350.0)]
    assert [(offer.before, offer.after, offer.text) for offer in offers] == [("a", "", "b"), ("ab", "", "b")]


def test_what_stands_left_and_right_of_the_cursor_already_is_no_part_of_the_offer():
    typist = Typist(text="  f()", gap=1000).edit((4, 4, "x"))
    asked = lambda ask: Answer(0.0, text="  f(xy)", start=0, end=6)  # noqa: E731
    offers = watched(typist.tape(), "vscode", asked)
    assert [offer.text for offer in offers] == ["y"]


def test_a_suggestion_that_goes_on_while_it_is_typed_has_one_draw():
    tape = Typist(gap=1000).type("abc").type("z").tape()
    rest = {"a": "bcd", "ab": "cd", "abc": "d", "abcz": "d"}
    offers = watched(tape, "vscode", lambda ask: offering(rest[ask.before])(ask))
    draws = [offer.draw for offer in offers]
    assert draws[0] == draws[1] == draws[2] != draws[3]


def test_the_user_is_told_what_the_tapes_own_person_did_there():
    typist = Typist(gap=1000).type("a")
    typist.events.append(Ghost(typist.t + 10, 0, 7, "asked", 1))
    typist.events.append(Ghost(typist.t + 20, 0, 7, "shown", 1, "bc", 10.0))
    typist.edit((1, 1, "bc"), reason="accept")
    typist.events.append(Ghost(typist.t, 0, 7, "accepted", 1, "bc"))
    offers = watched(typist.tape(), "recorded", offering("bc"))
    assert [offer.then for offer in offers] == [RecordedDecision("bc", "bc", "accepted")]


def endings_in_turn(steps):
    return [str(step.ending) for step in steps if isinstance(step, MomentEnded)]


def test_closing_another_document_ends_nothing_here():
    typist = Typist(gap=300).type("a")
    typist.events[1:1] = [Open(0.0, 1, "b.py", "python", "")]
    typist.events.append(Close(320.0, 1))
    assert endings_in_turn(played(typist.tape(), "vscode", offering("b"))) == ["shown"]


def test_closing_the_document_itself_ends_its_wait():
    typist = Typist(gap=300).type("a")
    typist.events.append(Close(320.0, 0))
    assert endings_in_turn(played(typist.tape(), "vscode", offering("b"))) == ["gated(focus moved)"]


def test_what_is_only_held_back_reaches_the_server_all_the_same():
    """At 10 ms the server has its answer, though the editor would show it no sooner than 200 ms after the request."""
    steps = played(Typist(gap=120).type("abc").tape(), "vscode:hold=200", offering("x"), latency="fixed:10")
    assert [(step.will_cancel, step.patience) for step in steps if isinstance(step, Ask)] == [(False, math.inf)] * 3


def test_an_answer_that_another_server_gives_to_a_request_that_will_be_cancelled_is_not_looked_at():
    steps = played(Typist(gap=200).type("ab").tape(), "vscode", offering("b"), latency="fixed:300")
    assert [step.suggestion is None for step in steps if isinstance(step, MomentEnded)] == [True, False]


def test_zeds_request_that_gives_way_serves_the_next_one_no_sooner_than_its_answer_comes():
    """Asked at 310, 620 and 930 ms with answers after 2 s; the one at 620 gives way, and its text serves the one at 930."""

    def answer(ask):
        text = {"a": "one", "ab": "two", "abc": "two"}[ask.before]
        here = ask.moment.offset
        return Answer(0.0, text=text, raw=text, cache="typed" if ask.before == "abc" else "none", start=here, end=here)

    steps = played(Typist(gap=310).type("abc").tape(), "zed", answer, latency="fixed:2000")
    last = next(step for step in steps if isinstance(step, MomentEnded) and step.moment.offset == 3)
    assert last.suggestion.latency == 620 + 2000 - 930


def test_a_request_by_hand_gives_up_the_one_before_at_the_server_too():
    typist = Typist(gap=1000).type("a")
    typist.events.append(Ghost(1010.0, 0, 1, "asked", 1))
    typist.events.append(Ghost(1060.0, 0, 2, "asked", 1))
    steps = played(typist.tape(), "recorded", offering("x"), latency="fixed:300")
    assert [(step.patience, step.will_cancel) for step in steps if isinstance(step, Ask)] == [
        (50, True),
        (math.inf, False),
    ]
    assert endings_in_turn(steps) == ["superseded", "shown"]


def escaped():
    """A person who dismisses a suggestion and then types just what it said."""
    typist = Typist(text="x = ").type("y")
    for phase, text in (("asked", ""), ("shown", "1 + 2"), ("rejected", "")):
        typist.events.append(Ghost(typist.t, 0, 1, phase, 5, text))
    return typist.type("1 + 2").tape()


@pytest.mark.parametrize(
    ("user", "ending"), [("recorded", "rejected"), ("exact", "accepted"), ("tests", "typed-through")]
)
def test_what_was_dismissed_ends_as_rejected_where_the_person_of_the_tape_decides(user, ending):
    assert endings(played(escaped(), "recorded", offering("1 + 2"), user=user)) == {ending: 1}


def test_a_recorded_request_is_asked_again_with_the_item_that_was_selected_in_the_editors_list():
    typist = Typist(text="it\n")
    typist.select(2)
    typist.events.append(Ghost(typist.t, 0, 1, "asked", 2, selected=(0, 2, "items")))
    typist.events.append(Ghost(typist.t, 0, 2, "asked", 2))
    for policy, selected in (("recorded", [(0, 2, "items"), None]), ("every", [])):
        asked = [step.moment.selected for step in played(typist.tape(), policy) if isinstance(step, Ask)]
        assert asked == selected
