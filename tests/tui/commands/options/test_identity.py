"""The identity of a run: what a command line, or a cell of an experiment, keeps beside the run.

A run goes on only under the identity that it was begun with, so the identities in `identities.json` never change for the same words: runs of
earlier versions have them. A new option is left out of them while it has its default.
"""

import hashlib
import json

import msgspec
import pytest

import tui.commands.quickstart.quickstart
import tui.commands.runs.evaluating
import tui.commands.runs.replaying
from corpora.evaluation_options import EvaluateOptions
from replay.options import ReplayOptions
from tests.support.places import ROOT
from tui.commands.experiments.experiment_cells import ExperimentCells
from tui.commands.experiments.experiment_file import read

TABLE = json.loads((ROOT / "tests/tui/commands/options/identities.json").read_text(encoding="utf-8"))
FOLDER_FILE = """
[server.provider]
name = "ngram"
max_tokens = 48
[server.context]
before = 300
[policies.mine]
base = "vscode"
[tests]
toolchain = "none"
command = "make check"
"""


class ReachedRunError(Exception):
    """Ends a command where its run would begin."""


@pytest.fixture
def options_of(here, tmp_path, monkeypatch):
    """The options that the run of a command line has."""
    reached = []

    def begin(options):
        reached.append(options)
        raise ReachedRunError

    monkeypatch.setattr(tui.commands.runs.replaying, "run", lambda tapes, options, *_, **__: begin(options))
    monkeypatch.setattr(tui.commands.runs.evaluating, "run", lambda options, *_, **__: begin(options))
    monkeypatch.setattr(tui.commands.quickstart.quickstart, "try_repository", lambda request: begin(request.options))

    def run(words, env):
        (tmp_path / "data").mkdir()
        done = here(*words, status=None, env=env)
        assert reached, done.err
        return reached[0]

    return run


def identity(options, folder):
    """What is kept beside the run, with the folder of the test left out of its paths."""
    kept = msgspec.json.encode([type(options).__name__, options.kept()], order="deterministic").decode()
    return kept.replace(str(folder), "HERE")


def key(kept):
    """The hash by which the table knows an identity."""
    return hashlib.sha256(kept.encode()).hexdigest()[:32]


def leaves(value, name=""):
    """The members of an identity by their dotted names."""
    if isinstance(value, dict) and value:
        return {dotted: leaf for key, each in value.items() for dotted, leaf in leaves(each, f"{name}.{key}").items()}
    return {name.lstrip("."): value}


def differences(kept, plain):
    """What an identity has otherwise than one of no words; `absent` where it lacks a member."""
    ours, theirs = (leaves(json.loads(text)[1]) for text in (kept, plain))
    return {
        name: ours.get(name, "absent")
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name, "absent") != theirs.get(name, "absent")
    }


def plain(kind):
    return identity(
        ReplayOptions() if kind == "ReplayOptions" else EvaluateOptions(corpus="devbench", data=""), "/nowhere"
    )


@pytest.mark.parametrize("row", TABLE["command_lines"], ids=lambda row: " ".join(row["words"]))
def test_a_command_line_has_the_identity_that_it_had(options_of, tmp_path, row):
    if row.get("folder_file"):
        (tmp_path / "ghosttape.toml").write_text(FOLDER_FILE)
    options = options_of(row["words"], row.get("env"))
    kept = identity(options, tmp_path)
    assert differences(kept, plain(type(options).__name__)) == row["differs"]
    assert key(kept) == row["key"]


@pytest.mark.parametrize("row", TABLE["experiments"], ids=lambda row: row["cells"][0]["name"])
def test_the_cells_of_an_experiment_have_the_identities_that_they_had(tmp_path, monkeypatch, row):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiment.toml").write_text(row["text"])
    cells = ExperimentCells.of(read(tmp_path / "experiment.toml")).cells
    found = [(cell.name.rpartition("-")[0] or cell.name, identity(cell.options, tmp_path)) for cell in cells]
    assert [differences(kept, plain("ReplayOptions")) for _, kept in found] == [
        cell["differs"] for cell in row["cells"]
    ]
    assert [key(kept) for _, kept in found] == [cell["key"] for cell in row["cells"]]


@pytest.mark.parametrize("row", TABLE["options"], ids=lambda row: json.dumps(row["options"]))
def test_options_have_the_identity_that_they_had(row):
    kinds = {"ReplayOptions": ReplayOptions, "EvaluateOptions": EvaluateOptions}
    kept = identity(msgspec.convert(row["options"], kinds[row["kind"]]), "/nowhere")
    assert differences(kept, plain(row["kind"])) == row["differs"]
    assert key(kept) == row["key"]
