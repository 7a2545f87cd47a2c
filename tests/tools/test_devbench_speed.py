"""The comparison of speed with DevBench's script: what is drawn, compared and printed, and both ways on a script of the tests' own."""

import pytest

from corpora.corpus import corpus_of
from replay.records import Verdict
from tools.devbench_beside import Drawn, drawn
from tools.devbench_speed import Chosen, Timed, _class, compared, distinct, equal, row, script_way

SCRIPT = """
import dotenv
import time
dotenv.load_dotenv()

def run_python_test_case(prefix, answer, suffix, assertions, verbose):
    print("not JSON")
    time.sleep(0.05)
    return answer.startswith("right"), "said"
"""


@pytest.fixture
def answers(shared):
    return distinct(drawn(corpus_of("devbench", shared), 60), 4)


def test_each_language_has_so_many_tasks_and_each_task_one_answer(answers):
    names = [one.task.name for one in answers]
    assert len(set(names)) == len(names) == 20
    assert {one.task.language for one in answers} == {"python", "javascript", "typescript", "java", "cpp"}


def test_of_a_task_that_is_drawn_twice_the_first_answer_counts(answers):
    first, second = answers[0], answers[1]
    twice = Drawn(first.task, "another", 1, "another")
    assert distinct([first, twice, second], 2) == [first, second]
    assert distinct([first, second], 1) == [first]


def test_a_verdict_that_is_not_there_is_not_equal():
    assert equal({"a": True, "b": False, "c": False}, {"a": True, "b": True}) == (1, ["b", "c"])


def test_the_tests_of_an_untestable_task_say_what_they_say_of_its_answer():
    assert _class(Verdict(name="untestable", reason="undetected", alone="passed")) == "passed"
    assert _class(Verdict(name="untestable", reason="empty")) == "untestable"
    assert _class(Verdict(name="assertion")) == "assertion"


WAYS = {
    "script": Timed(30.0, 1.0, {"a": True}),
    "fresh": Timed(20.0, 4.0, {"a": True}),
    "kept": Timed(5.0, 2.5, {"a": False}),
}


def test_a_line_has_seconds_ratios_and_the_first_verdict_and_nothing_where_nothing_was_measured():
    assert row("cpp", WAYS) == "| cpp | 30.0 | 20.0 (1.5), 4.0 |  | 5.0 (6.0), 2.5 |"
    assert compared("cpp", WAYS) == "cpp: of 1 verdicts are equal: fresh 1, kept 0 (different: a)"


def test_a_corpus_of_what_was_drawn_has_these_tasks_and_answers_alone(shared, answers):
    whole = corpus_of("devbench", shared)
    chosen = Chosen(whole, {one.task.name: one.answer for one in answers})
    tasks = chosen.tasks(("cpp", "java"), whole.categories, packages=True, programs="evaluator")
    assert [task.language for task in tasks].count("cpp") == len(tasks) / 2 == 4
    assert chosen.published("any", tasks) == {one.task.name: (one.answer,) for one in answers if one.task in tasks}
    assert (chosen.name, chosen.languages, chosen.errors("any", tasks)) == (whole.name, whole.languages, {})


def test_the_scripts_own_verdicts_are_timed_one_after_the_other(answers, tmp_path):
    (tmp_path / "execute_benchmark.py").write_text(SCRIPT)
    own = [one for one in answers if one.task.language == "python"]
    own = [Drawn(own[0].task, "", 0, "right"), Drawn(own[1].task, "", 0, "wrong")]
    found = script_way(tmp_path, own)
    assert found.passed == {own[0].task.name: True, own[1].task.name: False}
    assert 0.05 <= found.first_s <= found.seconds - 0.05
