"""`recorded` ends the requests of a tape as they ended then, if each is answered as it was then.

How they ended is read from the tape a second time here, by other code: it looks at the texts of the document, not at edits.
"""

import contextlib
import math

import msgspec
import pytest

from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit, Focus, Ghost, Open
from replay.tapes.timeline import Timeline
from syntax.text import length
from tests.support.recorded_endings import live, replayed
from tests.support.tapes import Typist


class Session(Typist):
    """A typist with an assistant, which answers so long after it was asked as `after` says."""

    def __init__(self, text=""):
        super().__init__(text=text, gap=1000.0)
        self.events.append(Open(0.0, 1, "b.py", "python", ""))

    def ghost(self, request, phase, offset=None, text="", *, after=0.0, doc=0):
        self.t += after
        at = length(self.text) if offset is None else offset
        asked = [event.t for event in self.events if isinstance(event, Ghost) and event.request == request]
        latency = self.t - asked[0] if phase in {"answered", "shown", "empty", "cancelled"} else 0.0
        self.events.append(Ghost(self.t, doc, request, phase, at, text, latency))
        return self

    def shown(self, request, text, offset=None):
        return self.ghost(request, "asked").ghost(request, "shown", offset, text, after=50.0)

    def accept(self, request, text, phase="accepted"):
        at = length(self.text)
        return self.edit((at, at, text), reason="accept").ghost(request, phase, at, text)

    def other(self, event):
        self.events.append(event)
        return self


def session():
    return Session("x = ").type("a")


