"""How fast tapes are read and played, without a server."""

from collections import Counter

import msgspec
import pytest

from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask, MomentEnded
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.tapes.tape import Edit, Event, Ghost, Header, Open, read
from replay.tapes.timeline import Timeline
from syntax.text import splice


@pytest.fixture(scope="session")
def tape(long_tape):
    return read(long_tape)


def played(timeline):
    """How the moments of a tape end whose requests are answered with nothing at once."""
    player = Player(timeline, policy_of("vscode"), user_of("exact"), latency_of("fixed:80", 0))
    steps, reply, endings = player.play(), None, Counter()
    try:
        while True:
            step = steps.send(reply)
            reply = Answer(0.0) if isinstance(step, Ask) else None
            if isinstance(step, MomentEnded):
                endings[step.ending.name] += 1
    except StopIteration:
        return endings


def spliced(tape):
    """The texts that a tape ends with."""
    texts = {}
    for event in tape.events:
        if isinstance(event, Open):
            texts[event.doc] = event.text
        elif isinstance(event, Edit):
            texts[event.doc] = splice(texts[event.doc], event.changes)
    return texts


def test_playing_the_long_recording_against_applying_its_edits(measure, tape):
    timeline = Timeline(tape)
    endings = measure(
        lambda: played(timeline), lambda: spliced(tape), per_s=len(tape.events), events=len(tape.events), rounds=5
    )
    by_hand = sum(
        isinstance(event, Ghost) and event.phase == "asked" and event.trigger == "invoked" for event in tape.events
    )
    assert sum(endings.values()) == 3247 - timeline.by_no_person()["edits"] + by_hand
    assert sorted(spliced(tape).values()) == sorted(timeline.final.values())


def test_reading_the_long_tape_against_decoding_its_lines(measure, long_tape):
    def decoded():
        first, *rest = long_tape.read_bytes().splitlines()
        decoder = msgspec.json.Decoder(Event)
        return msgspec.json.decode(first, type=Header), tuple(map(decoder.decode, rest))

    tape = measure(lambda: read(long_tape), decoded, bytes=long_tape.stat().st_size)
    assert (tape.header, tape.events) == decoded()
