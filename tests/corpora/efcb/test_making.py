import random

import Levenshtein
import pytest
from scipy import stats

from corpora.efcb.baseline_rules import RULES, solved_by
from corpora.efcb.efcb_files import read
from corpora.efcb.making import QuestionMaker, git_pull_requests, pull_requests, write_questions
from corpora.efcb.making.git_pull_requests import PullRequest, kept
from corpora.efcb.making.question_maker import variants
from corpora.errors import HistoryError
from tests.support.small_repository import git

CODE = """src/{name}.py
@@ -1,4 +1,16 @@
 import os
+from collections import OrderedDict
+
+LIMIT = {number}
+
+
+def settle_{name}(amount, factor, entries):
+    total = amount * factor
+    for entry in entries:
+        if total <= entry.least:
+            continue
+        total += entry.share
+        entries.remember(total)
+    remaining = LIMIT - total
+    return remaining
 # end"""


def common_start(one, other):
    return one[
        : next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    ]


def made_up(count):
    return [
        PullRequest(f"c{n}", f"title {n}", f"it settles {n}", CODE.format(name=f"part{n}", number=n + 3))
        for n in range(count)
    ]


def test_each_wrong_version_differs_from_the_right_one_in_one_place():
    for request in made_up(60):
        found = variants(request.patch, random.Random(request.commit))
        for wrong in found.wrong:
            before = common_start(request.patch, wrong)
            behind = common_start(request.patch[len(before) :][::-1], wrong[len(before) :][::-1])
            changed = request.patch[len(before) : len(request.patch) - len(behind)]
            assert changed.count("\n") < 4
            assert wrong != request.patch
        assert len({request.patch, *found.wrong}) == 4


def test_all_kinds_of_places_are_changed():
    kinds = {variants(request.patch, random.Random(request.commit)).kind for request in made_up(60)}
    assert kinds == {"identifier", "operator", "constant", "order"}


def test_neither_medoid_nor_length_finds_the_right_one_more_often_than_chance(tmp_path):
    write_questions(QuestionMaker(made_up(400)), tmp_path, "r")
    questions = read(tmp_path, ["gmcq-hard", "gmcq-hard-2"])
    solved = solved_by(questions)
    hard, repaired = ([each for each in questions if each.task == task] for task in ("gmcq-hard", "gmcq-hard-2"))
    assert sum("medoid" in solved[each.name] for each in hard) > 0.95 * len(hard)
    for rule in RULES:
        right = sum(rule in solved[each.name] for each in repaired)
        assert stats.binomtest(right, len(repaired), 0.25).pvalue > 0.001, rule
    letters = sum(nearest(each) for each in repaired)
    assert stats.binomtest(round(letters), len(repaired), 0.25).pvalue > 0.001


def nearest(question):
    """The chance that the medoid over characters is the right one."""
    sums = [sum(Levenshtein.distance(one, other) for other in question.choices) for one in question.choices]
    best = [index for index in range(4) if sums[index] == min(sums)]
    return (question.right in best) / len(best)


def test_a_mask_covers_five_lines_one_of_them_added(tmp_path):
    write_questions(QuestionMaker(made_up(20)), tmp_path, "r")
    for question in read(tmp_path, ["mpr-gen"]):
        before, _, behind = question.shown_diff.partition("[[MASK]]\n")
        hidden = question.ideal[len(before) : -len(behind.rstrip("\n")) - 1]
        assert question.ideal.startswith(before)
        assert hidden.count("\n") == 5
        assert any(line.startswith("+") for line in hidden.split("\n"))


def test_one_more_pull_request_changes_no_other_question_but_distractors():
    few, more = (list(QuestionMaker(made_up(count)).rows("gmcq-hard-2")) for count in (10, 11))
    assert more[:10] == few


@pytest.fixture
def repository(tmp_path):
    """A merge, a squashed pull request, one without a description, one that is too short, and a plain commit."""
    folder = tmp_path / "app"
    folder.mkdir()
    git(folder, "init")

    def commit(name, lines, message):
        (folder / name).write_text("".join(f"{name} {n}\n" for n in range(lines)))
        git(folder, "add", ".")
        git(folder, "commit", "-m", message)

    commit("start.txt", 3, "start")
    git(folder, "checkout", "-b", "topic")
    commit("merged.txt", 20, "work")
    git(folder, "checkout", "main")
    git(folder, "merge", "--no-ff", "topic", "-m", "Merge pull request #1 from a/topic\n\nMerged title\n\nMerged body")
    commit("squashed.txt", 20, "Squashed title (#2)\n\nSquashed body\nin two lines")
    commit("silent.txt", 20, "No description (#3)")
    commit("short.txt", 5, "Short (#4)\n\nbody")
    commit("plain.txt", 20, "A plain commit\n\nbody")
    return folder


def test_pull_requests_are_merges_and_squashed_commits(repository):
    found = list(pull_requests(str(repository)))
    assert [(each.title, each.body, each.fits) for each in found] == [
        ("Short", "body", False),
        ("No description", "", True),
        ("Squashed title", "Squashed body\nin two lines", True),
        ("Merged title", "Merged body", True),
    ]
    assert found[-1].patch.startswith("merged.txt\n@@ -0,0 +1,20 @@\n+merged.txt 0\n")
    assert found[-1].patch.endswith("+merged.txt 19")


def test_too_few_of_them_make_no_question(repository):
    with pytest.raises(HistoryError, match=r"2 of its pull requests have .* a question needs four"):
        kept(str(repository))


def test_of_equal_patches_the_newest_is_kept_and_no_more_is_read_than_the_limit_wants(monkeypatch):
    def one(number, patch):
        return PullRequest(str(number), f"title {number}", "body", f"{patch}\n" * 20)

    def newest_first(_):
        yield from (one(7, "a"), one(6, "b"), one(5, "a"), one(4, "c"), one(3, "d"))
        raise AssertionError("more is read")

    monkeypatch.setattr(git_pull_requests, "pull_requests", newest_first)
    assert [each.commit for each in kept("r", 4)] == ["7", "6", "4", "3"]
