"""Which programs of DevBench may import packages."""

from corpora.corpus import corpus_of
from corpora.imports import needs_packages
from tests.support.devbench_programs import imports_of_python, imports_of_scripts


def test_most_ground_truths_need_no_packages(shared):
    corpus = corpus_of("devbench", shared / "devbench")
    tasks = corpus.tasks(["python", "javascript", "typescript"], corpus.categories, packages=True)
    needing = [task.language for task in tasks if needs_packages(task.language, task.tests.program(task.finished))]
    assert {name: needing.count(name) for name in dict.fromkeys(needing)} == {
        "python": 59,
        "javascript": 74,
        "typescript": 52,
    }


def test_every_python_program_whose_bytecode_imports_a_package_gets_them(shared):
    """All ground truths and published answers, as the compiler sees them."""
    compiled, refused = imports_of_python(shared)
    assert (compiled > 2500, refused > 300) == (True, True)


def test_every_script_that_names_one_of_our_packages_in_an_import_gets_them(shared):
    assert imports_of_scripts(shared) > 500
