"""The data of the acceptance model: files of trials, a study's and a tape's."""

import json
from collections import Counter

import pytest

from replay.play.users.acceptance.acceptance_trials import DataSet, Trial, TrialsHeader, read, write
from replay.play.users.acceptance.errors import TrialsError
from replay.play.users.acceptance.features import FEATURES
from replay.tapes.tape import Ghost
from tests.support.tapes import Typist
from tools.acceptance import fit as fitting
from tools.acceptance.from_study import trials_of_study
from tools.acceptance.from_tape import trials_of_tape

HEADER = '{"trials": 1, "name": "ours", "source": "our editors"}'


def test_trials_are_read_as_they_were_written(tmp_path):
    trials = (
        Trial(person="a", accepted=True, characters=3, lines=1, latency=5.5, idle=7.0, match=0.5, confidence=-0.1),
        Trial(person="b", accepted=False),
    )
    data = DataSet(TrialsHeader(trials=1, name="ours", source="our editors"), trials)
    write(data, tmp_path / "ours.jsonl")
    assert read(tmp_path / "ours.jsonl") == data
    assert data.covers() == tuple(FEATURES)


@pytest.mark.parametrize(
    ("lines", "where", "reason"),
    [
        ([], ":1", "Input data was truncated"),
        (['{"person": "a", "accepted": true}'], ":1", "unknown field `person`"),
        (['{"trials": 2, "name": "n", "source": "s"}'], ":1", "Invalid enum value 2"),
        ([HEADER, "{"], ":2", "Input data was truncated"),
        ([HEADER, "", '{"accepted": true}'], ":3", "missing required field `person`"),
        ([HEADER, '{"person": "a"}'], ":2", "missing required field `accepted`"),
        ([HEADER, '{"person": "a", "accepted": 1}'], ":2", "Expected `bool`, got `int`"),
        ([HEADER, '{"person": "a", "accepted": true, "mood": 1}'], ":2", "unknown field `mood`"),
        ([HEADER, '{"person": "a", "accepted": true, "match": 1.5}'], ":2", r"Expected `float` <= 1.*\$.match"),
        ([HEADER, '{"person": "a", "accepted": true, "lines": 0}'], ":2", r"Expected `int` >= 1.*\$.lines"),
        ([HEADER, '{"person": "a", "accepted": true, "idle": -1}'], ":2", r"Expected `float` >= 0.*\$.idle"),
        ([HEADER, '{"person": "a", "accepted": true, "confidence": 0.2}'], ":2", r"Expected `float` <= 0.*\$.conf"),
        ([HEADER], "", "of 0 trials 0 were accepted: both outcomes are needed"),
        ([HEADER, '{"person": "a", "accepted": true}'], "", "of 1 trials 1 were accepted"),
        (
            [HEADER, '{"person": "a", "accepted": true}', '{"person": "a", "accepted": false}'],
            "",
            "all trials are of one person and one stretch",
        ),
    ],
)
def test_malformed_trials_are_refused_with_file_line_and_reason(tmp_path, lines, where, reason):
    path = tmp_path / "ours.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(TrialsError, match=rf"ours\.jsonl{where}: .*{reason}"):
        fitting.read_any(path)


def test_a_file_of_trials_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TrialsError, match=r"no\.jsonl: cannot be read: No such file"):
        fitting.read_any(tmp_path / "no.jsonl")


# The study


def states(path, *rows):
    """Rows (user, seconds, state, ms since the request)."""
    for user, at, state, issued in rows:
        measured = {"compCharLen": 10.0 + at, "numLines": 2.0, "timeSinceIssuedMs": issued, "meanLogProb": -0.5}
        row = {"user": user, "t": f"2022-08-08T16:05:{at:06.3f}Z", "state": state, "measurements": measured}
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
    return trials_of_study(path)


def test_a_suggestion_is_one_trial_from_when_it_was_shown_until_its_end(tmp_path):
    data = states(
        tmp_path / "study.jsonl",
        (1, 1, "Shown", 300.0),
        (2, 2, "Shown", 400.0),
        (1, 3, "Replay", 2300.0),
        (1, 4, "Replay", 3300.0),
        (1, 5, "Accepted", 4300.0),
        (2, 6, "Rejected", 4400.0),
    )
    assert [(trial.person, trial.accepted, trial.characters, trial.latency) for trial in data.trials] == [
        ("1", True, 11, 300.0),
        ("2", False, 12, 400.0),
    ]
    assert {(trial.lines, trial.confidence) for trial in data.trials} == {(2, -0.5)}