SESSIONS = {
    "accepted": session().shown(1, "bc").accept(1, "bc"),
    "words, and the rest": session().shown(1, "b c").accept(1, "b ", "part").accept(1, "c"),
    "a word": session().shown(1, "b c").accept(1, "b ", "part").type("z"),
    "typed along, then accepted": session().shown(1, "bcd").type("b").accept(1, "cd"),
    "Escape, and typed all the same": session().shown(1, "bc").ghost(1, "rejected").type("bc"),
    "Escape behind what was typed along": session().shown(1, "bc").type("b").ghost(1, "rejected"),
    "typed through": session().shown(1, "bc").type("bc").ghost(1, "ignored"),
    "pasted": session().shown(1, "bc").edit((5, 5, "bc"), reason="paste").ghost(1, "ignored"),
    "undone": session().shown(1, "bc").edit((5, 5, "bc"), reason="undo").ghost(1, "ignored"),
    "ignored": session().shown(1, "bc").edit((0, 0, "y"), reason="type").ghost(1, "ignored"),
    "empty": session().ghost(1, "asked").ghost(1, "empty", after=50.0).type("b"),
    "cancelled by a key": session()
    .ghost(1, "asked")
    .edit((5, 5, "b"), gap=49.0)
    .ghost(1, "cancelled", after=1.0)
    .shown(2, "c"),
    "cancelled, and no text changed": session()
    .ghost(1, "asked")
    .ghost(1, "cancelled", after=50.0)
    .type("b")
    .shown(2, "c"),
    "a move did not cancel": session().ghost(1, "asked").select(0).ghost(1, "shown", 5, "b", after=40.0).type("b"),
    "another focus did not cancel": session()
    .ghost(1, "asked")
    .other(Focus(1020.0, 1))
    .ghost(1, "shown", 5, "b", after=50.0)
    .other(Focus(1060.0, 0)),
    "the next request did not cancel": session()
    .ghost(1, "asked")
    .ghost(2, "asked", after=10.0)
    .ghost(1, "shown", 5, "b", after=40.0)
    .ghost(2, "empty", after=10.0),
    "a key in another document did not cancel": session()
    .ghost(1, "asked")
    .other(Edit(1020.0, 1, ((0, 0, "q"),), "type"))
    .ghost(1, "shown", 5, "b", after=50.0),
    "two requests at one place": session()
    .shown(1, "bc")
    .ghost(1, "rejected", after=9.0)
    .shown(2, "bc")
    .accept(2, "bc"),
    "shown elsewhere": Session("one two").type("a").shown(1, "x", offset=3).type("b"),
    "a closer stands there": Session("f()").edit((2, 2, "1"), reason="type").shown(1, ", 2)", offset=3),
    "in two places": Session("a b c")
    .type("d")
    .shown(1, "xbyz", offset=2)
    .edit((2, 2, "xb"), (2, 2, "yz"), reason="accept")
    .ghost(1, "accepted", 2, "xb"),
}
ENDINGS = {
    "accepted": "accepted",
    "words, and the rest": "accepted",
    "a word": "part",
    "typed along, then accepted": "accepted",
    "Escape, and typed all the same": "rejected",
    "Escape behind what was typed along": "rejected",
    "typed through": "typed-through",
    "empty": "empty",
    "cancelled by a key": "cancelled",
    "cancelled, and no text changed": "cancelled",
    "a move did not cancel": "typed-through",
    "two requests at one place": "rejected",
    "in two places": "accepted",
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_request_ends_as_it_ended_then(name):
    tape = SESSIONS[name].tape()
    assert live(tape)[1] == ENDINGS.get(name, "shown")
    assert replayed(tape) == live(tape)


NOT_SHOWN = {
    "the next key": (session().ghost(1, "asked").ghost(1, "answered", after=20.0).type("b"), "superseded"),
    "a move": (session().ghost(1, "asked").ghost(1, "answered", after=20.0).select(0), "cancelled"),
    "the next request": (
        session().ghost(1, "asked").ghost(1, "answered", after=20.0).ghost(2, "asked", after=9.0),
        "superseded",
    ),
    "the end": (session().ghost(1, "asked").ghost(1, "answered", after=20.0), "cancelled"),
}


@pytest.mark.parametrize("cache", ["none", "typed"])
@pytest.mark.parametrize("name", NOT_SHOWN)
def test_what_was_answered_and_not_shown_is_answered_and_not_shown(name, cache):
    """The server is not told to stop, as it was not then: what comes next it may answer from that. A quick cache shows nothing more."""
    session, ending = NOT_SHOWN[name]
    ask, ended = first(session.tape(), Answer(0.0, text="b", start=5, end=5, cache=cache))
    assert (ask.patience, ask.will_cancel) == (math.inf, False)
    assert ended.ending.name == ending
    assert (ended.suggestion.text, ended.suggestion.latency) == ("b", 20.0)


def test_in_drive_mode_an_answer_is_shown_where_the_key_that_crossed_it_never_comes():
    """The person takes `bcd` at once: `c`, which came 10 ms behind the second answer, is not typed there, nor anything before `e`."""
    crossed = session().shown(1, "bcd").type("b").ghost(2, "asked").ghost(2, "answered", after=20.0)
    tape = crossed.edit((6, 6, "c"), gap=10.0).type("d").edit((8, 8, "e"), gap=5000.0).tape()
    answers = {1: ("bcd", 5), 2: ("e", 8)}
    player = Player(Timeline(tape), policy_of("recorded"), user_of("exact"), latency_of("tape", 0, tape), drive=True)
    ended = {step.moment.request: step.ending.name for step in played(player, answers) if isinstance(step, MomentEnded)}
    assert ended == {1: "accepted", 2: "accepted"}


@pytest.mark.parametrize("policy", ["every", "pause:300", "cody", "zed", "vscode"])
def test_under_another_policy_each_question_ends_once_and_by_its_own_rules(policy):
    """A request by hand is asked again under other policies too; what the tape's editor showed is nothing to them."""
    by_hand = session().ghost(1, "asked")
    by_hand.events[-1] = msgspec.structs.replace(by_hand.events[-1], trigger="invoked")
    tape = by_hand.ghost(1, "answered", after=20.0).type("bc").tape()
    player = Player(Timeline(tape), policy_of(policy), user_of("exact"), latency_of("tape", 0, tape))
    steps = list(played(player, {1: ("b", 5)}))
    asked = [step.moment.id for step in steps if isinstance(step, Ask)]
    ended = [step.moment.id for step in steps if isinstance(step, MomentEnded) and step.moment.id in asked]
    assert sorted(asked) == sorted(ended)
    (ending,) = [step.ending.name for step in steps if isinstance(step, MomentEnded) and step.moment.request == 1]
    assert ending == "accepted"


def played(player, answers):
    """The steps of a replay in which the requests of the tape get these answers (text and place), and others nothing."""
    steps, step = player.play(), None
    with contextlib.suppress(StopIteration):
        while True:
            text, at = answers.get(step.moment.request, ("", 0)) if isinstance(step, Ask) else ("", 0)
            reply = Answer(0.0, text=text, start=at, end=at) if text else Answer(0.0)
            step = steps.send(reply if isinstance(step, Ask) else None)
            yield step


def test_what_was_cancelled_is_not_shown_from_a_cache():
    tape = session().ghost(1, "asked").edit((5, 5, "b"), gap=49.0).ghost(1, "cancelled", after=1.0).shown(2, "c")
    _, ended = first(tape.tape(), Answer(0.0, text="b", start=5, end=5, cache="typed"))
    assert ended.ending.name == "cancelled"


def test_what_was_shown_later_than_it_came_is_shown_then():
    tape = (
        session()
        .ghost(1, "asked")
        .ghost(1, "answered", after=20.0)
        .ghost(1, "shown", 5, "b", after=180.0)
        .type("b")
        .tape()
    )
    _, ended = first(tape, Answer(0.0, text="b", start=5, end=5))
    assert (ended.ending.name, ended.suggestion.latency) == ("typed-through", 200.0)


def test_what_was_shown_again_is_shown_when_it_was_shown_first():
    again = session().ghost(1, "asked").ghost(1, "shown", 5, "bc", after=50.0).ghost(1, "rejected", after=50.0)
    tape = again.ghost(1, "shown", 5, "bc", after=900.0).tape()
    _, ended = first(tape, Answer(0.0, text="bc", start=5, end=5))
    assert (ended.ending.name, ended.suggestion.latency) == ("rejected", 50.0)


def first(tape, answer):
    """The first question that a replay of a tape asks, and how it ends if all get this answer."""
    player = Player(Timeline(tape), policy_of("recorded"), user_of("recorded"), latency_of("tape", 0, tape))
    steps, found, step = player.play(), [], None
    with contextlib.suppress(StopIteration):
        while True:
            step = steps.send(answer if isinstance(step, Ask) else None)
            found += [step] if isinstance(step, Ask | MomentEnded) and step.moment.request == 1 else []
    ask, ended = found
    return ask, ended


IN_ONE_PIECE = 537
"""Accepted whole in two places at once; the recording's importer sees the first place, and says `part`."""


def test_the_requests_of_a_real_session_end_as_they_ended_then(recorded_session):
    then, now = live(recorded_session), replayed(recorded_session)
    assert len(then) == len(now) > 600
    assert {request: now[request] for request in then if now[request] != then[request]} == {IN_ONE_PIECE: "accepted"}
