import io

import pytest
from rich.console import Console

from replay.numbers.effects import ablation
from replay.records import ArmTrial, Verdict
from server.settings import REPAIRS
from tui.tables.ablation_table import CASES, ablation_table

ARMS = ("all", "none", *(f"without {step}" for step in REPAIRS))


def trials(number, language, failing=(), verdict="failed"):
    """A moment in each arm; it passes but in some."""
    for arm in ARMS:
        yield ArmTrial(
            moment=f"m{number}",
            tape="a-tape-with-a-rather-long-name",
            place=f"src/a/folder/in/a/folder/and/a/file{number}.py:12:5",
            language=language,
            arm=arm,
            text="x",
            start=0,
            end=0,
            verdict=Verdict(name=verdict if arm in failing else "passed"),
        )


def printed(*moments, **clusters):
    console = Console(width=80, record=True, force_terminal=True, file=io.StringIO())
    console.print(ablation_table(ablation([one for moment in moments for one in moment], REPAIRS, clusters)))
    return console.export_text()


def row(text, name):
    return next(line.split() for line in text.splitlines() if line.split()[: len(name.split())] == name.split())


def test_each_step_has_its_line_with_what_it_does():
    text = printed(
        trials(1, "python", {"none", "without prose"}),
        trials(2, "python", {"all"}),
        trials(3, "python", {"all", "none"}),
    )
    assert row(text, "prose") == ["prose", "1", "2", "1", *row(text, "prose")[4:]]
    assert row(text, "prose")[4] == "-33.3"
    assert row(text, "prose")[-1] == "1.000"
    assert row(text, "all of them")[3:6] == ["1", "1", "1"]
    assert row(text, "python") == ["python", "all", "1,", "none", "1", "of", "3"]
    assert "all languages" not in text


def test_moments_of_one_cluster_have_a_difference_without_an_interval():
    text = printed(trials(1, "python", {"none"}), trials(2, "python"), m1="one", m2="one")
    assert row(text, "all of them") == ["all", "of", "them", "1", "0", "0", "+50.0", row(text, "all of them")[-1]]


def test_languages_have_a_block_each_behind_that_of_all():
    text = printed(trials(1, "python"), trials(2, "java", {"none"}))
    assert text.index("all languages") < text.index("java ") < text.index("python ")
    assert text.count("brackets") == 3


def test_where_a_step_does_harm_is_named():
    text = printed(*(trials(number, "python", {"all", "none"}) for number in range(10, 14)))
    assert text.count("broken  …") == CASES
    assert "file10.py:12:5" in text
    assert "and 12 more (--json names them under ablation.cases)" in text


def test_trials_without_a_verdict_are_counted():
    assert "1 trials have no verdict" in printed(trials(1, "python", {"none"}, "infrastructure"), trials(2, "python"))


@pytest.mark.parametrize("number", [1, 12, 1_234])
def test_every_line_fits_80_columns(number):
    failing = {"all", "none"}
    text = printed(
        *(trials(each, ("python", "javascriptreact")[each % 2], failing if each % 3 else ()) for each in range(number))
    )
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "…" not in text.split("where a step does harm")[0].replace("javascriptreact", "")


def test_a_run_without_testable_moments_says_so():
    assert "No moment is testable" in printed()
