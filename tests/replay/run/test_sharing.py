"""What the runs of an experiment have asked, and what it costs at the most."""

import pytest

from replay.numbers.costs import Price
from replay.run.sharing import used_up
from server.providers.wrappers.answer_file import AnswerFile, AnswerRow
from server.providers.wrappers.question_log import QuestionLine, QuestionLog


def test_a_question_that_was_cut_and_asked_again_is_told_once(tmp_path):
    # a million tokens of a prompt cost 1, of an answer 10: told 9 and 1 are 19e-6, the cut one at most 20 and 4 are 60e-6
    answers = tmp_path / "answers.jsonl"
    for _ in range(2):
        QuestionLog(answers).write(QuestionLine("asked", "s", "k", most_input=20, most_output=4, model="m"))
    AnswerFile(answers).append(AnswerRow("k", "p", "m", "", ("x", {"prompt_tokens": 9, "tokens": 1}), session="s"))
    used = used_up(answers, {"m": Price(1.0, 10.0)})
    assert used.questions == 2
    assert used.most_cost == pytest.approx(79e-6)
