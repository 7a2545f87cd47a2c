"""Drive mode over a recording of 92 minutes: it ends in the recorded text, and every key is counted."""

from replay.tapes.tape import Edit
from tests.support.drive_simulation import (
    driven,
    keys_counted,
    oracle,
    recorded,
    texts_of,
)


def test_the_oracle_saves_keys_on_the_long_recording_and_ends_in_the_recorded_text(long_session):
    tape = long_session
    player, done = driven(tape, oracle)
    assert texts_of(done) == recorded(tape)
    assert player.effort.saved == player.effort.tape - keys_counted(tape, done) > 0
    assert player.effort.tape == sum(
        isinstance(event, Edit) and event.reason in {"type", "delete"} for event in tape.events
    )
