"""Programs of SimCopilot's form in a sandbox: what passes, what fails and why, and what the files beside a program are."""

from dataclasses import replace

import pytest

from corpora.corpus import corpus_of
from corpora.required_packages import PackagedPrograms
from replay.judge.states import ProjectState
from runners.errors import SandboxFailed, SetupFailed
from runners.programs.fake_program import FakePrograms
from runners.protocol import Completed
from runners.sandboxes import pick
from runners.verdicts import Result
from runners.warm import warm
from tests.support.simcopilot_data import STAIRS, TOWER, write_stairs, write_tower


@pytest.fixture
def tower(tmp_path, need):
    need("javac", "java", "jar")
    return lambda **more: write_tower(tmp_path, **more)


def tasks_of(folder, category="infilling"):
    corpus = corpus_of("simcopilot", folder)
    return corpus.tasks(corpus.languages, [category], packages=False)


def filled(task, text):
    return ProjectState(task.path, task.before + text + task.after)


@pytest.mark.parametrize("category", ["infilling", "completion"])
@pytest.mark.parametrize("output", ["final_output", "all_output"])
async def test_a_python_program_passes_with_all_test_cases_and_the_file_beside_it(tmp_path, programs, category, output):
    (task,) = tasks_of(write_stairs(tmp_path, output=output), category)
    result = await task.tests.run(task.finished, programs)
    assert (result.verdict_class, result.message) == ("passed", "")
    assert (await task.tests.run(task.emptied, programs)).verdict_class == "failed"


@pytest.mark.parametrize(
    ("text", "verdict_class", "said"),
    [
        ("        found.append(step * 8)", "failed", "its last line is '[0, 8, 16]', not '[0, 7, 14]'"),
        ("        found.append(stop)", "undefined-name", "NameError: name 'stop' is not defined"),
        ("        found.append(", "syntax", "SyntaxError: '(' was never closed"),
        ("        raise SystemExit(0)", "failed", "its last line is 'stairs', not '[0, 7, 14]'"),
        ("        raise SystemExit(3)", "failed", "stairs"),
    ],
)
async def test_a_wrong_answer_fails_with_the_reason(tmp_path, programs, text, verdict_class, said):
    (task,) = tasks_of(write_stairs(tmp_path))
    result = await task.tests.run(filled(task, text), programs)
    assert said in result.message
    assert result.verdict_class == verdict_class


async def test_with_the_whole_output_an_earlier_line_counts_too(tmp_path, programs):
    (task,) = tasks_of(write_stairs(tmp_path, output="all_output", infilling=[(10, 10)]))
    result = await task.tests.run(filled(task, "print('stair')"), programs)
    assert (result.verdict_class, result.message) == (
        "failed",
        "word 1 of its output is 'stair', not 'stairs'",
    )
    (task,) = tasks_of(write_stairs(tmp_path / "last", infilling=[(10, 10)]))
    assert (await task.tests.run(filled(task, "print('stair')"), programs)).verdict_class == "passed"


async def test_a_program_does_not_find_other_programs_nor_what_is_expected_of_it(tmp_path, programs):
    (task,) = tasks_of(write_stairs(tmp_path, infilling=[(10, 10)]))
    listed = "print('stairs')\nprint(sorted(os.listdir('.')), os.path.exists('/beside/stairs.json')); raise SystemExit"
    result = await task.tests.run(filled(task, listed), programs)
    assert "['stairs.py', 'width.txt'] False" in result.message


async def test_warm_programs_give_the_same_in_a_fresh_sandbox(tmp_path, cache):
    (task,) = tasks_of(write_stairs(tmp_path))
    made = await warm(pick(), cache, lambda _: None, workers=1)
    try:
        assert (await task.tests.run(task.finished, made)).verdict_class == "passed"
        wrong = await task.tests.run(filled(task, "        found.append(1)"), made)
        assert wrong.message == "its last line is '[1, 1, 1]', not '[0, 7, 14]'"
    finally:
        await made.close()


async def test_the_test_cases_are_run_one_after_the_other_until_one_fails(tmp_path):
    (task,) = tasks_of(write_stairs(tmp_path))
    outputs = iter(["stairs\n[0, 7, 14]\n", "stairs\n[]\n2\n", "stairs\n[0]\n"])
    fake = FakePrograms(lambda _: pytest.fail("no program"), ended=lambda _: Completed(0, None, next(outputs), "", 5.0))
    result = await task.tests.run(task.finished, fake)
    assert (result.verdict_class, result.wall_ms) == ("passed", 10.0)
    spaced = STAIRS.replace("\t", "    ")
    assert [dict(command.files)["stairs.py"] for command in fake.executed] == [
        f"{spaced}\nprint(stairs(3))",
        f"{spaced}\nprint(stairs(0))\nprint(len(stairs(2)))",
    ]
    assert (await task.tests.run(task.finished, fake)).verdict_class == "failed"
    assert len(fake.executed) == 3


async def test_what_the_machine_fails_at_is_no_failure_of_the_answer(tmp_path):
    (task,) = tasks_of(write_stairs(tmp_path))

    def lost(_):
        raise SandboxFailed("the disk is full")

    fake = FakePrograms(lambda _: pytest.fail("no program"), ended=lost)
    result = await task.tests.run(task.finished, fake)
    assert (result.verdict_class, result.message) == ("infrastructure", "SandboxFailed: the disk is full")


@pytest.mark.parametrize("refused", [False, True])
async def test_a_program_gets_its_packages_unless_they_cannot_be_installed(tmp_path, refused):
    class Installing(FakePrograms):
        async def prepare(self, program):
            if program.requires and refused:
                raise SetupFailed("no such package")

    (task,) = tasks_of(write_stairs(tmp_path))
    tests, inner, said = replace(task.tests, requires=("numpy",)), Installing(lambda _: Result()), []
    programs = PackagedPrograms(inner, said.append)
    await tests.prepare(task.finished, programs)
    await tests.run(task.finished, programs)
    assert [command.requires for command in inner.executed] == [() if refused else ("numpy",)]
    assert programs.missing == ({"python"} if refused else set())
    await programs.close()


def test_a_java_program_is_shown_without_test_cases(tower):
    (task,) = tasks_of(tower())
    assert task.tests.program(task.finished) == f"{TOWER}\n"
