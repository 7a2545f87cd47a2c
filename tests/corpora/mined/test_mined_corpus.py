"""A mined corpus as tasks: their documents, what their tests see in the sandbox, and a repository that has changed since."""

import re
from dataclasses import replace

import msgspec
import pytest

from corpora.audits.duplicates import near_duplicates
from corpora.corpus import corpus_of
from corpora.errors import DataError
from corpora.mined.checkout import Checkout, digest_of, read_checkout
from corpora.mined.corpus import task_of
from corpora.mined.corpus_file import MinedHead, MinedLine, read_corpus, write_corpus
from corpora.mined.repository_tests import RepositoryBench, RepositoryTests
from corpora.mining.gap_selection import GapChoice, find_gaps
from corpora.run.task_cases import TaskTests
from replay.errors import LeftOutError
from replay.judge.states import ProjectState
from replay.tapes.tape import Tests as ProjectTests
from runners.programs.fake_program import FakePrograms
from runners.protocol import Completed
from runners.verdicts import RetryPolicy
from tests.support.fakes.sandbox import FakeSandbox

CODE = "// 😀\nfunction total(rows) {\n  let found = 0;\n  for (const row of rows) {\n    found += size(row);\n  }\n  return found;\n}\n"
TESTS = ProjectTests(toolchain="none", command="pytest -q", timeout_s=30.0)


def passed(count=3):
    return Completed(0, None, f"===== {count} passed in 0.01s =====\n", "", 5.0)


def failed(why="assert total([]) == 0"):
    return Completed(1, None, f"E       {why}\n===== 1 failed, 2 passed in 0.01s =====\n", "", 5.0)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "app"
    made.mkdir()
    (made / "total.js").write_text(CODE)
    (made / "notes.txt").write_text("notes\n")
    return made


@pytest.fixture
def mined(folder, tmp_path):
    """A corpus of all gaps of a folder."""
    checkout = read_checkout(folder, "")
    lines = find_gaps(checkout.files, GapChoice()).lines
    head = MinedHead(
        corpus=1, name="app", repository=str(folder), tests=TESTS, files=checkout.digests(line.path for line in lines)
    )
    file = tmp_path / "app.jsonl"
    write_corpus(file, head, lines)
    return file


def tasks_in(file, **more):
    corpus = corpus_of("anything", file, **more)
    return corpus, corpus.tasks(corpus.languages, corpus.categories, packages=True)


def task_called(file, kind, category):
    return next(task for task in tasks_in(file)[1] if task.name.endswith(kind) and task.category == category)


def test_a_corpus_names_itself_and_has_the_languages_and_categories_of_its_tasks(mined):
    corpus, tasks = tasks_in(mined)
    assert (corpus.name, corpus.languages, corpus.categories) == ("app", ("javascript",), ("infilling", "completion"))
    assert len({task.path for task in tasks}) == len({task.moment().id for task in tasks}) == len(tasks) == 5
    assert {task.category for task in corpus.tasks(["javascript"], ["completion"], packages=True)} == {"completion"}
    with pytest.raises(DataError, match="no answers of a model"):
        corpus.published("gpt", tasks)


def test_an_infilling_sees_what_stands_below_and_a_completion_does_not(mined):
    filling, completion = (task_called(mined, "loop-body", one) for one in ("infilling", "completion"))
    assert filling.before + filling.truth + filling.after == CODE
    assert filling.truth == "found += size(row);"
    assert (completion.after, completion.stop) == ("", "block")
    assert completion.before == filling.before
    assert completion.truth == "found += size(row);\n  }"
    assert completion.before + completion.truth + completion.below == CODE
    assert completion.emptied.text + completion.below == filling.emptied.text
    assert (filling.moment().function, filling.moment().hole) == ("total.js:2", "total.js:97")


async def opened(file, answer, cache):
    """The tests of each task, in a sandbox that a function answers for; and what each job found in the file."""
    seen = []

    def run(job):
        seen.append((job.project / "total.js").read_text())
        return answer(seen[-1])

    corpus, tasks = tasks_in(file)
    machine = await corpus.bench.open(FakeSandbox(run), cache, RetryPolicy(), lambda _: None)
    tests = {task.name: TaskTests(task, FakePrograms(lambda _: None), machine) for task in tasks}
    return corpus, list(tests.values()), seen


