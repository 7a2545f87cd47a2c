"""What playing a long session costs as it grows: the player and the ground truth of each moment, without a server."""

import time

from replay.judge.grafts import hole_of
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import ANSWERED
from replay.tapes.tape import Edit, Embedded, Header, Open, Tape
from replay.tapes.timeline import Timeline

LINES, TIMES = 20, 5


def session(files):
    """A person who writes each line of one small file after the other anew, a few times each."""
    events = []
    for doc in range(files):
        events.append(Open(1000.0 * doc * LINES * TIMES, doc, f"{doc}.py", "python", "x = 1\n" * LINES))
        for number in range(LINES * TIMES):
            events += _anew(1000.0 * (doc * LINES * TIMES + number), doc, 6 * (number % LINES))
    header = Header(tape=1, id="long", editor="test", origin="synthesised", workspace=Embedded(), created="2026-01-01")
    return Tape(header, tuple(events))


def _anew(t, doc, start):
    yield Edit(t + 100, doc, ((start, start + 5, ""),), "delete")
    for at, key in enumerate("x = 1"):
        yield Edit(t + 200 + at, doc, ((start + at, start + at, key),), "type")


def play(tape):
    """Play a tape with an answer at each question; how many truths were looked for."""
    timeline = Timeline(tape)
    steps = Player(timeline, policy_of("every"), user_of("exact"), latency_of("fixed:0", 0)).play()
    reply, truths = None, 0
    while True:
        try:
            step = steps.send(reply)
        except StopIteration:
            return truths
        reply = None
        if isinstance(step, Ask):
            reply = Answer(1.0, text="?", start=step.moment.offset, end=step.moment.offset)
        if isinstance(step, MomentEnded) and step.ending.name in ANSWERED:
            hole_of(timeline, step.spot.moment, step.spot.before, step.spot.after)
            truths += 1


def cost(files):
    tape = session(files)
    began = time.process_time()
    assert play(tape) >= files * LINES * TIMES
    return time.process_time() - began


def test_four_times_the_events_cost_less_than_six_times_as_much(benchmark):
    short = min(cost(2) for _ in range(2))
    long = benchmark.pedantic(cost, args=(8,), rounds=1)
    benchmark.extra_info["ratio"] = long / short
    assert long < 6 * short
