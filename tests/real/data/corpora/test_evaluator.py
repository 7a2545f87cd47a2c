"""Programs as DevBench's own script puts them together, over the whole benchmark."""

from corpora.corpus import corpus_of
from replay.records import Suggestion
from syntax.languages import language_of
from syntax.parse import Tree
from tests.support.devbench_programs import java_named_otherwise


def test_java_programs_have_the_names_of_the_script_wherever_they_parse(shared):
    number, differing = java_named_otherwise(shared)
    assert (number, len(differing)) == (300 + 2990, 44)


def test_what_was_published_in_place_of_answers_is_no_program(shared):
    """The script runs the text of the error as the one answer; it cannot pass, so the shares over all tasks count it without a run."""
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(corpus.languages, corpus.categories, packages=False, programs="evaluator")
    errors = {model: corpus.errors(model, tasks) for model in ("gpt-4o", "Ministral-3B")}
    names = ["java/code2NL_NL2code/8", "java/pattern_matching/2", "python/code_purpose_understanding/38"]
    assert (sorted(errors["Ministral-3B"]), errors["gpt-4o"]) == (names, {})
    for task in tasks:
        if text := errors["Ministral-3B"].get(task.name):
            at = task.moment().offset
            filled = task.filled(Suggestion(text=text, start=at, end=at, latency=0.0))
            tree = Tree(language_of(task.language), task.tests.program(filled))
            assert tree.root.has_error
            assert not Tree(language_of(task.language), task.tests.program(task.finished)).root.has_error
