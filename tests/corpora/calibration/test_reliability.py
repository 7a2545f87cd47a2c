import asyncio
import random

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa as by_statsmodels

from corpora.calibration import JudgedCase, LabelledCase, judge_cases, read_cases, reliability_of, write_cases
from corpora.calibration.reliability import mean
from corpora.errors import DataError
from replay.numbers.agreement import spearman
from server.chat import FakeChat
from server.judging import Rubric, TextJudge

TEN = Rubric("likeness", "Score it.")


def cases(count):
    draw = random.Random(4)
    return [
        LabelledCase(name=f"c{n}", truth="t", response="x" * draw.randrange(1, 400), label=draw.randrange(11))
        for n in range(count)
    ]


def judged(known, reply, repeats=1):
    chat = FakeChat(reply)
    found = asyncio.run(judge_cases(TextJudge(chat, TEN), known, repeats, lambda _: None))
    return found, chat


def length_of(user):
    return len(user.partition("Predicted response:\n")[2])


def test_a_judge_with_known_errors_has_the_worth_that_others_compute():
    known = cases(300)
    by_length = {len(case.response): case for case in known}
    known = list(by_length.values())  # a fake that sees only the text knows the label by its length

    def reply(user):
        """One point too many for long texts; every tenth answer has no score."""
        length = length_of(user)
        if length % 10 == 0:
            return "good"
        return str(min(10, int(by_length[length].label) + (length > 200)))

    found, _ = judged(known, reply)
    told = reliability_of(found)
    pairs = [(each.scores[0], each.case.label, len(each.case.response)) for each in found if each.scores[0] is not None]
    scores, labels, lengths = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    assert told["unparsable"] == sum(length % 10 == 0 for length in by_length) > 0
    assert told["spearman"]["value"] == pytest.approx(stats.spearmanr(scores, labels).statistic)
    assert told["length_bias"]["value"] == pytest.approx(stats.spearmanr(scores - labels, lengths).statistic)
    assert told["length_bias"]["low"] > 0
    assert told["bias"]["value"] == pytest.approx((scores - labels).mean())
    interval = stats.ttest_1samp(scores - labels, 0).confidence_interval()
    assert (told["bias"]["low"], told["bias"]["high"]) == pytest.approx((interval.low, interval.high))
    agreed, chance = np.mean(scores == labels), sum(np.mean(scores == k) * np.mean(labels == k) for k in range(11))
    assert told["kappa"]["value"] == pytest.approx((agreed - chance) / (1 - chance))
    table = np.zeros((11, 11))
    np.add.at(table, (scores.astype(int), labels.astype(int)), 1)
    other = by_statsmodels(table)
    assert (told["kappa"]["low"], told["kappa"]["high"]) == pytest.approx((other.kappa_low, other.kappa_upp))


def test_the_interval_of_a_rank_correlation_holds_the_truth_about_as_often_as_it_says():
    draw, held, truth = np.random.default_rng(7), 0, 6 / np.pi * np.arcsin(0.6 / 2)
    for _ in range(400):
        pairs = draw.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=60)
        found = spearman(list(pairs[:, 0]), list(pairs[:, 1]))
        held += found["low"] <= truth <= found["high"]
    assert 0.92 <= held / 400 <= 0.98


def test_what_tells_nothing_has_no_value():
    assert spearman([1, 1, 1], [1, 2, 3])["value"] is None
    assert spearman([1, 2, 3, 4], [1, 2, 3, 4])["low"] is None
    assert (mean([])["value"], mean([2.0])["low"]) == (None, None)


def test_repeats_tell_how_far_a_judge_agrees_with_itself():
    case = LabelledCase(name="a", truth="t", response="r", label=3)
    told = reliability_of(
        [JudgedCase(case, (3, 3)), JudgedCase(case, (3, 4)), JudgedCase(case, (None, None)), JudgedCase(case, (1, 1))]
    )
    assert (told["consistency"]["value"], told["consistency"]["n"]) == (0.5, 4)
    assert reliability_of([JudgedCase(case, (3,))])["consistency"] is None


def test_each_repeat_is_a_question_of_its_own_and_shows_no_label():
    _, chat = judged(cases(1), lambda _: "5", repeats=3)
    assert len(chat.asked) == 3
    assert all("label" not in message.content for asked in chat.asked for message in asked)


def test_a_file_of_cases_comes_back_and_later_labels_hold(tmp_path):
    known = cases(3)
    write_cases(tmp_path / "c.jsonl", known)
    write_cases(tmp_path / "c.jsonl", [LabelledCase(name="c1", truth="t", response="r", label=9)])
    assert [case.label for case in read_cases(tmp_path / "c.jsonl")] == [known[0].label, 9, known[2].label]


def test_a_malformed_line_is_named(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"name": "a", "truth": "t", "response": "r", "label": 3}\n{"name": 1}\n')
    with pytest.raises(DataError, match=r"c\.jsonl:2: no labelled case"):
        read_cases(tmp_path / "c.jsonl")