async def test_an_answer_is_tested_in_a_copy_of_the_whole_repository(mined, tmp_path):
    corpus, tests, seen = await opened(mined, lambda text: passed() if "size(row)" in text else failed(), tmp_path)
    try:
        assert seen == [CODE, CODE]  # the repository without a change, twice
        assert corpus.bench.is_forgeable  # nothing names the tests of this runner
        for one in tests:
            finished = await one.run(one.task.finished)
            assert (finished.verdict_class, finished.passed) == ("passed", 3)
        assert len(seen) == 2  # and never again
        one = next(test for test in tests if test.task.category == "completion" and "loop-body" in test.task.name)
        right = await one.run(ProjectState(one.task.path, one.task.before + "found = found + size(row);\n  }"))
        assert right.verdict_class == "passed"
        assert seen[-1] == CODE.replace("found += size(row)", "found = found + size(row)")
        wrong = await one.run(one.task.emptied)
        assert wrong.verdict_class == "assertion"
        assert seen[-1] == CODE.replace("\n    found += size(row);", "\n    ")
    finally:
        corpus.bench.close()


@pytest.mark.parametrize(
    ("timer", "command", "runs"), [("setTimeout(f, 9);", "pytest -q", 5), ("", "jest --maxWorkers=2", 1)]
)
def test_an_emptied_file_with_timers_must_fail_five_times_whatever_the_command_says(folder, timer, command, runs):
    text = CODE + timer
    bench = RepositoryBench(Checkout(folder, "", {"total.js": text}), msgspec.structs.replace(TESTS, command=command))
    for line in find_gaps(
        bench.checkout.files, GapChoice()
    ).lines:  # of a completion the timer stands below the document
        task = task_of("app", bench, line)
        assert TaskTests(task, FakePrograms(lambda _: None)).runs_of_emptied(task.emptied) == runs


async def test_a_pass_with_fewer_tests_is_none(mined, tmp_path):
    corpus, tests, _ = await opened(mined, lambda text: passed() if text == CODE else passed(2), tmp_path)
    try:
        result = await tests[0].run(tests[0].task.emptied)
        assert (result.verdict_class, result.message) == ("failed", "only 2 of the project's 3 tests ran")
    finally:
        corpus.bench.close()


async def test_states_of_one_text_have_one_key_whatever_task_they_are_of(mined, tmp_path):
    corpus, tests, _ = await opened(mined, lambda _: passed(), tmp_path)
    try:
        assert len({one.key(one.task.finished) for one in tests}) == 1
        of_loop = [one for one in tests if "loop-body" in one.task.name]
        assert len({one.key(one.task.emptied) for one in of_loop}) == 1
        assert of_loop[0].key(of_loop[0].task.emptied) != of_loop[0].key(of_loop[0].task.finished)
        other = replace(corpus.bench.checkout, files={**corpus.bench.checkout.files, "notes.txt": "others\n"})
        state = tests[0].task.finished
        assert RepositoryTests(RepositoryBench(other, TESTS), "total.js").key(state) != tests[0].task.tests.key(state)
    finally:
        corpus.bench.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            lambda _: failed("assert 1 == 2"),
            r"broken-baseline: assert 1 == 2.*`pytest -q`.*--test-command(.|\n)*1 failed",
        ),
        (lambda _: passed(0), "no test ran|broken-baseline"),
    ],
)
async def test_a_repository_whose_own_tests_fail_is_refused_with_their_log(mined, tmp_path, answer, said):
    with pytest.raises(LeftOutError, match=said):
        await opened(mined, answer, tmp_path)


async def test_tests_that_fail_only_sometimes_are_called_flaky(mined, tmp_path):
    results = [passed(), failed()]
    with pytest.raises(LeftOutError, match="flaky"):
        await opened(mined, lambda _: results.pop(0), tmp_path)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda folder: (folder / "total.js").write_text(CODE + "\n"), "total.js"),
        (lambda folder: (folder / "notes.txt").unlink(), "notes.txt"),
    ],
)
def test_a_folder_that_has_changed_since_is_refused_with_what_changed(mined, folder, change, named):
    change(folder)
    with pytest.raises(DataError, match=rf"has changed since it was mined \({named}\): mine it again"):
        tasks_in(mined)


