import random

import numpy as np
import pytest
from scipy import stats

from corpora.efcb.efcb_scores import QuestionScore, efcb_score, task_figures, unweighted_mean
from corpora.efcb.questions import TASKS

PUBLISHED = {
    "llama-3.3-70b-turbo": ((0.803, 0.476, 7.23, 3.74, 0.965), 0.482),
    "o4-mini": ((0.892, 0.868, 7.41, 3.668, 0.946), 0.584),
}
"""The unweighted averages of the published tables by task, and the published EFCB score."""


@pytest.mark.parametrize(("means", "score"), PUBLISHED.values(), ids=PUBLISHED)
def test_the_score_of_published_means_is_the_published_one(means, score):
    scored = [QuestionScore(task, "r", str(n), mean) for task, mean in zip(TASKS, means, strict=True) for n in range(2)]
    assert efcb_score(scored)["value"] == pytest.approx(score, abs=0.0006)


def test_without_one_of_the_tasks_there_is_no_score():
    assert efcb_score([QuestionScore(task, "r", "1", 1.0) for task in TASKS[:4]]) is None


def test_a_mean_of_two_repositories_counts_each_alike():
    found = task_figures(
        [QuestionScore("gmcq-easy", "a", str(n), float(n < 9)) for n in range(10)]
        + [QuestionScore("gmcq-easy", "b", str(n), float(n < 50)) for n in range(100)]
    )
    assert (found["a"]["value"], found["b"]["value"], found["mean"]["value"]) == (0.9, 0.5, pytest.approx(0.7))


def test_the_interval_of_a_repository_is_wilsons():
    found = task_figures([QuestionScore("gmcq-hard", "a", str(n), float(n < 7)) for n in range(30)])["a"]
    interval = stats.binomtest(7, 30).proportion_ci(method="wilson")
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high))


def test_the_interval_of_a_mean_of_scores_is_that_of_a_bootstrap_in_each_repository():
    draw = np.random.default_rng(1)
    strata = [np.round(draw.uniform(2, 9, size), 0) for size in (60, 90, 140)]
    found = unweighted_mean([list(own) for own in strata], 10.0, shares=False)
    again = stats.bootstrap(
        strata,
        lambda *own, axis: np.mean([np.mean(one, axis=axis) for one in own], axis=0),
        n_resamples=4000,
        method="percentile",
        rng=1,
    ).confidence_interval
    assert (found["low"], found["high"]) == pytest.approx((again.low, again.high), abs=0.03)


def test_a_score_that_no_judge_gave_is_in_no_mean():
    found = task_figures(
        [
            QuestionScore("mpr-gen", "a", "1", 4.0),
            QuestionScore("mpr-gen", "a", "2", None),
            QuestionScore("mpr-gen", "a", "3", 6.0),
        ]
    )
    assert (found["a"]["value"], found["a"]["n"]) == (5.0, 2)


def test_the_interval_of_the_score_is_that_of_a_bootstrap_of_pull_requests():
    draw = random.Random(2)
    scored, rows = [], {"a": [], "b": []}
    for repository, count in (("a", 70), ("b", 110)):
        for number in range(count):
            good = draw.random()
            own = [
                float(draw.random() < good),
                float(draw.random() < good),
                10 * good,
                8 * good,
                float(draw.random() > good),
            ]
            rows[repository].append(own)
            scored += [
                QuestionScore(task, repository, str(number), value) for task, value in zip(TASKS, own, strict=True)
            ]
    found, resample = efcb_score(scored), np.random.default_rng(3)
    values = []
    for _ in range(4000):
        means = np.mean(
            [np.array(own)[resample.integers(len(own), size=len(own))].mean(axis=0) for own in rows.values()], axis=0
        )
        values.append((means[0] + means[1] + means[2] / 10 + means[3] / 10 + 1 - means[4]) / 5)
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.006)
    apart = np.sqrt(sum(np.var([each.score for each in scored if each.task == task]) for task in TASKS))
    assert apart > 0


@pytest.mark.parametrize("scores", [[0.0] * 9, [1.0] * 9])
def test_scores_of_a_scale_are_no_shares_though_all_are_nought_or_one(scores):
    own = [QuestionScore("mpr-gen", name, str(n), score) for name in "ab" for n, score in enumerate(scores)]
    assert (task_figures(own)["mean"]["low"], task_figures(own)["mean"]["high"]) == (None, None)
    mixed = [*own, QuestionScore("mpr-gen", "a", "9", 1.0 - scores[0])]
    found, one = task_figures(mixed)["mean"], [*scores, 1.0 - scores[0]]
    half = stats.t.ppf(0.975, 9) * stats.sem(one) / 2
    assert found["value"] == pytest.approx((np.mean(one) + scores[0]) / 2)
    assert found["high"] == pytest.approx(found["value"] + half)


def test_the_same_answers_of_a_task_of_shares_have_wilsons_interval():
    own = [QuestionScore("reverse-qa-hallu", name, str(n), 0.0) for name in "ab" for n in range(9)]
    found, interval = task_figures(own)["mean"], stats.binomtest(0, 18).proportion_ci(method="wilson")
    assert (found["low"], found["high"]) == pytest.approx((interval.low, interval.high))


def test_the_score_counts_the_questions_that_are_in_it():
    counted = [QuestionScore(task, "r", str(n), n / 2) for task in TASKS for n in range(3)]
    others = [QuestionScore("mpr-gen", "r", "0", None), QuestionScore("gmcq-hard-2", "r", "7", 1.0)]
    found = efcb_score(counted + others)
    assert (found["n"], found["clusters"]) == (15, 3)
    assert found == efcb_score(counted)
