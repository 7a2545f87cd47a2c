"""The comparison with DevBench's script, on a script of the tests' own."""

import pytest

from corpora.corpus import corpus_of
from tools.devbench_beside import LANGUAGES, compare_texts, difference, drawn

SCRIPT = """
import dotenv
import subprocess
dotenv.load_dotenv()

def run_python_test_case(prefix, answer, suffix, assertions, verbose):
    with open("program.py", "w") as file:
        file.write("import os, asyncio\\n\\n" + prefix + "\\n" + answer + "\\n" + suffix + "\\n\\n# Run assertions\\n" + assertions + "\\n")
    subprocess.run(["python", "program.py"])
    return True, ""

def run_other(prefix, answer, suffix, assertions, verbose):
    with open("program.txt", "w") as file:
        file.write("this is no program")
    with open("program.cpp", "w") as file:
        file.write(prefix + answer + suffix)
    return True, ""

run_javascript_test_case = run_typescript_test_case = run_java_test_case = run_cpp_test_case = run_csharp_test_case = run_other
"""


def test_each_language_has_as_many_drawn_answers_and_a_seed_draws_the_same(shared):
    corpus = corpus_of("devbench", shared)
    first, again, other = drawn(corpus, 20), drawn(corpus, 20), drawn(corpus, 20, seed=1)
    assert [one.task.language for one in first] == [language for language in LANGUAGES for _ in range(4)]
    assert first == again != other


def test_the_texts_of_a_script_that_joins_otherwise_differ(shared, tmp_path):
    (tmp_path / "execute_benchmark.py").write_text(SCRIPT)
    found = dict(compare_texts(tmp_path, corpus_of("devbench", shared)))
    python = {name: said for name, said in found.items() if name.startswith("python/")}
    assert (len(found), len(python)) == (1800, 300)
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
