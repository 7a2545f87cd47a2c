"""`ghosttape instructions pairs`, `prefer`, `ratings` and `codebook`, used wrongly; used rightly in tests/e2e/test_growing_catalogue.py."""

import pytest
from typer.testing import CliRunner

from tui.cli import app


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pairs", "none", "-o", "p.jsonl"], "holds no run"),
        (["prefer", "none.jsonl"], "cannot be read"),
        (["ratings", "none.jsonl"], "cannot be read"),
        (["codebook", "none.jsonl", "--provider", "fixed", "--second-model", "m"], "--second-provider"),
        (["codebook", "none.jsonl", "--provider", "fixed"], "cannot be read"),
    ],
)
def test_wrong_use_is_named(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["instructions", *words])
    assert (done.exit_code, said in " ".join(done.output.split())) == (2, True), done.output
