"""Programs of SimCopilot's form: each failure in Java, limits of time, and jars that have a program's own class."""

import pytest

from corpora.corpus import corpus_of
from replay.judge.states import ProjectState
from tests.support.simcopilot_data import TOWER, write_stairs, write_tower

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def tower(tmp_path, need):
    need("javac", "java", "jar")
    return lambda **more: write_tower(tmp_path, **more)


def tasks_of(folder, category="infilling"):
    corpus = corpus_of("simcopilot", folder)
    return corpus.tasks(corpus.languages, [category], packages=False)


def filled(task, text):
    return ProjectState(task.path, task.before + text + task.after)


async def test_a_program_that_does_not_end_fails_with_the_reason(tmp_path, programs):
    (task,) = tasks_of(write_stairs(tmp_path))
    result = await task.tests.run(filled(task, "        import time; time.sleep(600)"), programs, within_s=3.0)
    assert result.verdict_class == "timeout"
    assert "still running after" in result.message


async def test_the_limit_is_for_all_test_cases_together(tmp_path, programs):
    (task,) = tasks_of(write_stairs(tmp_path, infilling=[(10, 10)]))
    slow = filled(task, "import time; time.sleep(2)\nprint('stairs')")
    result = await task.tests.run(slow, programs, within_s=3.0)
    assert result.verdict_class == "timeout"
    assert 2900 < result.wall_ms < 12000
    assert (await task.tests.run(slow, programs, within_s=20.0)).verdict_class == "passed"


@pytest.mark.parametrize("category", ["infilling", "completion"])
async def test_a_java_program_passes_through_the_console_with_the_jar_beside_it(tower, programs, category):
    (task,) = tasks_of(tower(), category)
    result = await task.tests.run(task.finished, programs)
    assert (result.verdict_class, result.message) == ("passed", "")
    within_s, verdict_class = (5.0, "timeout") if category == "infilling" else (None, "compile")
    emptied = await task.tests.run(task.emptied, programs, within_s=within_s)
    assert emptied.verdict_class == verdict_class


@pytest.mark.parametrize(
    ("text", "verdict_class", "said"),
    [
        ("            found += 2;", "exception", "IllegalStateException: floors: 4"),
        ("            found = ;", "syntax", "illegal start of expression"),
        ("            flights++;", "undefined-name", "cannot find symbol"),
        ("            System.exit(0);", "failed", "its last line is 'seven metres', not '[         0 tests failed"),
    ],
)
async def test_a_wrong_answer_in_java_fails_with_the_reason(tower, programs, text, verdict_class, said):
    (task,) = tasks_of(tower())
    result = await task.tests.run(filled(task, text), programs)
    assert said in result.message
    assert result.verdict_class == verdict_class


@pytest.mark.parametrize(("form", "verdict_class"), [("editor", "exception"), ("evaluator", "passed")])
async def test_a_class_that_a_jar_has_too_is_tested_unless_the_jars_come_first(tower, programs, form, verdict_class):
    """In the script's class path the jar's own class is run, whatever stands in the program."""
    own = f'class Width {{\n    static final int METRES = Integer.parseInt(\n"3");\n}}\n{TOWER}'
    corpus = corpus_of("simcopilot", tower(text=own, infilling=[(3, 3)]))
    (task,) = corpus.tasks(["java"], ["infilling"], packages=False, programs=form)
    assert (await task.tests.run(task.finished, programs)).verdict_class == "passed"
    assert (await task.tests.run(filled(task, '"1");'), programs)).verdict_class == verdict_class


async def test_in_java_only_the_last_line_counts(tower, programs):
    (task,) = tasks_of(tower(expected="other metres\n[ 10 tests successful ]\n[         0 tests failed          ]\n"))
    assert (await task.tests.run(task.finished, programs)).verdict_class == "passed"
