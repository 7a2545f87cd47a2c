"""How often the editor asks, as a dry run says it, against sessions that are played with other answers."""

from replay.options import ReplayOptions
from replay.play.player_instructions import Answer, Ask, Try
from replay.run.sources.tape_source import TapeSource
from replay.tapes.timeline import Timeline


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


def check_expected(tape, policy):
    """What is expected of a session is what it asks, or bounds it."""
    for user, text, cache in (("exact", "return total", "none"), ("always", "x", "typed")):
        source = source_of(tape, policy, user=user)
        expected, (asks, given_up) = source.expected, asked(source, text, cache)
        if expected.exact:
            assert (asks, given_up) == (expected.asks, expected.given_up)
        else:
            assert asks <= expected.asks
            assert given_up <= expected.given_up
