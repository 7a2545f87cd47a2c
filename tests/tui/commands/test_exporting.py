"""`ghosttape corpora export codev`: a corpus in, the published layout out."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpora.codev.layout import read_layout
from corpora.codev.samples import CodevHead, CodevRepository, CodevSample, write_samples
from corpora.mined.checkout import read_checkout
from replay.tapes.tape import Tests as ProjectTests
from tui.cli.app import app

CODE = "def double(x):\n    return x * 2\n"
NODE = "test_a.py::test_double"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one block in a made-up repository."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "a.py").write_text(CODE)
    (folder / "test_a.py").write_text("from a import double\n\n\ndef test_double():\n    assert double(2) == 4\n")
    checkout, tests = read_checkout(folder, ""), ProjectTests(toolchain="python", command="pytest -q")
    entry = CodevRepository(name="app", folder=str(folder), tests=tests, passing=1, files=checkout.digests([]))
    sample = CodevSample(
        name="app/a.py#L1-L2/METHOD/5",
        repository="app",
        language="python",
        path="a.py",
        block_type="METHOD",
        lines=(1, 2),
        start=CODE.index("return"),
        end=len(CODE) - 1,
        emptied="pass",
        function="double",
        function_lines=(1, 2),
        function_end=len(CODE) - 1,
        tests=(NODE,),
        noticed_by=(NODE,),
    )
    write_samples(tmp_path / "app.jsonl", CodevHead(codev=1, name="app", repositories=[entry]), [sample])
    return tmp_path / "app.jsonl"


def export(*arguments: object) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of the command."""
    done = CliRunner().invoke(app, ["corpora", "export", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def test_a_corpus_becomes_a_folder_that_is_read_as_the_same_tasks(corpus: Path) -> None:
    out = corpus.parent / "published"
    status, said, _ = export("codev", corpus, "-o", out, "--json")
    assert status == 0
    assert sorted(json.loads(said)["rows"].values()) == [0, 0, 0, 0, 1, 1], "behind the block nothing is left to hide"
    assert {task.scene.middle for task in read_layout(out).tasks} == {"return x * 2"}


def test_a_repository_that_has_changed_is_refused_and_a_copy_of_it_can_be_named(corpus: Path) -> None:
    folder, moved = corpus.parent / "app", corpus.parent / "moved"
    (folder / "a.py").rename(folder / "b.py")
    status, _, said = export("codev", corpus, "-o", corpus.parent / "published")
    assert (status, "has changed" in " ".join(said.split())) == (2, True)
    (folder / "b.py").rename(folder / "a.py")
    folder.rename(moved)
    assert export("codev", corpus, "-o", corpus.parent / "published", "--project", moved)[0] == 0


def test_only_blocks_are_exported(corpus: Path) -> None:
    assert export("devbench", corpus, "-o", corpus.parent / "published")[0] == 2