def test_a_new_file_in_a_folder_is_no_change_and_has_no_part_in_a_test(mined, folder):
    (folder / "new.txt").write_text("x")
    (folder / "node_modules").mkdir()
    corpus, tasks = tasks_in(mined)
    assert len(tasks) == 5
    assert set(corpus.bench.checkout.files) == {"total.js", "notes.txt"}


def test_a_head_that_lists_a_file_outside_of_its_folder_is_refused(mined, folder):
    head, lines = read_corpus(mined)
    outside = folder.parent / "outside.txt"
    outside.write_text("x")
    files = {**head.files, "../outside.txt": digest_of("x")}
    write_corpus(mined, msgspec.structs.replace(head, files=files), lines)
    with pytest.raises(DataError, match=r"has changed since it was mined \(\.\./outside\.txt\)"):
        tasks_in(mined)


def test_a_repository_that_has_moved_is_found_where_it_is_named(mined, folder, tmp_path):
    folder.rename(tmp_path / "moved")
    with pytest.raises(
        DataError,
        match=re.escape(f"its repository is not at {folder}: name the folder where it is now with --project DIR"),
    ):
        tasks_in(mined)
    assert len(tasks_in(mined, project=str(tmp_path / "moved"))[1]) == 5


def test_a_commit_stays_what_it_was_and_one_that_is_missing_is_refused(make_repo, tmp_path):
    repo = make_repo(tmp_path / "shapes")
    repo.commit("first", {"total.js": CODE})
    commit = repo.shas["first"]
    checkout = read_checkout(repo.path, commit)
    lines = find_gaps(checkout.files, GapChoice()).lines
    head = {"corpus": 1, "name": "shapes", "tests": TESTS, "files": checkout.digests(["total.js"])}
    file = tmp_path / "shapes.jsonl"
    write_corpus(file, MinedHead(repository=str(repo.path), commit=commit, **head), lines)
    repo.commit("second", {"total.js": "let x = 1;\n"})
    assert tasks_in(file)[1][0].finished.text.startswith(CODE[:20])
    other = make_repo(tmp_path / "other")
    other.commit("else", {"a.js": "let x = 1;\n"})
    with pytest.raises(DataError, match=f"has no commit {commit[:10]}"):
        tasks_in(file, project=str(other.path))
    write_corpus(
        file, MinedHead(repository=str(repo.path), commit=commit, **{**head, "files": {"total.js": "0" * 64}}), lines
    )
    with pytest.raises(DataError, match="has changed since"):
        tasks_in(file)


@pytest.mark.parametrize(("start", "end"), [(5, 5), (9, 5), (0, 10_000)])
def test_a_gap_that_lies_outside_of_its_file_is_refused(mined, folder, start, end):
    checkout = Checkout(folder, "", read_checkout(folder, "").files)
    line = MinedLine(
        name="x",
        category="infilling",
        kind="if-body",
        language="javascript",
        path="total.js",
        start=start,
        end=end,
        lines=(1, 1),
    )
    write_corpus(
        mined, MinedHead(corpus=1, name="app", repository=str(folder), tests=TESTS, files=checkout.digests([])), [line]
    )
    with pytest.raises(DataError, match=r":2: the gap lies outside of total\.js"):
        tasks_in(mined)


def test_an_audit_compares_what_was_removed_and_not_the_file_that_all_tasks_share(mined):
    tasks = tasks_in(mined)[1]
    assert [task.telling for task in tasks] == [task.truth for task in tasks]
    assert {task.finished.text + task.below for task in tasks} == {CODE}
    (inside,) = near_duplicates(tasks)
    assert {inside.one.split("/")[0], inside.other.split("/")[0]} == {"completion"}  # a body, and the rest of it
    loop = task_called(mined, "loop-body", "infilling")
    again = replace(loop, name="again", path="again")
    (pair,) = near_duplicates([loop, again])
    assert (pair.one, pair.other, pair.tokens) == (loop.name, "again", 1.0)
