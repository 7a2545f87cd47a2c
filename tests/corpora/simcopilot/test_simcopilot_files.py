"""SimCopilot's tasks: the documents, the gaps, and data that someone may have broken."""

from collections import Counter
from pathlib import Path

import pytest

from corpora.corpus import corpus_of
from corpora.errors import DataError
from corpora.evaluation_options import drawn
from corpora.simcopilot.corpus import SimCopilot, needs
from tests.support.simcopilot_data import STAIRS, STAIRS_CASES, checkpoints, write, write_stairs

SPACED = STAIRS.replace("\t", "    ")


def tasks_of(folder, languages=("python", "java"), categories=("infilling", "completion")):
    return corpus_of("simcopilot", Path(folder)).tasks(languages, categories, packages=True)


def test_an_infilling_is_whole_lines_with_what_stands_above_and_below(tmp_path):
    (task,) = tasks_of(write_stairs(tmp_path), categories=["infilling"])
    assert (task.name, task.path) == ("python/infilling/stairs/6-6", "python/infilling/stairs/6-6/stairs.py")
    assert task.before.splitlines()[-1] == "    for step in range(height):"
    assert task.truth == "        found.append(step * int(open('width.txt').read()))"
    assert task.after.startswith("\n    # the last stair is the landing\n")
    assert task.finished.text == SPACED  # each tab is four spaces, as in its script
    moment = task.moment()
    assert (moment.line, moment.character) == (5, 0)


def test_a_completion_does_not_show_what_stands_below_but_its_tests_run_with_it(tmp_path):
    (task,) = tasks_of(write_stairs(tmp_path), categories=["completion"])
    assert (task.name, task.after) == ("python/completion/stairs/5-6", "")
    assert task.finished.text == SPACED.partition("\n    # the last")[0]
    assert task.tests.program(task.finished).startswith(f"{SPACED}\nprint(stairs(3))\nprint(stairs(0))\n")
    assert task.finished.text + task.below == SPACED


def test_an_emptied_completion_is_patched_as_the_whole_program_demands(tmp_path):
    """The document alone is cut off in the middle of a function, and nothing in it says what the grammar demands."""
    (task,) = tasks_of(write_stairs(tmp_path, completion=[(6, 6)]), categories=["completion"])
    assert task.emptied.text.splitlines()[-1] == "        pass"
    compile(task.tests.program(task.emptied), "emptied", "exec")


@pytest.mark.parametrize("gap", [(1, 1), (1, 11), (11, 11)])
def test_a_gap_may_be_at_either_end(tmp_path, gap):
    infilling, completion = tasks_of(write_stairs(tmp_path, infilling=[gap], completion=[gap]))
    for task in (infilling, completion):
        assert task.finished.text + task.below == SPACED
        assert task.truth == "\n".join(SPACED.split("\n")[gap[0] - 1 : gap[1]])


def test_all_tasks_of_one_program_share_the_result_of_the_finished_one(tmp_path):
    tasks = tasks_of(write_stairs(tmp_path, infilling=[(3, 8), (6, 6)], completion=[(5, 6), (3, 8)]))
    assert len(tasks) == 4
    assert len({task.tests.key(task.finished) for task in tasks}) == 1
    assert len({task.tests.key(task.emptied) for task in tasks}) == 3  # one gap is of both kinds


