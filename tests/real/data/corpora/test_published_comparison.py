"""Two models' published answers to DevBench: whether they differ in each of its six categories, by how much and how surely, against scipy and statsmodels.

`devbench_python_verdicts.json` has the verdicts of `ghosttape evaluate devbench --languages python --published MODEL` on the first answer of both models.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from corpora.corpus import chosen, corpus_of
from replay.numbers.comparison import ComparedRun, compare
from replay.numbers.metrics import length_class
from replay.numbers.paired.measures import measured_differences, run_measures
from replay.numbers.paired.paired_moments import shared_moments
from replay.numbers.similarity import edit_similarity
from replay.records import Ending, Record, Suggestion, Verdict

MODELS = ("Ministral-3B", "gpt-4o")
VERDICTS = json.loads(Path(__file__).with_name("devbench_python_verdicts.json").read_text(encoding="utf-8"))
UNJUDGED = {"", "untestable", "infrastructure"}


@pytest.fixture(scope="module")
def answers(shared):
    """Of each task that both models answered the records of the first answers."""
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(*chosen(corpus, (), ()), packages=False)
    known = [corpus.published(model, tasks) for model in MODELS]
    both = [task for task in tasks if all(one.get(task.name) for one in known)]
    return [tuple(record_of(task, one[task.name][0], side) for side, one in enumerate(known)) for task in both]


def record_of(task, text, side):
    verdict = VERDICTS.get(task.path, ["", ""])[1 - side] if task.language == "python" else ""
    suggestion = Suggestion(text=text, start=0, end=0, latency=0.0)
    return Record(
        moment=task.moment(),
        ending=Ending("shown"),
        suggestion=suggestion,
        verdict=Verdict(name=verdict) if verdict else None,
    )


def judged(answers):
    """What counts, by hand: of the pairs in which both have a verdict the record, and whether each model passes."""
    names = [(one, [each.verdict.name if each.verdict else "" for each in (one, other)]) for one, other in answers]
    return [(one, *(name == "passed" for name in both)) for one, both in names if not UNJUDGED.intersection(both)]


def newcombe(table):
    """Newcombe's interval of the difference of paired shares (1998, method 10), second less first, on statsmodels' Wilson intervals."""
    (both, broken), (gained, neither) = table[0], table[1]
    n = both + broken + gained + neither
    first, second = both + broken, both + gained
    (l1, u1), (l2, u2) = (proportion_confint(count, n, method="wilson") for count in (first, second))
    p1, p2 = first / n, second / n
    lead = both * neither - gained * broken
    corrected = max(lead - n / 2, 0) if lead > 0 else lead
    margins = (first * (n - first) * second * (n - second)) ** 0.5
    phi = corrected / margins if margins else 0.0
    low = ((p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2) ** 0.5
    high = ((u2 - p2) ** 2 - 2 * phi * (u2 - p2) * (p1 - l1) + (p1 - l1) ** 2) ** 0.5
    return p2 - p1, p2 - p1 - low, p2 - p1 + high


def contingency(pairs):
    """Rows: the second model passes only with the first or without it."""
    counts = defaultdict(int)
    for _, first, second in pairs:
        counts[first, second] += 1
    return [[counts[True, True], counts[True, False]], [counts[False, True], counts[False, False]]]


def test_in_each_category_the_difference_its_interval_and_its_p_are_those_of_statsmodels(answers):
    runs = [
        ComparedRun(model, {"corpus": "devbench", "published": model}, [pair[side] for pair in answers])
        for side, model in enumerate(MODELS)
    ]
    found = compare(*runs, "program", 0.05)
    pairs = judged(answers)
    assert (found["difference"]["n"], found["notes"]) == (len(pairs), [])
    groups = defaultdict(list)
    for pair in pairs:
        groups["length", length_class(pair[0])].append(pair)
        groups["category", pair[0].moment.kind].append(pair)
    assert {(one["by"], one["group"]) for one in found["breakdowns"]} == groups.keys()
    tables = [contingency(groups[one["by"], one["group"]]) for one in found["breakdowns"]]
    chances = [mcnemar(table, exact=True).pvalue for table in tables]
    adjusted = multipletests(chances, method="holm")[1]
    for one, table, p, p_adjusted in zip(found["breakdowns"], tables, chances, adjusted, strict=True):
        assert [one["net"][end] for end in ("value", "low", "high")] == pytest.approx(newcombe(table))
        assert (one["p"], one["p_adjusted"]) == (pytest.approx(p), pytest.approx(p_adjusted))
        low = newcombe(table)[1]
        assert (one["says"] == "more") == (p_adjusted < 0.05 and low > 0)
    by_category = {one["group"]: one for one in found["breakdowns"] if one["by"] == "category"}
    assert len(by_category) == 6
    assert sum(one["n"] for one in by_category.values()) == len(pairs) == 206
    told = {name for name, one in by_category.items() if one["says"] == "more"}
    assert by_category.keys() - told == {"api_usage", "pattern_matching"}


def test_over_all_1800_tasks_texts_differ_in_each_category_as_scipy_has_it(answers):
    assert len(answers) > 1_750
    for category in {one.moment.kind for one, _ in answers}:
        own = [pair for pair in answers if pair[0].moment.kind == category and pair[0].moment.truth]
        shared = shared_moments(*zip(*own, strict=True))
        found = {
            one["metric"]: one for one in measured_differences(shared, "program", run_measures(with_latency=False))
        }
        values = np.array([[edit_similarity(each.suggestion.text, each.moment.truth) for each in pair] for pair in own])
        expected = stats.ttest_rel(values[:, 1], values[:, 0])
        ends = expected.confidence_interval()
        net = found["edit_similarity"]["net"]
        assert [net["low"], net["high"]] == pytest.approx([ends.low, ends.high])
        assert found["edit_similarity"]["p"] == pytest.approx(expected.pvalue)
        exact = [
            (one, *(each.suggestion.text.strip() == each.moment.truth.strip() for each in (one, other)))
            for one, other in own
        ]
        table = contingency(exact)
        assert [found["exact"]["net"][end] for end in ("value", "low", "high")] == pytest.approx(newcombe(table))
        assert found["exact"]["p"] == pytest.approx(mcnemar(table, exact=True).pvalue)
