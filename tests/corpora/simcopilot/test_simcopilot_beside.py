"""SimCopilot's post-processor beside our repairs: on a repository of the tests' own, whose script adds what is missing only at its second stage."""

import json

import pytest

from corpora.corpus import corpus_of
from corpora.simcopilot.scoring import PostProcessor
from replay.records import Ending, Record, Suggestion
from replay.run.store import Store
from tests.support.simcopilot_data import SCRIPT, write_script, write_stairs
from tools.simcopilot_beside import ScoredAnswer, answers, compare, passes, script_input, table

LINE = "found.append(step * int(open('width.txt').read()))"


def scored(task, text):
    at = task.moment().offset
    return ScoredAnswer(task, Suggestion(text=text, raw=text, start=at, end=at, latency=0.0, provider="fixed"))


@pytest.fixture
def checkout(tmp_path):
    return write_script(write_stairs(tmp_path / "copy"))


@pytest.fixture
def tasks(checkout):
    return corpus_of("simcopilot", checkout).tasks(["python"], ["infilling", "completion"], packages=True)


def test_the_script_gets_the_lines_above_and_below_also_of_a_completion(tasks):
    for task in tasks:
        order = script_input(scored(task, "x"))
        whole = "\n".join([*order.before, task.truth, *order.after])
        assert whole == task.finished.text + task.below
        assert (order.language, order.after[0]) == ("Python", "    # the last stair is the landing")


async def test_the_script_runs_without_the_modules_that_ask_models(checkout, tasks, programs):
    found = await PostProcessor(checkout).texts(script_input(scored(tasks[0], f"```{LINE}```")), programs)
    assert found == {
        "cleaned_code": LINE,
        "trimmed_code": "Python: 5 5 '    # the last stair is the landing'",
        "indented_code": f"        {LINE}",
    }


def test_answers_are_those_of_tasks_that_can_be_tested(tmp_path, tasks):
    moment, other = (task.moment() for task in tasks)
    offered = Suggestion(text="y", raw="x", start=moment.offset, end=moment.offset, latency=0.0, provider="fixed")
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(
            [
                Record(moment=moment, ending=Ending("shown"), suggestion=offered),
                Record(moment=other, ending=Ending("empty")),
            ]
        )
    found = list(answers([tmp_path / "run"], {tasks[0].path: tasks[0]}))
    assert [(one.task.name, one.offered.raw, one.offered.text) for one in found] == [(tasks[0].name, "x", "y")]


async def test_an_answer_passes_by_the_best_of_three_texts_though_it_fails_as_it_came(checkout, tasks, capsys):
    infilling, completion = tasks
    bad = scored(infilling, LINE)
    good = scored(completion, completion.truth)
    lines = await compare(checkout, [bad, good], workers=1)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == lines
    assert [line["verdicts"]["raw"] for line in lines] == ["indentation", "passed"]
    ways = [
        {name: line[name] for name in ("raw", "cleaned_code", "indented_code", "published", "ours")} for line in lines
    ]
    assert ways == [
        {"raw": False, "cleaned_code": False, "indented_code": True, "published": True, "ours": False},
        {"raw": True, "cleaned_code": True, "indented_code": False, "published": True, "ours": True},
    ]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in table(lines).splitlines()[2:]]
    assert [row[:2] for row in cells] == [["python completion", "1"], ["python infilling", "1"], ["all", "2"]]
    assert [cell.partition(":")[0] for cell in cells[-1][2:]] == ["1", "1", "1", "2", "1"]


def test_only_a_pass_of_one_of_the_three_stages_is_one_of_the_script():
    verdicts = {
        "raw": "passed",
        "ours": "passed",
        "cleaned_code": "failed",
        "trimmed_code": "failed",
        "indented_code": "failed",
    }
    assert passes(verdicts)["published"] is False
    assert passes({**verdicts, "trimmed_code": "passed"})["published"] is True


async def test_an_answer_on_which_the_script_fails_has_failed_there_and_the_others_go_on(checkout, tasks):
    script = checkout / "helper_functions" / "LLMs_gen.py"
    script.write_text(SCRIPT.replace("print(", "'bad' in text and 1 / 0; print("))
    lines = await compare(checkout, [scored(tasks[0], "bad"), scored(tasks[1], tasks[1].truth)], workers=1)
    assert [line["script"] for line in lines] == ["the script failed: ZeroDivisionError: division by zero", ""]
    assert [(line["published"], line["ours"]) for line in lines] == [(False, False), (True, True)]


def test_an_answer_that_the_machine_could_not_test_counts_nowhere():
    line = {"task": "python/infilling/stairs/6-6", "language": "python", "category": "infilling"}
    ways = dict.fromkeys(("raw", "cleaned_code", "indented_code", "published", "ours"), True)
    tested = {**line, **ways, "verdicts": dict.fromkeys(ways, "passed")}
    failed = {**line, **dict.fromkeys(ways, False), "verdicts": {"raw": "failed", "ours": "infrastructure"}}
    assert [row.split("|")[2].strip() for row in table([tested, failed]).splitlines()[2:]] == ["1", "1"]
