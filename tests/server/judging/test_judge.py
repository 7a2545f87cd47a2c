import asyncio

import pytest

from server.chat import FakeChat
from server.judging import Rubric, TextJudge, score_in

TEN = Rubric("likeness", "Score it.")
YES_OR_NO = Rubric("hallucination", "1 or 0.", high=1, whole=True)


def judged(reply, rubric=TEN, **parts):
    chat = FakeChat(reply)
    return asyncio.run(TextJudge(chat, rubric).judge(parts or {"Truth": "a", "Answer": "b"})), chat


@pytest.mark.parametrize(
    ("answer", "score"),
    [("7", 7), (" 7.5\n", 7.5), ("**7**", 7), ("Score: 7", 7), ("The score is 7.", 7), ("7/10", 7), ("7 out of 10", 7)],
)
def test_a_score_is_read(answer, score):
    assert score_in(answer, TEN) == score


@pytest.mark.parametrize(
    "answer", ["", "seven", "7 or 8", "7/5", "11", "-1", "7, because it is right", "10 of 10 lines differ: 2", "nan"]
)
def test_what_is_no_score_is_not_guessed(answer):
    assert score_in(answer, TEN) is None


def test_between_yes_and_no_there_is_nothing():
    assert [score_in(text, YES_OR_NO) for text in ("0", "1", "0.5", "1.0")] == [0, 1, None, 1]


def test_an_answer_without_a_score_is_asked_for_again():
    replies = iter(["It is good.", "8"])
    judgement, chat = judged(lambda _: next(replies))
    assert (judgement.score, judgement.answers, len(chat.asked)) == (8, ("It is good.", "8"), 2)


def test_a_judge_that_never_gives_a_score_is_unparsable():
    judgement, _ = judged(lambda _: "fine")
    assert (judgement.score, judgement.answers) == (None, ("fine", "fine"))


def test_the_judge_sees_the_rubric_and_the_parts_in_their_order_and_nothing_else():
    _, chat = judged(lambda _: "1", Truth="one", Answer="two")
    assert [message.content for message in chat.asked[0]] == ["Score it.", "Truth:\none\n\nAnswer:\ntwo"]


def test_where_the_order_is_drawn_each_part_comes_first_about_as_often_and_always_the_same_way_for_a_pair():
    rubric = Rubric("pair", "Which?", draws_order=True)
    shown = [judged(lambda _: "1", rubric, First=f"{n}", Second="x")[1].asked[0][1].content for n in range(200)]
    again = judged(lambda _: "1", rubric, First="0", Second="x")[1].asked[0][1].content
    assert again == shown[0]
    assert 70 < sum(text.startswith("First") for text in shown) < 130  # 200 fair draws: 72 to 128 in 99.99 %
