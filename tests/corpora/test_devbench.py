"""DevBench as it was published, and as someone may have broken it."""

from collections import Counter
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from corpora.corpus import chosen, corpus_of
from corpora.devbench.corpus import CATEGORIES, FOLDERS, DevBench, packages
from corpora.errors import CorpusError, DataError
from corpora.run.task_cases import TaskCases
from replay.records import Suggestion
from runners.programs.fake_program import FakePrograms
from runners.verdicts import Result
from syntax.languages import language_of
from syntax.parse import has_error
from tests.support.devbench_data import instance, publish, write

LANGUAGES = tuple(FOLDERS)


def opened(folder):
    return corpus_of("devbench", Path(folder))


def tasks_of(folder, languages=("python",), categories=("low_context",), *, packages=False):
    return opened(folder).tasks(languages, categories, packages=packages)


@pytest.fixture(scope="module")
def published(shared):
    return opened(shared).tasks(LANGUAGES, CATEGORIES, packages=True)


def test_all_instances_of_all_files_are_read(published, shared):
    def lines(language, category):
        (path,) = (shared / "devbench/benchmark" / FOLDERS[language] / category).iterdir()
        return len(path.read_text(encoding="utf-8").splitlines())

    cells = {(language, category): lines(language, category) for language in LANGUAGES for category in CATEGORIES}
    assert Counter((task.language, task.category) for task in published) == cells
    names = {task.name for task in published}
    assert len(names) == len({task.moment().id for task in published}) == sum(cells.values()) > 0


def test_a_finished_program_is_prefix_golden_completion_suffix_and_assertions_on_lines_of_their_own(tmp_path):
    write(
        tmp_path, instance(1, "\n    b = 2", prefix="def f():", suffix="\n    return b", assertions="assert f() == 2")
    )
    (task,) = tasks_of(tmp_path)
    assert task.tests.program(task.finished) == (
        "import asyncio\nimport os\ndef f():\n\n    b = 2\n\n    return b\n\nassert f() == 2\n"
    )


def test_every_finished_document_is_sound_when_its_parts_are_joined_by_new_lines(published):
    broken = [task.name for task in published if has_error(language_of(task.language), task.finished.text)]
    assert broken == []


def test_the_model_does_not_see_the_assertions(tmp_path):
    write(tmp_path, instance(1, "b = 2", suffix="c = 3", assertions="assert b == 2"))
    (task,) = tasks_of(tmp_path)
    assert "assert" not in task.before + task.after
    assert task.tests.program(task.finished).endswith("\nc = 3\n\nassert b == 2\n")


async def test_what_devbenchs_own_script_puts_before_a_program_moves_the_lines_of_the_answer(tmp_path):
    prefix = "#include <vector>\nint main() {"
    write(tmp_path, instance(1, "  assert(1);", prefix=prefix, suffix="}", language="cpp"), language="cpp")
    (task,) = tasks_of(tmp_path, ["cpp"])
    programs = FakePrograms(lambda _: Result("passed", "", None, None, "", 1.0))
    offset = task.moment().offset
    given = Suggestion(text=task.truth, start=offset, end=offset, latency=1.0)
    await task.tests.run(task.filled(given), programs)
    (program,) = programs.ran
    assert program.text.split("\n")[:5] == [
        "#include <iostream>",
        "#include <cassert>",
        "#include <string>",
        "#include <algorithm>",
        "#include <vector>",
    ]
    assert program.written == (7, 7)
    assert program.text.split("\n")[6] == "  assert(1);"


async def test_an_answer_that_the_tests_never_reach_does_not_pass(tmp_path):
    write(tmp_path, instance(1, "    return a", prefix="def f(a):", suffix="f(1)", assertions="assert f(1) == 1"))
    (task,) = tasks_of(tmp_path)
    texts = {"right": "    b = a\n    return b", "wrong": '    """'}

    def answer(program):
        """As if an open docstring had swallowed the last statement."""
        ran = [number for number in program.probes if not ('"""' in program.text and number)]
        return Result("passed", "", None, None, "", 1.0, reached=frozenset(ran))

    tests = TaskCases.of([task], FakePrograms(answer), {}, explains=False).tests[task.path]
    offset = task.moment().offset
    states = {
        name: task.filled(Suggestion(text=text, start=offset, end=offset, latency=1.0)) for name, text in texts.items()
    }
    results = {name: await tests.run(state) for name, state in states.items()}
    assert (results["right"].verdict_class, results["wrong"].verdict_class) == ("passed", "failed")
    assert results["wrong"].message.endswith("does not run: assert f(1) == 1")
    assert (await tests.run(task.finished)).verdict_class == "passed"


def test_what_fills_the_gap_is_told_apart_from_the_rest_by_its_lines(tmp_path):
    write(tmp_path, instance(1, "a = 2\nb = 3", prefix="import sys\n", suffix="c = 4"))
    (task,) = tasks_of(tmp_path)
    assert task.finished.text.split("\n") == ["import sys", "", "a = 2", "b = 3", "c = 4"]
    offset = task.moment().offset
    given = task.filled(Suggestion(text="a = 2\nb = 3", start=offset, end=offset, latency=1.0))
    assert given.text == task.finished.text
    assert given.written == (3, 4)
    assert task.finished.written == task.emptied.written == (0, 0)  # no model wrote anything there


