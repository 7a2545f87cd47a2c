"""The comparison with DevBench's script, over the whole benchmark."""

from corpora.corpus import corpus_of
from tests.support.devbench_script import SCRIPT
from tools.devbench_beside import compare_texts


def test_the_texts_of_a_script_that_joins_otherwise_differ(shared, tmp_path):
    (tmp_path / "execute_benchmark.py").write_text(SCRIPT)
    found = dict(compare_texts(tmp_path, corpus_of("devbench", shared)))
    python = {name: said for name, said in found.items() if name.startswith("python/")}
    assert (len(found), len(python)) == (1800, 300)
    assert set(python.values()) == {""}
    assert all(said for name, said in found.items() if name.startswith("javascript/"))
