"""The oracle's rows for tapes that are small enough to say by hand what must stand there."""

import hashlib
import json

from replay.judge.tape_cases import TapeCases
from replay.play.latency import latency_of
from replay.play.player import Player
from replay.play.player_instructions import Answer, Ask
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from replay.run.sources.known_answers import KnownAnswers
from replay.tapes.timeline import Timeline
from server.providers.recorded import GrowingAnswers
from tests.support.tapes import Typist


def key(before, after, stop):
    return hashlib.sha256(f"{before}\0{after}\0{stop}".encode()).hexdigest()


def asks(timeline, policy):
    steps, reply = Player(timeline, policy_of(policy), user_of("exact"), latency_of("fixed:0", 0)).play(), None
    try:
        while True:
            step = steps.send(reply)
            reply = Answer(0.0) if isinstance(step, Ask) else None
            if isinstance(step, Ask):
                yield step
    except StopIteration:
        return


def rows(tape, policy, path):
    timeline = Timeline(tape)
    cases, known = TapeCases(timeline), KnownAnswers(path)
    for ask in asks(timeline, policy):
        hole = cases.hole(ask.spot)
        known.add(ask, None if isinstance(hole, str) else hole.truth)
    return [json.loads(line) for line in path.read_text().splitlines()]


def typed():
    return Typist().type("def f(x):\n    y = x + 1\n    return y\n").tape()


def test_each_moment_has_one_row_with_what_came_to_stand_there(tmp_path):
    head = "def f(x):\n    "
    by_key = {row["key"]: row["text"] for row in rows(typed(), "blocks", tmp_path / "answers.jsonl")}
    assert by_key[key(head, "", "block")] == "y = x + 1\n    return y"
    assert by_key[key(head + "y = x + 1\n    ", "", "block")] == "return y"
    assert len(by_key) == 2, "the statements that the blocks begin with are not asked for again"


def test_rows_are_for_the_moments_at_which_the_policy_asks(tmp_path):
    asked = list(asks(Timeline(typed()), "blocks"))
    keys = [row["key"] for row in rows(typed(), "blocks", tmp_path / "answers.jsonl")]
    assert keys == [key(ask.before, ask.after, ask.moment.stop) for ask in asked]
    assert len(asked) == 2


def test_a_policy_that_waits_asks_in_the_pauses_only():
    tape = Typist(gap=100).type("x = ").edit((4, 4, "1"), gap=400).tape()
    assert [ask.before for ask in asks(Timeline(tape), "pause:250")] == ["x = ", "x = 1"]


def test_a_moment_after_which_nothing_was_written_has_no_row(tmp_path):
    tape = Typist(gap=100).type("x = ").edit((4, 4, "1"), gap=400).tape()
    found = rows(tape, "pause:250", tmp_path / "answers.jsonl")
    assert found == [{"key": key("x = ", "", "auto"), "text": "1"}]


def test_the_rows_of_a_second_tape_are_added_to_those_of_the_first(tmp_path):
    path = tmp_path / "answers.jsonl"
    first = rows(typed(), "blocks", path)
    other = Typist().type("def g():\n    return 2\n").tape()
    both = rows(other, "blocks", path)
    assert both[: len(first)] == first
    assert both[len(first)]["text"] == "return 2"


def test_answers_written_while_a_server_reads_are_found(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "a", "text": "1"}\n{"key": "b", "te')
    answers = GrowingAnswers(path)
    assert answers["a"].text == "1"
    assert answers.get("b") is None
    with path.open("a") as file:
        file.write('xt": "2"}\n')
    assert answers["b"].text == "2"


def test_a_later_answer_to_one_question_counts(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "a", "text": "1"}\n')
    answers = GrowingAnswers(path)
    assert answers["a"].text == "1"
    with path.open("a") as file:
        file.write('{"key": "a", "text": "2"}\n')
    assert answers["a"].text == "2"