def test_a_suggestion_that_says_again_what_stands_left_of_the_gap_takes_its_place(tmp_path):
    write(tmp_path, instance(1, "b", prefix="a 🎉"))
    (task,) = tasks_of(tmp_path)
    given = Suggestion(text="A\nb", start=0, end=task.moment().offset, latency=1.0)
    assert task.filled(given).text == "A\nb\n"
    assert task.filled(given).written == (1, 2)


def test_an_empty_block_is_filled_with_the_least_that_grammar_wants(tmp_path):
    write(tmp_path, instance(1, "    return 1", prefix="def f():", suffix="print(f())"))
    (task,) = tasks_of(tmp_path)
    assert not has_error(language_of("python"), task.emptied.text)
    assert "return" not in task.emptied.text


def test_samples_are_moments_of_their_own(tmp_path):
    write(tmp_path, instance(1, "b"))
    (task,) = tasks_of(tmp_path)
    moments = [task.moment(sample) for sample in range(3)]
    assert len({moment.id for moment in moments}) == 3
    assert {(moment.tape, moment.path, moment.stop) for moment in moments} == {
        ("devbench", "python/low_context/1.py", "any")
    }


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([instance(1, "b"), "{"], 2, "truncated"),
        (["", instance(1, "b"), '{"id": "2"}'], 3, "missing required field"),
        ([{**instance(1, "b"), "prefix": 7}], 1, "Expected `str`, got `int`"),
        ([instance(1, "b"), instance(1, "c")], 2, "the id '1' stands there twice"),
        ([instance(1, "b", language="java")], 1, "its language is 'java', but it lies among python"),
        (['["1"]'], 1, "Expected `object`, got `array`"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line_and_the_reason(tmp_path, lines, line, reason):
    file = write(tmp_path, *lines)
    with pytest.raises(DataError) as caught:
        tasks_of(tmp_path)
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert reason in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    file = write(tmp_path)
    file.write_bytes(b'{"id": "\xff"}\n')
    with pytest.raises(DataError, match=r"low_context\.jsonl:1: "):
        tasks_of(tmp_path)


def test_a_folder_without_the_benchmark_is_refused(tmp_path):
    with pytest.raises(DataError, match="there is no folder `benchmark` in it"):
        tasks_of(tmp_path)


def test_a_file_that_is_missing_is_named(tmp_path):
    write(tmp_path, instance(1, "b"))
    with pytest.raises(DataError, match=r"java/low_context/low_context\.jsonl: cannot be read"):
        tasks_of(tmp_path, ["java"])


def test_the_folder_may_be_devbench_itself_or_hold_it(tmp_path):
    write(tmp_path / "devbench", instance(1, "b"))
    assert [task.name for task in tasks_of(tmp_path)] == [task.name for task in tasks_of(tmp_path / "devbench")]


@pytest.mark.parametrize("model", ["gpt-4o", "Ministral-3B"])
def test_published_answers_are_five_to_each_task_or_none_where_the_models_server_failed(shared, published, model):
    answers, errors = opened(shared).published(model, published), opened(shared).errors(model, published)
    assert {name: len(texts) for name, texts in answers.items()} == {
        task.name: 0 if task.name in errors else 5 for task in published
    }
    assert len(errors) < len(published) / 10


def test_a_model_without_published_answers_is_refused_with_those_that_have_some(tmp_path):
    write(tmp_path, instance(1, "b"))
    publish(tmp_path, "ada", {"1": ["b"]})
    tasks = tasks_of(tmp_path)
    with pytest.raises(DataError, match=r"no answers of a model 'bob' were published here: there are those of ada"):
        opened(tmp_path).published("bob", tasks)


def test_malformed_answers_are_refused(tmp_path):
    write(tmp_path, instance(1, "b"))
    publish(tmp_path, "ada", {"1": "not a list"})
    with pytest.raises(DataError, match=r"low_context-ada\.jsonl:1: has no id, or no list of texts"):
        opened(tmp_path).published("ada", tasks_of(tmp_path))


def test_packages_are_plain_names_with_versions_and_only_where_wanted(tmp_path):
    write(tmp_path, instance(1, "b"))
    assert all(Requirement(name).url is None for name in packages()["python"])
    assert packages().keys() <= set(LANGUAGES)
    assert tasks_of(tmp_path)[0].tests.requires == ()
    assert tasks_of(tmp_path, packages=True)[0].tests.requires == packages()["python"]


def test_an_unknown_corpus_or_language_is_refused_with_the_known_ones():
    with pytest.raises(
        CorpusError, match="there is no corpus 'humaneval': choose one of codev, devbench, mined, simcopilot"
    ):
        corpus_of("humaneval", Path())
    with pytest.raises(CorpusError, match="no language is called 'cobol': choose one of python, javascript"):
        chosen(DevBench(Path()), ["cobol"], [])
    with pytest.raises(CorpusError, match=r"did you mean 'java'\?"):
        chosen(DevBench(Path()), ["jva"], [])


def test_languages_may_go_by_other_names_and_come_in_the_order_of_the_corpus():
    corpus = DevBench(Path())
    assert chosen(corpus, ["c_sharp", "java"], ["low_context"]) == (("java", "csharp"), ("low_context",))
    assert chosen(corpus, [], []) == (corpus.languages, corpus.categories)
