"""The comparison with DevBench's script, on a script of the tests' own."""

import pytest

from corpora.corpus import corpus_of
from tests.support.devbench_script import SCRIPT
from tools.devbench_beside import LANGUAGES, compare_texts, difference, drawn


def test_each_language_has_as_many_drawn_answers_and_a_seed_draws_the_same(shared):
    corpus = corpus_of("devbench", shared)
    first, again, other = drawn(corpus, 20), drawn(corpus, 20), drawn(corpus, 20, seed=1)
    assert [one.task.language for one in first] == [language for language in LANGUAGES for _ in range(4)]
    assert first == again != other


def test_the_texts_of_a_script_that_joins_otherwise_differ(shared, tmp_path):
    (tmp_path / "execute_benchmark.py").write_text(SCRIPT)
    found = dict(compare_texts(tmp_path, corpus_of("devbench", shared)))
    python = {name: said for name, said in found.items() if name.startswith("python/")}
    assert (len(found), len(python)) == (6 * 6 * 2, 6 * 2)
    assert set(python.values()) == {""}
    assert all(said for name, said in found.items() if name.startswith("javascript/"))
    assert not (tmp_path / "program.py").exists()


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("import os, asyncio\nx = 1\n\na()\n", ""),
        ("import os, asyncio\ndef a():\n    b = 1\n\na()\n", "names that our head does not bind: a"),
        ("import os, asyncio\n\nb()\n", "at 0: 'a()\\n' is 'b()\\n' there"),
    ],
)
def test_heads_of_python_are_compared_by_what_the_program_can_use(theirs, said):
    assert difference("import os\nimport asyncio\n\na()\n", theirs, "python") == said
