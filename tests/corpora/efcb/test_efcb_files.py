import json

import pytest

from corpora.efcb.answering import PROMPTS, rubrics
from corpora.efcb.efcb_files import read
from corpora.efcb.questions import TASKS
from corpora.errors import DataError


def test_questions_of_all_tasks_and_repositories_are_read(write_questions):
    questions = read(write_questions("one", "two"))
    assert len(questions) == 2 * len(TASKS) * 8
    assert [question.name for question in questions[:2]] == ["gmcq-easy/one/1", "gmcq-easy/one/2"]


def test_some_tasks_and_repositories_can_be_chosen(write_questions):
    questions = read(write_questions("one", "two"), ["mpr-gen"], ["two"])
    assert {(question.task, question.repository) for question in questions} == {("mpr-gen", "two")}


def test_a_copy_of_the_published_repository_is_read_where_its_tasks_are(write_questions, tmp_path):
    (tmp_path / "copy" / "data" / "v0.3").mkdir(parents=True)
    write_questions("one").rename(tmp_path / "copy" / "data" / "v0.3" / "tasks")
    assert len(read(tmp_path / "copy")) == len(TASKS) * 8


def test_all_questions_about_a_pull_request_have_its_digest(write_questions):
    questions = read(write_questions("one"))
    digests = [{each.pull_request for each in questions if each.number == number} for number in range(1, 9)]
    assert [len(own) for own in digests] == [1] * 8
    assert len(set.union(*digests)) == 8


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda row: row | {"ideal": "E"}, "none of A, B, C, D"),
        (lambda row: {"input": row["input"]}, "no question"),
        (lambda row: row | {"input": []}, "`input` is empty"),
        (
            lambda row: row | {"input": [{"role": "user", "content": "Choice A:\nx\nChoice B:\ny"}]},
            "there are 2 choices, and not four",
        ),
    ],
)
def test_a_malformed_line_is_named(write_questions, change, reason):
    file = write_questions("one") / "one" / "x_mcq_easy.jsonl"
    lines = file.read_text().splitlines()
    lines[1] = json.dumps(change(json.loads(lines[1])))
    file.write_text("\n".join(lines))
    with pytest.raises(DataError, match=f"x_mcq_easy.jsonl:2: .*{reason}"):
        read(file.parents[1])


def test_a_diff_without_a_mask_is_no_question(write_questions):
    file = write_questions("one") / "one" / "x_mpr_gen.jsonl"
    file.write_text(file.read_text().replace("[[MASK]]", "+x"))
    with pytest.raises(DataError, match="has 0 masks, and not one"):
        read(file.parents[1])


def test_where_nothing_is_that_is_said(tmp_path, write_questions):
    with pytest.raises(DataError, match="no questions of EFCB are here"):
        read(tmp_path / "nowhere")
    with pytest.raises(DataError, match="there is no repository 'three': choose of one, two"):
        read(write_questions("one", "two"), repositories=["three"])


def test_only_where_the_rubric_is_in_our_words_is_the_order_of_the_texts_drawn(tmp_path):
    (tmp_path / PROMPTS).parent.mkdir()
    (tmp_path / PROMPTS).write_text("mpr_gen: Compare them.\n", encoding="utf-8")
    found = rubrics(tmp_path / "tasks")
    drawn = {"mpr-gen": False, "reverse-qa": True, "reverse-qa-hallu": True}
    assert {task: rubric.draws_order for task, rubric in found.items()} == drawn
