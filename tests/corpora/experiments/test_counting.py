"""What the cells of an experiment did, by the files that they share."""

import pytest

from corpora.experiments.counting import SharedCounts
from replay.numbers.costs import Price
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.providers.wrappers.question_log import QuestionLine, QuestionLog


def test_a_question_that_was_cut_and_asked_again_has_its_tokens_once_and_is_untold_once(tmp_path):
    answers = tmp_path / "answers.jsonl"
    for _ in range(2):
        QuestionLog(answers).write(QuestionLine("asked", "cell\0tape", "k", model="m"))
    AnswerFile(answers).append(
        AnswerRow("k", "p", "m", "", ("x", {"prompt_tokens": 9, "tokens": 1}), session="cell\0tape")
    )
    work = SharedCounts.of(tmp_path, {"m": Price(1.0, 10.0)}).work("cell")
    assert (work.asked, work.input_tokens, work.output_tokens, work.untold) == (2, 9, 1, 1)
    assert work.cost == pytest.approx(19e-6)
