"""Relevance and helpfulness by a judge with known rules, against the same figures computed by other means."""

import asyncio
import random
from collections import defaultdict

import numpy as np
import pytest

from corpora.usefulness import DIMENSIONS, SuggestionJudges, code_with_gap, suggestions_of, usefulness
from replay.records import Ending, Moment, Record, Suggestion, Verdict
from server.chat import FakeChat
from server.errors import ProviderRefused
from server.judging import TextJudge

SAMPLES = 3


def record(task, language, sample, text, ending="shown"):
    moment = Moment(
        tape="devbench",
        event=1,
        path=f"{language}/low_context/{task}.x",
        language=language,
        kind="low_context" if task % 2 else "api_usage",
        offset=7,
        line=1,
        character=0,
        t=0,
        before="before\n",
        after="\nafter\n",
        truth="truth",
        sample=sample,
    )
    suggestion = (
        Suggestion(text=text, start=7, end=7, latency=1.0, provider="hidden-model") if text is not None else None
    )
    return Record(moment=moment, ending=Ending(ending), suggestion=suggestion, verdict=Verdict(name="passed"))


def records():
    """Twelve tasks in two languages with three answers each; some are empty, and one question has no answer."""
    draw = random.Random(9)
    made = [
        record(task, language, sample, "" if draw.random() < 0.1 else "x" * draw.randrange(1, 60))
        for language in ("python", "java")
        for task in range(6)
        for sample in range(SAMPLES)
    ]
    return [*made, record(20, "java", 0, None, "failed"), record(21, "java", 0, None, "superseded")]


def said(text, dimension):
    """What the judge says: a score by the length of the completion; now and then a sentence."""
    if len(text) % 11 == 3 and dimension == "helpfulness":
        return "It is good."
    return str(len(text) % 6) if dimension == "relevance" else f"{len(text) % 5}/5"


def judges(reply_to):
    chats = {name: FakeChat(lambda user, name=name: reply_to(user, name)) for name in DIMENSIONS}
    return SuggestionJudges({name: TextJudge(chat, DIMENSIONS[name]) for name, chat in chats.items()}, places=4), chats


def judged(reply_to=lambda user, name: said(completion(user), name)):
    found, chats = judges(reply_to)
    answered, failed = suggestions_of(records())
    assert failed == 1
    return asyncio.run(found.judged(answered, lambda _: None)), chats


def completion(user):
    return user.partition("Completion:\n")[2]


def by_hand(language=None):
    """Task → its mean sum, worked out from the texts alone."""
    tasks = defaultdict(list)
    for each in records():
        if each.suggestion is None or language not in {None, each.moment.language}:
            continue
        text = each.suggestion.text
        scores = [0.0, 0.0]
        if text:
            helpful = None if len(text) % 11 == 3 else len(text) % 5
            scores = [len(text) % 6, helpful]
        if None not in scores:
            tasks[each.moment.path].append(sum(scores))
    return [float(np.mean(own)) for own in tasks.values()]


def test_scores_are_those_computed_by_other_means():
    found = usefulness(judged()[0], 1, {})
    assert found["total"]["all"]["value"] == pytest.approx(np.mean(by_hand()))
    assert found["total"]["all"]["n"] == len(by_hand()) == 12
    for language in ("java", "python"):
        assert found["total"]["languages"][language]["value"] == pytest.approx(np.mean(by_hand(language)))
    assert set(found["total"]["categories"]) == {"api_usage", "low_context"}
    assert len(found["total"]["cells"]) == 4
    texts = [each.suggestion.text for each in records() if each.suggestion is not None]
    assert found["suggestions"] == len(texts) == 36
    assert found["empty"] == texts.count("") > 0
    unread = sum(len(text) % 11 == 3 for text in texts)
    assert [found["dimensions"][name]["unparsable"] for name in DIMENSIONS] == [0, unread]
    assert unread > 0


def test_intervals_draw_tasks_and_not_answers():
    found = usefulness(judged()[0], 1, {})["total"]["all"]
    draw, tasks = np.random.default_rng(77), np.array(by_hand())
    means = tasks[draw.integers(0, len(tasks), (10_000, len(tasks)))].mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    assert (found["low"], found["high"]) == pytest.approx((low, high), abs=0.05 * (high - low))


def test_the_judge_sees_the_code_and_the_suggestion_and_nothing_else():
    _, chats = judged()
    for name, chat in chats.items():
        for system, user in chat.asked:
            assert system.content == DIMENSIONS[name].instructions
            assert user.content.startswith("Code with a gap:\nbefore\n[[GAP]]\nafter\n\n\nCompletion:\nx")
            assert not {"hidden-model", "passed", "truth"} & set(user.content.split())


def test_nobody_is_asked_of_an_answer_without_text():
    found, chats = judged()
    with_text = sum(bool(each.text) for each in found)
    unread = sum(len(each.text) % 11 == 3 for each in found)
    assert len(chats["relevance"].asked) == with_text
    assert len(chats["helpfulness"].asked) == with_text + unread  # asked for once more
    assert {each.total for each in found if not each.text} == {0}


def test_what_the_judge_fails_on_is_in_no_figure():
    def fails(user, name):
        if name == "helpfulness" and len(completion(user)) % 2:
            raise ProviderRefused("no more credit")
        return "3"

    found, _ = judged(fails)
    told = usefulness(found, 1, {})
    odd = sum(len(each.text) % 2 for each in found)
    assert (told["failed"], told["failures"]) == (odd, {"no more credit": odd})
    assert [each["unparsable"] for each in told["dimensions"].values()] == [0, 0]
    assert all(each.score("relevance") is None for each in found if each.failure)


def test_the_gap_is_in_the_place_of_what_the_suggestion_replaces():
    moment = record(1, "python", 0, "x").moment
    wide = Suggestion(text="x", start=5, end=9, latency=1.0)
    assert code_with_gap(moment, wide) == "befor[[GAP]]fter\n"
    assert code_with_gap(moment, None) == "before\n[[GAP]]\nafter\n"
