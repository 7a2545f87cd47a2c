import difflib
import random
import re
import subprocess
from dataclasses import replace

import pytest
from scipy import stats

from corpora.efcb.answering import QuestionOutcome
from corpora.efcb.efcb_files import read
from corpora.efcb.examination_report import check_figures
from corpora.efcb.making import QuestionMaker, pull_requests, write_questions
from corpora.efcb.making.git_pull_requests import whole_files
from corpora.efcb.patches import applied, checked, hunks_of, similarity
from tests.support.small_repository import git

SHOWN = "[[MASK]]"


def filled(question, lines):
    return question.shown_diff.replace(SHOWN, lines)


@pytest.fixture
def question(write_questions):
    return read(write_questions("one"), ["mpr-gen"])[0]


def test_the_original_keeps_applies_and_is_exact(question):
    found = checked(question, f"```diff\n{question.ideal}\n```")
    assert (found.keeps, found.applies, found.exact, found.similarity, found.filled) == (True, True, True, 1, 1)
    assert found.unfilled < 1
    assert found.parses is None


def test_other_added_lines_apply_and_are_not_exact(question):
    found = checked(question, filled(question, "+something else"))
    assert (found.keeps, found.applies, found.exact) == (True, True, False)


def test_a_context_line_that_is_not_in_the_file_does_not_apply(question):
    found = checked(question, filled(question, " something else"))
    assert (found.keeps, found.applies, found.exact) == (True, False, False)


@pytest.mark.parametrize("answer", ["", "I cannot say.", "+alone", "src/x.py\n@@ -1,2 +1,3 @@\nno mark"])
def test_what_is_no_patch_does_not_apply(question, answer):
    found = checked(question, answer)
    assert (found.keeps, found.applies, found.exact, found.filled) == (False, False, False, None)


def test_similarity_counts_edits_over_tokens():
    assert similarity("a = b + 1", "a = c + 1") == pytest.approx(0.8)
    assert similarity("", "a.b") == 0
    assert similarity("f(x)", "f( x )") == 1


def test_a_removed_line_of_two_hyphens_is_no_rule():
    found = hunks_of("a.sql\n@@ -1,2 +1 @@\n x\n---\n---\nb.sql\n@@ -3 +3 @@\n-y\n+z")
    assert {path: [hunk.lines for hunk in own] for path, own in found.items()} == {
        "a.sql": [(" x", "---")],
        "b.sql": [("-y", "+z")],
    }


def test_hunks_apply_where_git_applies_them_with_the_same_result(tmp_path):
    draw, agreed = random.Random(5), {True: 0, False: 0}
    for case in range(60):
        before = [f"line {case} {n}" for n in range(40)]
        text = changed_patch(before, draw)
        ours = applied([*before, ""], hunks_of(f"f.txt\n{text}")["f.txt"])
        file = tmp_path / "f.txt"
        file.write_text("\n".join(before) + "\n")
        done = subprocess.run(
            ["git", "apply", "--recount", "-"],
            input=f"--- a/f.txt\n+++ b/f.txt\n{text}\n",
            cwd=tmp_path,
            text=True,
            capture_output=True,
            check=False,
        )
        assert (ours is not None) == (done.returncode == 0), (text, done.stderr)
        if ours is not None:
            assert "\n".join(ours) == file.read_text()
        agreed[ours is not None] += 1
    assert min(agreed.values()) > 10


def changed_patch(before, draw):
    """A patch of two places of a file, some lines or heads of which are then changed."""
    after = list(before)
    for at in draw.sample(range(5, 34), 3):
        after[at] = draw.choice(["new", "new\nand more"])
    after = "\n".join(after).split("\n")
    lines = list(difflib.unified_diff(before, after, lineterm="", n=3))[2:]
    kind = draw.choice(["none", "text", "head", "added"])
    if kind == "head":
        lines = [re.sub(r"^@@ -\d+", f"@@ -{draw.randrange(4, 30)}", line) for line in lines]
    marks = {"text": " -", "added": "+"}.get(kind, "")
    places = [at for at, line in enumerate(lines) if line[0] in marks] if marks else []
    if places:
        at = draw.choice(places)
        lines[at] = f"{lines[at]} changed"
    return "\n".join(lines)


@pytest.fixture
def python_question(tmp_path):
    """A question of a repository whose masked file parses before and after."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init")
    (folder / "a.py").write_text("def one():\n    return 1\n")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "start")
    (folder / "a.py").write_text("def one():\n    return 1\n\n\n" + "".join(f"LIMIT_{n} = {n}\n" for n in range(20)))
    git(folder, "commit", "-a", "-m", "Limits (#2)\n\nThere are limits")
    maker = QuestionMaker(list(pull_requests(str(folder))), 0, whole_files(str(folder)))
    (tmp_path / "made" / "app").mkdir(parents=True)
    write = tmp_path / "made"
    four = [replace(maker.requests[0]) for _ in range(4)]  # as many as a question with choices needs
    write_questions(replace(maker, requests=four), write, "app")
    return read(write, ["mpr-gen"])[0]


def test_a_question_of_a_repository_has_its_file_and_says_whether_it_parses(python_question):
    assert python_question.file.before == "def one():\n    return 1\n"
    broken, otherwise = filled(python_question, "+def ("), filled(python_question, "+x = 1")
    answers = (python_question.ideal, otherwise, broken, filled(python_question, " not there"), "no patch")
    found = [checked(python_question, answer) for answer in answers]
    assert [one.applies for one in found] == [True, True, True, False, False]
    assert [one.parses for one in found] == [True, True, False, False, False]


def test_figures_of_checks_have_wilsons_and_students_intervals(question):
    answers = [question.ideal] * 5 + [filled(question, f"+{'alpha ' * n}") for n in range(1, 5)] + ["nothing"]
    found = check_figures([QuestionOutcome(question, answer) for answer in answers] + [QuestionOutcome(question)])
    interval = stats.binomtest(5, 10).proportion_ci(method="wilson")
    exact = found["exact"]["one"]
    assert (exact["value"], exact["n"]) == (0.5, 10)
    assert (exact["low"], exact["high"]) == pytest.approx((interval.low, interval.high))
    values = [checked(question, answer).filled for answer in answers[:9]]
    mean = stats.ttest_1samp(values, 0).confidence_interval()
    filling = found["filled"]["one"]
    assert filling["n"] == 9
    assert (filling["low"], filling["high"]) == pytest.approx((max(0, mean.low), min(1, mean.high)))
    assert "parses" not in found
