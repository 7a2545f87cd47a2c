"""How often the editor asks, as a dry run says it, against sessions that are played with other answers."""

from importlib.resources import files

import pytest

from replay.options import ReplayOptions
from replay.play.instructions import Answer, Ask, Try
from replay.play.policies.policy import policy_names
from replay.run.sources.tape_source import TapeSource
from replay.tapes.tape import find, read
from replay.tapes.timeline import Timeline


@pytest.fixture(scope="module")
def tape():
    """The first bundled tape."""
    return read(find([files("corpora") / "demo"])[0])


def source_of(tape, policy, **options):
    return TapeSource(tape, ReplayOptions(policy=policy, latency="fixed:80", tests=False, **options))


def asked(source, text, cache="none"):
    """How many questions a session has whose answers all have a text, and how many of them are given up."""
    steps = source._player(Timeline(source.tape), 0).play()
    reply, asks = None, []
    try:
        while True:
            step = steps.send(reply)
            reply = None
            if isinstance(step, Ask):
                at = step.moment.offset
                asks.append(step)
                given_up = step.will_cancel and cache == "none"
                reply = (
                    Answer(5.0, given_up=True) if given_up else Answer(5.0, text=text, start=at, end=at, cache=cache)
                )
            elif isinstance(step, Try):
                reply = False
    except StopIteration:
        return len(asks), sum(ask.will_cancel for ask in asks)


@pytest.mark.parametrize("policy", policy_names())
def test_the_questions_of_a_session_are_known_before_it_or_bounded(tape, policy):
    for user, text, cache in (("exact", "return total", "none"), ("always", "x", "typed")):
        source = source_of(tape, policy, user=user)
        expected, (asks, given_up) = source.expected, asked(source, text, cache)
        if expected.exact:
            assert (asks, given_up) == (expected.asks, expected.given_up)
        else:
            assert asks <= expected.asks
            assert given_up <= expected.given_up


def test_only_policies_that_go_by_answers_are_not_known(tape):
    unknown = {policy for policy in policy_names() if not source_of(tape, policy).expected.exact}
    assert unknown == {"copilot-nes", "tabby", "cody", "zed"}
    assert not source_of(tape, "pause:300", mode="drive").expected.exact


def test_a_limit_bounds_what_is_expected(tape):
    assert source_of(tape, "vscode", limit=3).expected.asks == 3
    assert source_of(tape, "zed", limit=3).expected.asks == 3
