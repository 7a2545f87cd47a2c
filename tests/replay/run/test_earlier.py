"""What a run that is continued takes over from an earlier process, without a server."""

import random
from dataclasses import replace

import pytest

from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.records import Ending, Record, Suggestion, Verdict
from replay.run.earlier import Earlier
from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from tests.support.places import LEDGER
from tests.support.tapes import record_of

POLICIES = ("vscode", "copilot", "copilot-nes", "continue", "cody", "zed", "tabby", "pause:300", "every")


def answered(ask):
    """A server whose time and text belong to the moment."""
    draw = random.Random(ask.moment.id)
    latency, at = draw.choice([30, 80, 150, 300, 700]), ask.moment.offset
    if ask.will_cancel or latency > ask.patience:
        return Answer(min(latency, ask.patience), given_up=True)
    return Answer(float(latency), text=f"f({draw.random()})", start=at, end=at)


def played(timeline, policy, serve, limit=60):
    player = Player(
        timeline, policy_of(policy), user_of("exact"), latency_of("measured", 0, timeline.tape), limit=limit
    )
    steps, reply, records = player.play(), None, {}
    try:
        while True:
            step, reply = steps.send(reply), None
            if isinstance(step, Ask):
                reply = serve(step)
            elif isinstance(step, MomentEnded):
                record = Record(
                    moment=step.moment, ending=step.ending, suggestion=step.suggestion, covered=step.covered
                )
                records[step.moment.id] = record
    except StopIteration:
        return records


@pytest.fixture(scope="module")
def timeline():
    return Timeline(read(LEDGER))


@pytest.mark.parametrize("policy", POLICIES)
def test_a_continued_session_with_measured_latencies_takes_the_same_course(policy, timeline):
    """The second time every answer comes at once from a file, and none is given up by itself."""
    first = played(timeline, policy, answered)
    earlier = Earlier(dict(first))

    def at_once(ask):
        again = earlier.asked_again(ask)
        given = answered(replace(again, patience=float("inf")))
        return earlier.timed(given if given.given_up else replace(given, measured=0.5), ask)

    assert any(record.suggestion for record in first.values())
    assert played(timeline, policy, at_once) == first


def record(event, ending="shown", verdict="passed", reason="", text="x"):
    made = record_of(event, ending)
    offered = None if text is None else Suggestion(text=text, start=0, end=0, latency=7.0)
    judged = None if verdict is None else Verdict(name=verdict, reason=reason)
    return Record(moment=made.moment, ending=Ending(ending), suggestion=offered, verdict=judged)


@pytest.mark.parametrize(
    ("known", "now", "used"),
    [
        (record(1), record(1, verdict=None), True),
        (record(1), record(1, verdict=None, text="y"), False),
        (record(1), record(1, "late", verdict=None), False),
        (record(1, verdict="infrastructure"), record(1, verdict=None), False),
        (record(1, verdict="untestable", reason="broken-baseline"), record(1, verdict=None), False),
        (record(1, verdict="untestable", reason="flaky"), record(1, verdict=None), False),
        (record(1, verdict="untestable", reason="rewritten"), record(1, verdict=None), True),
    ],
)
def test_a_verdict_is_used_again_where_nothing_can_have_changed_it(known, now, used):
    found = Earlier({known.moment.id: known}).verdict(now)
    assert found == (known.verdict if used else None)


def test_a_request_that_fails_now_takes_nothing_away_that_was_answered():
    known = record(1)
    earlier = Earlier({known.moment.id: known})
    assert earlier.kept(record(1, "failed", verdict=None, text=None)) is known
    other = record(2, "failed", verdict=None, text=None)
    assert earlier.kept(other) is other


def test_only_the_moments_of_a_source_that_was_played_can_be_unreached():
    mine, other = record(1), record(2)
    earlier = Earlier({one.moment.id: one for one in (mine, other)})
    earlier.verdict(mine)
    assert earlier.unreached(other.moment.tape) == [other.moment.id]
    assert earlier.unreached("another tape") == []
