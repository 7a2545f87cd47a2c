"""The programs of DevBench as they are run: ground truths, emptied documents and published answers."""

import dis
import re
import sys
import types
import warnings

from corpora.corpus import corpus_of
from corpora.devbench.corpus import packages
from corpora.imports import needs_packages
from replay.records import Suggestion
from runners.programs.program import java_file, main_class
from syntax.languages import language_of
from syntax.parse import Tree

OWN = sys.stdlib_module_names | {"__main__", "__future__"}


def tasks_of(shared, *languages):
    """The tasks of some languages, as the evaluator runs them."""
    corpus = corpus_of("devbench", shared / "devbench")
    return corpus.tasks(languages, corpus.categories, packages=True, programs="evaluator")


def filled_programs(shared, *languages):
    """The programs of all ground truths and published answers, with their tasks."""
    corpus, tasks = corpus_of("devbench", shared / "devbench"), tasks_of(shared, *languages)
    for task in tasks:
        yield task, task.tests.program(task.finished)
    for model in ("gpt-4o", "Ministral-3B"):
        known = corpus.published(model, tasks)
        for task in tasks:
            at = task.moment().offset
            for answer in known.get(task.name, ()):
                yield task, task.tests.program(task.filled(Suggestion(text=answer, start=at, end=at, latency=0.0)))


def programs(shared, *languages):
    """The same, and the programs of the emptied documents."""
    yield from filled_programs(shared, *languages)
    for task in tasks_of(shared, *languages):
        yield task, task.tests.program(task.emptied)


def imported(code):
    """The modules that the instructions of a compiled program import."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield instruction.argval.partition(".")[0]
        if isinstance(instruction.argval, types.CodeType):
            yield from imported(instruction.argval)


def imports_of_python(shared):
    """How many Python programs the compiler takes and refuses; an assertion fails where one imports a package and does not get any.

    What it does not compile imports nothing.
    """
    compiled, refused = 0, 0
    for task, text in programs(shared, "python"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = {*imported(compile(text, "program.py", "exec"))}
        except SyntaxError:
            refused += 1
            continue
        compiled += 1
        assert needs_packages("python", text) or not found - OWN, task.name
    return compiled, refused


def imports_of_scripts(shared):
    """How many scripts name one of our packages behind a word of import, over line ends too; an assertion fails where one gets none."""
    names = {
        language: [re.escape(name.rsplit("@", 1)[0] or name) for name in known]
        for language, known in packages().items()
    }
    found = 0
    for task, text in programs(shared, "javascript", "typescript"):
        code = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
        known = "|".join(names[task.language])
        if re.search(rf"(?:require\s*\(|\bfrom|\bimport\s*\(?)\s*['\"`](?:{known})['\"`/]", code):
            found += 1
            assert needs_packages(task.language, text), task.name
    return found


def java_names_by_the_script(text):
    """The file and the main class that `run_java_test_case_simple` and `run_java_test_case_gradle` find by their patterns."""
    found = re.search(r"public\s+class\s+(\w+)", text)
    package = re.search(r"^\s*package\s+([\w.]+);", text, re.MULTILINE)
    name = found[1] if found else "TestCase"
    return f"{name}.java", f"{package[1]}.{name}" if package else name


def java_named_otherwise(shared):
    """How many Java programs there are, and those to which we give other names than the script; an assertion fails where one of these parses.

    Where a pattern and a parser differ nothing is compiled, so nothing runs.
    """
    texts = [text for _, text in filled_programs(shared, "java")]
    differing = [text for text in texts if (java_file(text), main_class(text)) != java_names_by_the_script(text)]
    assert all(Tree(language_of("java"), text).root.has_error for text in differing)
    return len(texts), differing


def in_place_of_answers(shared, model):
    """The tasks for which the text of an error was published; an assertion fails where it makes a program that parses.

    The script runs it as the one answer. It cannot pass, so the shares over all tasks count it without a run.
    """
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(corpus.languages, corpus.categories, packages=False, programs="evaluator")
    errors = corpus.errors(model, tasks)
    for task in (task for task in tasks if task.name in errors):
        at, language = task.moment().offset, language_of(task.language)
        filled = task.filled(Suggestion(text=errors[task.name], start=at, end=at, latency=0.0))
        assert Tree(language, task.tests.program(filled)).root.has_error
        assert not Tree(language, task.tests.program(task.finished)).root.has_error
    return sorted(errors)
