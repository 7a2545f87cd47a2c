"""A policy at work on a small tape: what was asked when, and how and when each moment ended."""

from itertools import pairwise

from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded, Try
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist


def nothing(ask):
    return Answer(0.0)


def offering(text, ms=0.0, **more):
    return lambda ask: Answer(ms, text=text, start=ask.moment.offset, end=ask.moment.offset, **more)


def in_turn(*answers):
    """The first answer to the first request, and so on; after the last, nothing."""
    left = iter(answers)

    def answer(ask):
        return next(left, nothing)(ask)

    return answer


class Replay:
    """All instructions of a replay, each with its virtual time; requests are answered by a function."""

    def __init__(self, typist, policy, answer=nothing, *, latency="fixed:0", user="exact", own=None, **options):
        tape = typist.tape() if isinstance(typist, Typist) else typist
        policy = policy_of(policy, own) if isinstance(policy, str) else policy
        player = Player(Timeline(tape), policy, user_of(user), latency_of(latency, 0, tape), **options)
        steps, reply, self.steps = player.play(), None, []
        try:
            while True:
                step = steps.send(reply)
                reply = answer(step) if isinstance(step, Ask) else isinstance(step, Try)
                self.steps.append((player.now, step))
        except StopIteration:
            pass

    @property
    def asks(self):
        return [step for _, step in self.steps if isinstance(step, Ask)]

    @property
    def asked(self):
        """When something was asked."""
        return [now for now, step in self.steps if isinstance(step, Ask)]

    @property
    def ended(self):
        """When a moment ended, and how."""
        return [(now, str(step.ending)) for now, step in self.steps if isinstance(step, MomentEnded)]

    @property
    def endings(self):
        return [ending for _, ending in self.ended]


def inside(path="a.py", gap=100.0):
    """A typist in the middle of a line, where no policy has reason not to ask."""
    return Typist(path, text="value = call()", gap=gap)


def type_inside(typist, text):
    """Type before the closing bracket."""
    return typist.type(text, at=len(typist.text) - 1)


def single_keys(tape):
    """The person's changes that insert one character: index of the event → index of the change after it."""
    edits = [index for index, event in enumerate(tape.events) if isinstance(event, Edit)]
    following = dict(pairwise([*edits, len(tape.events)]))
    return {index: following[index] for index in edits if _is_one_key(tape.events[index])}


def _is_one_key(event):
    return (
        event.reason != "agent"
        and len(event.changes) == 1
        and event.changes[0][0] == event.changes[0][1]
        and len(event.changes[0][2]) == 1
    )


def asked_after(timeline, ms):
    """The single keys behind which `pause` of so many ms asks, or would have if the cursor had not moved away."""
    player = Player(timeline, policy_of(f"pause:{ms}"), user_of("exact"), latency_of("fixed:0", 0))
    steps, reply, asked = player.play(), None, set()
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            break
        reply = Answer(0.0) if isinstance(step, Ask) else None
        if isinstance(step, Ask) or (
            isinstance(step, MomentEnded) and step.ending.reason in {"selection", "focus moved"}
        ):
            asked.add(step.moment.event)
    return [index for index, until in single_keys(timeline.tape).items() if asked & set(range(index + 1, until + 1))]
