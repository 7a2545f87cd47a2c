"""A policy at work on a small tape: what was asked when, and how and when each moment ended."""

from replay.play.instructions import Answer, Ask, Settled, Try
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
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
        return [(now, str(step.ending)) for now, step in self.steps if isinstance(step, Settled)]

    @property
    def endings(self):
        return [ending for _, ending in self.ended]


def inside(path="a.py", gap=100.0):
    """A typist in the middle of a line, where no policy has reason not to ask."""
    return Typist(path, text="value = call()", gap=gap)


def type_inside(typist, text):
    """Type before the closing bracket."""
    return typist.type(text, at=len(typist.text) - 1)
