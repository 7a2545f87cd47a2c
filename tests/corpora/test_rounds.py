"""Which answers which server is given, so that each question finds its own."""

import json
from pathlib import Path

import pytest
from devbench_data import instance, publish, write

from corpora.corpus import corpus_of
from corpora.options import Options
from corpora.rounds import rounds_of
from server.providers.recorded import answer_key


@pytest.fixture
def rounds(tmp_path):
    """Rounds over two tasks with the same document and one with another."""
    write(tmp_path, instance(1, "b"), instance(2, "c"), instance(3, "d", prefix="y = 2"))
    publish(tmp_path, "ada", {"1": ["b0", "b1"], "2": ["c0", "c1"], "3": ["d0"]})
    corpus = corpus_of("devbench", tmp_path)
    tasks = corpus.tasks(["python"], ["low_context"], packages=False)

    def make(provider="oracle", **options):
        chosen = Options(corpus="devbench", data="", settings={"provider": {"name": provider}}, **options)
        return rounds_of(chosen, corpus, tasks, tmp_path)

    return make


def found(rounds):
    """What each question finds in the answers of its round, in the order of asking."""
    for one in rounds:
        lines = Path(one.settings["provider"]["answers"]).read_text().splitlines()
        answers = {row["key"]: row["text"] for row in map(json.loads, lines)}
        for question in one.questions:
            task = question.task
            yield task.name[-1], question.sample, answers[answer_key(task.before, task.after, "any")]


def test_the_oracle_finds_each_truth_though_two_documents_are_the_same(rounds):
    assert sorted(found(rounds())) == [("1", 0, "b"), ("2", 0, "c"), ("3", 0, "d")]


def test_each_published_answer_is_found_once_and_no_more_than_there_are_samples(rounds):
    assert sorted(found(rounds(published="ada", samples=2))) == [
        ("1", 0, "b0"),
        ("1", 1, "b1"),
        ("2", 0, "c0"),
        ("2", 1, "c1"),
        ("3", 0, "d0"),
    ]
    assert sorted(found(rounds(published="ada"))) == [("1", 0, "b0"), ("2", 0, "c0"), ("3", 0, "d0")]


def test_a_model_is_asked_every_sample_by_one_server_a_whole_pass_at_a_time(rounds):
    (one,) = rounds("ngram", samples=2)
    assert [(question.task.name[-1], question.sample) for question in one.questions] == [
        ("1", 0),
        ("2", 0),
        ("3", 0),
        ("1", 1),
        ("2", 1),
        ("3", 1),
    ]


def test_tasks_depend_neither_on_each_other_nor_on_files_of_the_person(rounds):
    (one,) = rounds("ngram", seed=7)
    assert one.settings["cache"] == {"entries": 0}
    assert one.settings["context"]["workspace"] is False
    assert one.settings["provider"]["seed"] == 7
