"""What an evaluation leaves behind."""

from devbench_data import instance, write

from corpora import evaluation
from corpora.corpus import corpus_of
from corpora.evaluation import Evaluation
from corpora.options import Options
from replay.store import Store
from runners.workspace import create


async def test_the_answers_lie_where_a_killed_evaluation_leaves_nothing_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (data := tmp_path / "data").mkdir()
    write(data, instance(1, "golden()"))
    seen = []

    class Asking:
        """Finds the answers as a process that is killed right then leaves them."""

        def __init__(self, *given):
            self.folder = given[4]

        async def all(self, rounds):
            seen.append(sorted(path.name for path in self.folder.iterdir()))
            create().close()  # the next one to begin tidies up: not what is in use
            seen.append((self.folder.exists(), self.folder.name[:18]))

    monkeypatch.setattr(evaluation, "Asking", Asking)
    settings = {"provider": {"name": "oracle"}}
    cell = {"languages": ("python",), "categories": ("low_context",)}
    options = Options(corpus="devbench", data=str(data), settings=settings, tests=False, **cell)
    store = Store.create(tmp_path / "run", {})
    await Evaluation(options, corpus_of("devbench", data), store, lambda _: None).evaluate()
    ((answers,), kept) = seen
    assert (answers.startswith("answers-"), kept) == (True, (True, "ghosttape-project-"))
    assert list(tmp_path.glob("ghosttape-*")) == []
