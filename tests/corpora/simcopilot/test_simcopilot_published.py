"""SimCopilot as it was published, where `GHOSTTAPE_SIMCOPILOT` names a copy of its repository."""

import json
from collections import Counter
from itertools import pairwise

import pytest

from corpora.corpus import corpus_of
from corpora.evaluation_options import drawn
from corpora.fetching import check
from corpora.simcopilot.card import CARD


def tasks_of(folder, languages=("python", "java"), categories=("infilling", "completion")):
    return corpus_of("simcopilot", folder).tasks(languages, categories, packages=True)


def test_all_1163_tasks_are_read(copy):
    """The numbers of the paper's Table 1."""
    tasks = tasks_of(copy)
    assert Counter((task.language, task.category) for task in tasks) == {
        ("python", "infilling"): 382,
        ("python", "completion"): 212,
        ("java", "infilling"): 283,
        ("java", "completion"): 286,
    }
    assert len({task.name for task in tasks}) == len({task.path for task in tasks}) == CARD.tasks
    assert len({task.tests.path for task in tasks}) == 15


def test_each_task_is_the_lines_of_its_own_files(copy):
    """Read without our reader: the ranges from the files of checkpoints, the lines from the programs."""
    tasks = {task.name: task for task in tasks_of(copy)}
    folders = {"Python": "python", "Java": "java"}
    members = {"infilling": "checkpoint_LN_infilling", "completion": "checkpoint_LN_Completion"}
    paths, seen = json.loads((copy / "example_code/tasks_path.json").read_text()), 0
    for folder, language in folders.items():
        for program in json.loads((copy / f"example_code/{folder}/{folder}_tasks_checkpoints.json").read_text()):
            name, end = program["Task_Name"], ".py" if language == "python" else ".java"
            lines = (copy / f"{paths[folder][name]}{end}").read_text().expandtabs(1).split("\n")
            for category, member in members.items():
                for first, last in program[member]:
                    task = tasks[f"{language}/{category}/{name}/{first}-{last}"]
                    assert task.truth.split() == " ".join(lines[first - 1 : last]).split()
                    assert len(task.before.splitlines()) == first - 1
                    assert (task.after == "") == (category == "completion" or last == len(lines))
                    assert len((task.finished.text + task.below).split("\n")) == len(lines)
                    seen += 1
    assert seen == 1163


def test_which_of_the_published_programs_lack_something(copy):
    tasks = tasks_of(copy)
    lacking = Counter(task.language for task in tasks if task.lacks)
    gone = {"java": 50} if not (copy / "example_code/Java/COMP215/A1/Test/allWordsBig").exists() else {}
    assert lacking == {"python": 594 - 114, **gone}
    runs = {task.tests.path.stem for task in tasks if not task.lacks}
    assert runs >= {"simplex_method", "Image_Transformation", "FactorizationTester", "MTreeTester"}


def test_gaps_of_the_published_programs_keep_their_order(copy):
    """A larger limit keeps what a smaller one took, over programs that run and others."""
    tasks = tasks_of(copy)
    taken = [{task.name for task in drawn(tasks, limit, 0)} for limit in (10, 40, 400, 1163)]
    assert all(one < other for one, other in pairwise(taken))
    assert not any(task.lacks for task in drawn(tasks, 40, 0))


def test_the_copy_is_that_of_the_card(copy):
    assert check(CARD, copy, "copy") == []


@pytest.mark.parametrize(
    "name",
    [
        "simplex_method",
        "Image_Transformation",
        "FactorizationTester",
        "DoubleVectorTester",
        "SparseArrayTester",
        "DoubleMatrixTester",
        "RNGTester",
        "TopKTester",
        "MTreeTester",
    ],
)
async def test_an_original_passes_its_own_tests(copy, programs, need, name):
    """All tasks of a program share its finished text, and so this result."""
    tasks = [task for task in tasks_of(copy) if task.tests.path.stem == name]
    if tasks[0].language == "java":
        need("javac", "java")
    assert len({task.tests.key(task.finished) for task in tasks}) == 1
    await tasks[0].tests.prepare(tasks[0].finished, programs)
    result = await tasks[0].tests.run(tasks[0].finished, programs)
    assert (result.verdict_class, result.message) == ("passed", "")
