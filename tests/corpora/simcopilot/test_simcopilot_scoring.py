"""Scoring by SimCopilot's own post-processor, in the sandbox: a script that mends the indentation only in its third text."""

import socket

import pytest

from corpora.corpus import corpus_of
from corpora.errors import CorpusError, DataError
from corpora.run.task_cases import TaskCases, TaskTests
from corpora.simcopilot.scoring import PostProcessor, ScriptInput
from replay.judge.judge import Judge
from replay.judge.tested_states import Trials
from replay.play.player_instructions import MomentEnded
from replay.records import Ending, Suggestion
from tests.support.simcopilot_data import SCRIPT, write_script, write_stairs

LINE = "found.append(step * int(open('width.txt').read()))"


@pytest.fixture
def checkout(tmp_path):
    return write_script(write_stairs(tmp_path / "copy"))


def infilling(checkout, scoring):
    corpus = corpus_of("simcopilot", checkout, scoring=scoring)
    (task,) = corpus.tasks(["python"], ["infilling"], packages=True)
    return task


async def result(task, text, programs):
    """The result of an answer."""
    at = task.moment().offset
    offered = Suggestion(text=text, raw=text, start=at, end=at, latency=0.0, provider="fixed")
    return await task.tests.run(task.filled(offered), programs)


@pytest.mark.parametrize(
    ("scoring", "text", "expected"),
    [
        ("answer", f"        {LINE}", "passed"),
        ("answer", LINE, "indentation"),
        ("answer", f"        ```{LINE}```", "syntax"),
        ("cleaned", LINE, "indentation"),
        ("cleaned", f"```        {LINE}```", "passed"),
        ("last", f"```{LINE}```", "passed"),
        ("last", f"    {LINE}\n  {LINE}", "indentation"),  # only its first line is set right
        ("published", f"        {LINE}", "passed"),
        ("published", f"```{LINE}```", "passed"),
        ("published", "pass", "failed"),
    ],
)
async def test_a_scoring_tests_its_own_texts(checkout, programs, scoring, text, expected):
    assert (await result(infilling(checkout, scoring), text, programs)).verdict_class == expected


@pytest.mark.parametrize("scoring", ["cleaned", "last", "published"])
async def test_the_finished_program_and_the_emptied_one_are_tested_as_they_are(checkout, programs, scoring):
    (checkout / "helper_functions" / "LLMs_gen.py").write_text("1 / 0")
    task = infilling(checkout, scoring)
    assert (await task.tests.run(task.finished, programs)).verdict_class == "passed"
    assert (await task.tests.run(task.emptied, programs)).verdict_class == "failed"


async def test_the_ground_truth_as_an_answer_goes_through_the_script_too(checkout, trials_of):
    task = infilling(checkout, "cleaned")
    assert (await verdict(task, task.truth, trials_of)).name == "passed"
    (checkout / "helper_functions" / "LLMs_gen.py").write_text(SCRIPT.replace('text.replace("```", "")', '""'))
    broken = await verdict(infilling(checkout, "cleaned"), task.truth, trials_of)
    assert (broken.name, broken.cause) == ("indentation", "post-processor changed the ground truth")


@pytest.fixture
def trials_of(programs):
    """What judges an answer as the oracle's are."""

    def made(task):
        tests = TaskTests(task, programs, explains=True)
        return Judge(TaskCases({task.path: tests}, explains=True), Trials(_slots()))

    return made


def _slots():
    import asyncio

    return asyncio.Semaphore(1)


async def verdict(task, text, trials_of):
    moment = task.moment()
    offered = Suggestion(text=text, raw=text, start=moment.offset, end=moment.offset, latency=0.0, provider="oracle")
    return await trials_of(task).verdict(MomentEnded(moment, task.before, task.after, Ending("shown"), offered))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("    print(", "    1 / 0; print("), "the script failed: ZeroDivisionError: division by zero"),
        (('print("Cleaned Code:")', "import os; os._exit(3)"), "the script failed: status 3"),
        (('print("Cleaned Code:")', "import os; os._exit(0)"), "the script failed: what it gave is no text"),
        (('print("Cleaned Code:")', "return {'cleaned_code': 3}, []"), "the script failed: what it gave is no text"),
    ],
)
async def test_a_script_that_fails_has_no_text_that_passes(checkout, programs, change, said):
    (checkout / "helper_functions" / "LLMs_gen.py").write_text(SCRIPT.replace(*change))
    found = await result(infilling(checkout, "published"), f"        {LINE}", programs)
    assert (found.verdict_class, found.maybe_infrastructure) == ("failed", False)
    assert found.message.startswith(said)


SPY = """
import os, socket
def seen(path, port):
    try:
        socket.create_connection(("127.0.0.1", port), 2)
    except OSError:
        return str(os.path.exists(path))
    return "reached"
def post_process_gen_code(*given):
    text = seen({path!r}, {port!r})
    return dict(cleaned_code=text, trimmed_code=text, indented_code=text), []
"""


async def test_the_script_has_no_network_and_sees_no_files_of_this_machine(checkout, programs, tmp_path):
    kept = tmp_path / "kept.txt"
    kept.write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        spy = SPY.format(path=str(kept), port=listener.getsockname()[1])
        (checkout / "helper_functions" / "LLMs_gen.py").write_text(spy)
        given = ScriptInput.of("python", "", "x", "")
        assert (await PostProcessor(checkout).texts(given, programs))["cleaned_code"] == "False"


def test_an_answer_has_another_key_under_another_scoring_or_script(checkout):
    def keys(scoring):
        task = infilling(checkout, scoring)
        at = task.moment().offset
        offered = Suggestion(text="x", raw="x", start=at, end=at, latency=0.0, provider="fixed")
        return task.tests.key(task.finished), task.tests.key(task.filled(offered))

    found = [keys(scoring) for scoring in ("answer", "cleaned", "last", "published")]
    assert len({finished for finished, _ in found}) == 1
    assert len({answered for _, answered in found}) == 4


def test_only_a_corpus_with_a_script_can_be_scored_by_it(tmp_path):
    with pytest.raises(CorpusError, match="--scoring is about simcopilot, and devbench has none"):
        corpus_of("devbench", tmp_path, scoring="published")
    with pytest.raises(DataError, match=r"there is no `helper_functions/LLMs_gen\.py` in it"):
        infilling(write_stairs(tmp_path / "copy"), "published")