def test_a_suggestion_without_an_end_is_no_trial(tmp_path):
    rows = [(1, 1, "Shown", 300.0), (1, 2, "Shown", 300.0), (1, 3, "Accepted", 1300.0), (2, 4, "Rejected", 9.0)]
    data = states(tmp_path / "study.jsonl", *rows, (3, 5, "Shown", 9.0), (3, 6, "Rejected", 9.0), (3, 7, "Shown", 9.0))
    assert [(trial.person, trial.accepted, trial.characters) for trial in data.trials] == [
        ("1", True, 12),
        ("3", False, 15),
    ]


def test_an_answer_that_was_asked_for_before_the_last_suggestion_came_says_nothing_of_the_wait(tmp_path):
    rows = [(1, 1, "Shown", 300.0), (1, 2, "Rejected", 1300.0), (1, 2.1, "Shown", 1500.0), (1, 3, "Accepted", 2400.0)]
    data = states(
        tmp_path / "study.jsonl",
        *rows,
        (1, 4, "Shown", 900.0),
        (2, 5, "Shown", 9.0),
        (1, 6, "Rejected", 9.0),
        (2, 7, "Rejected", 9.0),
    )
    assert [trial.latency for trial in data.trials] == [300.0, None, 900.0, 9.0]


def test_a_line_of_the_study_that_is_no_state_is_refused_with_its_line(tmp_path):
    path = tmp_path / "study.jsonl"
    path.write_text('{"user": 1, "measurements": {}, "state": "Shown"}\n')
    with pytest.raises(TrialsError, match=r"study\.jsonl:1: .*missing required field"):
        fitting.read_any(path)


def test_the_trials_of_real_people_are_their_suggestions_with_an_end(study, shared):
    lines = (shared / "acceptance/copilot_study.jsonl").read_text(encoding="utf-8").splitlines()
    states = [json.loads(line) for line in lines]
    ends = Counter((str(state["user"]), state["state"]) for state in states)
    found = Counter((trial.person, "Accepted" if trial.accepted else "Rejected") for trial in study.trials)
    assert found == Counter({end: count for end, count in ends.items() if end[1] in {"Accepted", "Rejected"}})
    shown = {(int(one["measurements"]["compCharLen"]), int(one["measurements"]["numLines"])) for one in states}
    assert {(trial.characters, trial.lines) for trial in study.trials} <= shown


# A tape


class Assisted(Typist):
    def asks(self, request, text, *, ms=40.0, away=0, overtaken=""):
        offset = len(self.text)
        self.events.append(Ghost(self.t, 0, request, "asked", offset))
        self.type(overtaken)
        self.t += ms
        self.events.append(Ghost(self.t, 0, request, "shown", offset - away, text, ms))
        return self

    def takes(self, request, text, phase="accepted"):
        at = len(self.text)
        self.edit((at, at, text), reason="accept")
        self.events.append(Ghost(self.t, 0, request, phase, at, text))
        return self


def session():
    typist = Assisted(text="total = 1\n", name="s")
    typist.type("t").asks(1, "otal + x").type("o").asks(2, "tal + x").takes(2, "tal + x")
    typist.type("\n").asks(3, "zzz").type("q")
    return typist


def trials_of(typist):
    """Its trials, and one more, five minutes later, that is left out again: a tape of one stretch is no data."""
    typist.t += 301_000
    typist.type("x").asks(99, "later")
    *trials, last = trials_of_tape(typist.tape()).trials
    assert last.characters == 5
    return trials


def test_a_tape_s_suggestions_are_trials_with_all_that_a_tape_can_tell():
    first, second = trials_of(session())
    assert first == Trial(
        person="s", accepted=True, stretch="0", characters=8, lines=1, latency=40.0, idle=40.0, match=0.5
    )
    assert second == Trial(
        person="s", accepted=False, stretch="0", characters=3, lines=1, latency=40.0, idle=40.0, match=0.0
    )


def test_a_part_that_was_accepted_counts_as_accepted():
    typist = Assisted().type("a").asks(1, "b c").takes(1, "b", "part").asks(2, " c").type("x").asks(3, "y").type("z")
    assert [trial.accepted for trial in trials_of(typist)] == [True, False]


@pytest.mark.parametrize(
    "unseen",
    [
        lambda typist: typist.asks(9, ""),
        lambda typist: typist.asks(9, "far", away=2),
        lambda typist: typist.asks(9, "late", overtaken="x"),
    ],
)
def test_what_was_not_to_be_seen_at_the_cursor_is_no_trial(unseen):
    assert [trial.characters for trial in trials_of(unseen(session()))] == [8, 3]


def test_stretches_of_a_tape_are_five_minutes_long():
    typist = session()
    typist.t += 301_000
    data = trials_of_tape(typist.type("x").asks(4, "later").tape())
    assert data.groups() == ("0", "0", "1")


def test_a_tape_of_one_stretch_is_no_data():
    with pytest.raises(TrialsError, match="<memory>: all trials are of one person and one stretch"):
        trials_of_tape(session().tape())
