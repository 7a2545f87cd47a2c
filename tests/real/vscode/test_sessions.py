"""What a replay asks of a session that was recorded here: just what the editor asked, and what its policy would have asked."""

import json
import logging
import math
import shutil
from collections import Counter
from dataclasses import dataclass

import pytest

from replay.run.store import Store
from replay.tapes.tape import Edit, Ghost
from tests.support.vscode.editor import on_tape
from tests.support.vscode.typist import PROGRAM, Typist

LOG = logging.getLogger(__name__)
REQUESTS = 100
NOT_ASKED = {"gated", "debounced"}
NOT_SHOWN = {"superseded", "cancelled"}
LATEST_MS = 30
"""How late timers may be for the policy to be judged: gaps between keys end 30 ms before, or begin 60 ms after the 50 ms that VS Code waits, so that
a timer that is later than this makes another key the one that is asked about."""
TRIES = 2


def rest_of_line(asked):
    """The rest of a line of the program; of every third line something else, of every fourth nothing."""
    written = asked["prompt"].rpartition("\n")[2].strip()
    for number, line in enumerate(PROGRAM.splitlines()):
        known = line.strip()
        if len(written) > 1 and known.startswith(written):
            return "" if number % 4 == 0 else "(something, other)" if number % 3 == 0 else known[len(written) :]
    return ""


def states(tape):
    """For each event of a tape, which edit of its document was the last one before it."""
    edits, found = Counter(), []
    for event in tape.events:
        found.append(dict(edits))
        if isinstance(event, Edit):
            edits[event.doc] += 1
    return [*found, dict(edits)]


def asked_live(tape):
    """The requests of the session: (how many edits came before, offset)."""
    before = states(tape)
    events = enumerate(tape.events)
    return Counter(
        (before[number].get(event.doc, 0), event.offset)
        for number, event in events
        if isinstance(event, Ghost) and event.phase == "asked"
    )


def asked_in_replay(tape, folder):
    before = states(tape)
    with Store.open(folder) as store:
        records = [record for record in store.records() if record.ending.name not in NOT_ASKED]
    return Counter((before[record.moment.event].get(0, 0), record.moment.offset) for record in records)


def lived(tape):
    """How each request ended in the editor, by what its recorder told: the names that its ending in a replay may have. What is left of one that was taken in part changes nothing."""
    found = {}
    for event in tape.events:
        if not isinstance(event, Ghost) or (event.phase != "accepted" and found.get(event.request) == {"part"}):
            continue
        if event.phase == "answered":
            found[event.request] = NOT_SHOWN  # the next key came as it did, unless it is shown later
        elif event.phase in {"shown", "ignored"}:  # without another ending it stood until the tape ended
            found[event.request] = {"shown", "typed-through"}
        elif event.phase in {"accepted", "part", "rejected", "empty", "cancelled"}:
            found[event.request] = {event.phase}
    return found


def endings_in_replay(folder):
    with Store.open(folder) as store:
        return {record.moment.request: record.ending.name for record in store.records()}


@dataclass(frozen=True)
class Session:
    """How many requests one session had, how many of them and how many others a policy asks, and the latest timer of each second (ms)."""

    live: int
    common: int
    others: int
    late: list

    @property
    def agrees(self):
        return self.common >= 0.95 * self.live and self.others <= 0.05 * self.live

    @property
    def could_differ(self):
        """As many requests as seconds in which a timer was too late."""
        return sum(delay > LATEST_MS for delay in self.late)

    @property
    def is_explained(self):
        """Whether late timers can be why it does not agree."""
        allowed = math.ceil(0.05 * self.live) + self.could_differ
        return max(self.live - self.common, self.others) <= allowed

    def __str__(self):
        return (
            f"{self.live} requests in the editor; the policy asks {self.common} of them ({self.common / self.live:.1%}) and {self.others} others "
            f"({self.others / self.live:.1%}); in {self.could_differ} of {len(self.late)} s a timer was more than {LATEST_MS} ms late, at most {max(self.late)} ms"
        )


def recorded_session(window, typist):
    """Record a person who types until enough was asked; the tape, its file, and how late timers were."""
    window.record()
    began = window.delays()[-1][0]
    typist.work(lambda: window.requests_on_tape >= REQUESTS)
    late = [delay for at, delay in window.delays() if at > began]
    window.pause()
    tape, finals = on_tape(window.tapes[-1])
    assert finals == {window.file: window.save()}
    return tape, window.tapes[-1], late


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_replay_asks_what_was_asked_in_the_editor_and_its_requests_end_as_they_ended_there(
    quiet_machine, open_file, model, ghosttape, tmp_path, seed
):
    model.answer = rest_of_line
    settings = json.dumps({"provider": model.settings})
    for turn in range(TRIES):
        window = open_file("", file="shop.py")
        tape, path, late = recorded_session(window, Typist(window, seed))
        shutil.copy(path, tmp_path)  # kept for whoever asks why it failed
        live, replayed = asked_live(tape), {}
        assert live.total() >= REQUESTS
        for policy in ("recorded", "vscode"):
            out = tmp_path / f"{policy}-{turn}"
            words = ("--user", "recorded", "--latency", "tape") if policy == "recorded" else ()
            ghosttape(
                "replay", path, "--policy", policy, *words, "--no-tests", "--settings", settings, "--json", "--out", out
            )
            replayed[policy] = asked_in_replay(tape, out)
        assert replayed["recorded"] == live
        endings, wanted = endings_in_replay(tmp_path / f"recorded-{turn}"), lived(tape)
        LOG.info(Counter(endings.values()))
        assert set(endings) == set(wanted)
        assert {request: ending for request, ending in endings.items() if ending not in wanted[request]} == {}
        asked = replayed["vscode"]
        session = Session(live.total(), (live & asked).total(), (asked - live).total(), late)
        LOG.info(session)
        if session.agrees:
            return
        assert session.is_explained, session
    assert session.agrees, session
