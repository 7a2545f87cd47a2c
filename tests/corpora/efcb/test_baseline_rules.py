import math
import re

import pytest
from rapidfuzz.distance import Levenshtein

from corpora.efcb.baseline_rules import RULES, PatchTexts, Words, choose, documents_of, medoid, solved_by
from corpora.efcb.efcb_files import read
from corpora.efcb.questions import PullRequestQuestion
from server.prompt import ChatMessage


def asked(*choices, right="A", description="what to do"):
    shown = "".join(f"Choice {letter}:\n{text}\n" for letter, text in zip("ABCD", choices, strict=True))
    return PullRequestQuestion("gmcq-hard", "r", 1, (ChatMessage("user", f"{description}\n{shown}"),), right)


def taken(rule, *choices, **question):
    one = asked(*choices, **question)
    return "ABCD"[choose(rule, one, documents_of([one])["gmcq-hard/r"])]


def test_first_takes_the_first():
    assert taken("first", "w", "x", "y", "z") == "A"


def test_longest_takes_the_longest_and_of_such_the_first():
    assert taken("longest", "a", "bbb", "ccc", "d") == "B"


def test_medoid_takes_what_is_nearest_to_all_others():
    assert taken("medoid", "b a c d", "a c b d", "a b c d", "a b d c") == "C"


def test_medoid_is_as_another_implementation_says(write_questions):
    for question in read(write_questions("one"), ["gmcq-easy"]):
        pieces = [re.split(r"(\s+)", choice) for choice in question.choices]
        nearest = min(range(4), key=lambda at: sum(Levenshtein.distance(pieces[at], other) for other in pieces))
        liked = medoid(question.choices, Words("", PatchTexts(())))
        assert liked.index(max(liked)) == nearest


def test_overlap_takes_what_shares_rare_words_with_the_description():
    choices = ("the the the cat", "a dog", "the sheep", "the cow")
    assert taken("overlap", *choices, description="the dog") == "B"


def test_a_word_in_one_of_four_texts_weighs_the_logarithm_of_four():
    documents = PatchTexts(("a b", "b", "b c", "b"))
    assert Words("A b", documents).shared("a, b") == pytest.approx(math.log(4))


def test_where_a_wrong_choice_is_the_right_one_that_is_said():
    assert asked("x", "y", "x", "z").repeated
    assert not asked("x", "y", "y", "z").repeated


def test_made_up_hard_questions_are_solved_by_the_medoid_and_not_by_the_first(write_questions):
    questions = read(write_questions("one", "two", count=40), ["gmcq-hard"])
    solved = solved_by(questions)
    shares = {rule: sum(rule in own for own in solved.values()) / len(solved) for rule in RULES}
    assert shares["medoid"] > 0.75
    assert shares["first"] < 0.5
