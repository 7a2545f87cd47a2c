"""Figures of published answers."""

import json

import pytest

from corpora.corpus import corpus_of
from corpora.devbench.corpus import FOLDERS
from corpora.evaluation_options import EvaluateOptions
from corpora.run.scores import summary
from replay.records import Ending, Record, Suggestion


@pytest.mark.parametrize("model", ["gpt-4o", "Ministral-3B"])
def test_likeness_of_published_answers_is_what_was_published(model, shared):
    """For all models, languages and categories: as many matches, and the same means after rounding."""
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(corpus.languages, corpus.categories, packages=False)
    options = EvaluateOptions(corpus="devbench", data="", published=model, samples=5)
    answers, records = corpus.published(model, tasks), []
    for task in tasks:
        for sample, text in enumerate(answers.get(task.name, ())):
            offered = Suggestion(text=text, start=0, end=0, latency=0.0) if text else None
            records.append(Record(moment=task.moment(sample), ending=Ending("shown"), suggestion=offered))
    found = summary(options, tasks, records, corpus.errors(model, tasks))
    published = json.loads((shared / "devbench" / "published_similarity.json").read_text(encoding="utf-8"))[model]
    cells = {FOLDERS[row["language"]]: row for row in found["languages"]}
    cells |= {row["category"]: row for row in found["categories"]} | {"overall": found}
    expected = published["languages"] | published["categories"] | {"overall": published["overall"]}
    assert {name: rounded(row["similarity"]["code"]) for name, row in cells.items()} == expected
    assert len(expected) == 13


def rounded(figures):
    """Figures in the form in which they were published."""
    matches, n = figures["matches"], figures["first_line"]["n"]
    return {
        "total_comparisons": n,
        "line0_exact_matches": matches,
        "line0_exact_match_rate": round(100 * matches / n, 2),
        "avg_cosine": round(figures["cosine"]["value"], 2),
    }