def test_the_key_of_a_result_names_the_files_beside_the_program(tmp_path):
    first, second = (tasks_of(write_stairs(tmp_path / name))[0] for name in ("first", "second"))
    assert first.tests.key(first.finished) == second.tests.key(second.finished)
    for number, name in enumerate(("width.txt", "more/width.txt")):
        other = write_stairs(tmp_path / f"other {number}")
        file = other / "example_code/Python/stairs/Test" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("8")
        (task, _) = tasks_of(other)
        assert task.tests.key(task.finished) != first.tests.key(first.finished)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"infilling": [(6, 12)]}, "stairs has 11 lines, and no lines 6 to 12"),
        ({"infilling": [(7, 6)]}, "no lines 7 to 6"),
        ({"completion": [(0, 6)]}, "no lines 0 to 6"),
        ({"output": "some_output"}, "is no file of SimCopilot: Invalid enum value 'some_output'"),
    ],
)
def test_malformed_gaps_are_refused_with_their_file(tmp_path, change, said):
    with pytest.raises(DataError, match=said) as error:
        tasks_of(write_stairs(tmp_path, **change))
    assert "Python_tasks_checkpoints.json" in str(error.value)


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("Python/stairs/Test/stairs.json", '{"test_case1": ""}', "has no test_case1 with an expected_output1"),
        ("Python/stairs/Test/stairs.json", "[", "is no file of SimCopilot"),
        (
            "Python/stairs/Test/stairs.json",
            r'{"test_case1": "", "expected_output1": "a\\"}',
            "expected_output1 cannot be read",
        ),
        ("tasks_path.json", '{"Python": {}}', "tasks_path.json does not say where 'stairs' is"),
        ("tasks_path.json", '{"Python": {"stairs": "./example_code/nowhere"}}', "name the folder of SimCopilot"),
    ],
)
def test_malformed_files_are_refused(tmp_path, file, text, said):
    (write_stairs(tmp_path) / "example_code" / file).write_text(text)
    with pytest.raises(DataError, match=said):
        tasks_of(tmp_path)


def test_a_folder_without_its_files_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"there is no folder `example_code` in it: name the folder of SimCopilot"):
        tasks_of(tmp_path)
    assert len(tasks_of(write_stairs(tmp_path) / "example_code")) == 2  # the folder itself may be named too


def test_no_answers_were_published(tmp_path):
    corpus = SimCopilot(write_stairs(tmp_path))
    with pytest.raises(DataError, match="no answers of a model 'gpt-4o' were published with SimCopilot"):
        corpus.published("gpt-4o", ())
    assert corpus.errors("gpt-4o", ()) == {}


@pytest.fixture
def incomplete(tmp_path):
    """Programs with the names of some that were published: one needs a file, one libraries, one nothing."""
    names = ("Timeseries_Clustering", "GAN_model", "simplex_method")
    programs = [(checkpoints(name, [(6, 6), (5, 6)], [(5, 6)]), STAIRS, STAIRS_CASES) for name in names]
    return write(tmp_path, programs, [(checkpoints("TowerTester", [(1, 1)]), "class TowerTester { }", STAIRS_CASES)])


def test_programs_without_their_data_or_libraries_are_named_with_the_reason(incomplete):
    assert corpus_of("simcopilot", incomplete).lacking == {
        "Timeseries_Clustering": "Timeseries_Clustering reads norm_ret_df.csv, which the data does not hold",
        "GAN_model": "GAN_model needs tensorflow, tensorflow_addons, which it does not get",
        "TowerTester": "TowerTester needs junit-platform-console-standalone-*.jar, which the data does not hold",
    }
    (incomplete / "example_code/Python/Timeseries_Clustering/Test/norm_ret_df.csv").write_text("1")
    assert "Timeseries_Clustering" not in corpus_of("simcopilot", incomplete).lacking


def test_tasks_that_cannot_be_tested_are_drawn_last_of_their_kind(incomplete):
    tasks = tasks_of(incomplete, languages=["python"])
    taken = drawn(tasks, 3, 0)
    assert Counter(task.category for task in taken) == {"infilling": 2, "completion": 1}
    assert not any(task.lacks for task in taken)
    assert sum(bool(task.lacks) for task in drawn(tasks, 5, 0)) == 2
    assert [task.name for task in drawn(tasks, None, 0)] == [task.name for task in tasks]


def test_what_programs_need_is_only_said_of_published_ones():
    assert set(needs()) == {
        *("simplex_method", "RL_Motion_Planning", "Image_Transformation", "Image_Filtering", "Credit_Scoring_Fairness"),
        *("GAN_model", "Timeseries_Clustering", "FactorizationTester", "CounterTester", "SparseArrayTester"),
        *("DoubleMatrixTester", "RNGTester", "TopKTester", "MTreeTester"),
    }
