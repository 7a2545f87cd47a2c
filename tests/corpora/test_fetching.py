"""The data of a benchmark, from a real git repository and from a folder."""

import subprocess
from dataclasses import replace

import pytest

from corpora.devbench.card import CARD
from corpora.errors import FetchError
from corpora.fetching import data_folder, digest, fetch


def git(folder, *words):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    return subprocess.run(["git", *identity, "-C", folder, *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def published(tmp_path):
    """A repository with two commits, and the card of the first."""
    root = tmp_path / "published"
    file = root / "benchmark" / "python" / "x.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("{}\n")
    for model in ("ada", "bob"):
        answered = root / "completions" / "python" / f"x-{model}.jsonl"
        answered.parent.mkdir(parents=True, exist_ok=True)
        answered.write_text(f'{{"id": "1", "{model}": "x"}}\n')
    (root / "LICENSE").write_text("MIT")
    (root / "run.py").write_text("raise SystemExit")
    git(tmp_path, "init", "-q", root)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    commit = git(root, "rev-parse", "HEAD").strip()
    own = {"benchmark/**/*.jsonl": digest(root, "benchmark/**/*.jsonl")}
    answers = {model: digest(root, f"completions/*/*-{model}.jsonl") for model in ("ada", "bob")}
    file.write_text('{"later": 1}\n')
    git(root, "commit", "-qam", "later")
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    places = {"paths": ("LICENSE", "benchmark", "completions"), "answers_at": "completions/*/*-{model}.jsonl"}
    return root, replace(CARD, url=root.as_uri(), commit=commit, digests=own, answers=answers, **places)


def test_the_pinned_commit_is_fetched_and_nothing_else_of_it(published, tmp_path):
    _, card = published
    said = []
    fetch(card, tmp_path / "data" / "x", notify=said.append)
    kept = {
        path.relative_to(tmp_path / "data" / "x").as_posix()
        for path in (tmp_path / "data").rglob("*")
        if path.is_file()
    }
    assert kept == {
        "LICENSE",
        "benchmark/python/x.jsonl",
        *(f"completions/python/x-{one}.jsonl" for one in ("ada", "bob")),
    }
    assert (tmp_path / "data" / "x" / "benchmark" / "python" / "x.jsonl").read_text() == "{}\n"
    assert said == [f"{card.url} at commit {card.commit[:10]} is fetched"]


def test_a_local_copy_is_compared_too(published, tmp_path):
    root, card = published
    with pytest.raises(
        FetchError, match=r"published: benchmark/\*\*/\*\.jsonl are not the files of the benchmark at commit"
    ):
        fetch(card, tmp_path / "data", source=root, notify=print)
    git(root, "checkout", "-q", card.commit)
    fetch(card, tmp_path / "data", source=root, notify=print)
    assert not (tmp_path / "data" / "run.py").exists()


@pytest.fixture
def copy(published):
    """The published repository at its pinned commit."""
    root, card = published
    git(root, "checkout", "-q", card.commit)
    return root, card, root / "completions" / "python"


def test_a_copy_may_lack_the_answers_of_models_which_is_said(copy, tmp_path):
    root, card, folder = copy
    (folder / "x-bob.jsonl").unlink()
    said = []
    fetch(card, tmp_path / "data", source=root, notify=said.append)
    assert said == [f"{root} lacks the published answers of bob; all others are the benchmark's"]
    assert [path.name for path in (tmp_path / "data").rglob("x-*")] == ["x-ada.jsonl"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x-ada.jsonl", "{}", r"completions/\*/\*-ada\.jsonl are not the files of the benchmark"),
        ("y-ada.jsonl", "{}", r"completions/\*/\*-ada\.jsonl are not the files of the benchmark"),
        ("x-eve.jsonl", "{}", r"completions/python/x-eve\.jsonl is no file of the benchmark"),
        ("notes.txt", "", r"completions/python/notes\.txt is no file of the benchmark"),
    ],
)
def test_other_answers_are_refused_and_nothing_is_kept(copy, tmp_path, name, text, said):
    root, card, folder = copy
    (folder / name).write_text(text)
    with pytest.raises(FetchError, match=said):
        fetch(card, tmp_path / "data" / "x", source=root, notify=print)
    assert not list((tmp_path / "data").iterdir())


def test_a_repository_without_answers_of_a_model_is_not_the_pinned_one(published, tmp_path):
    _, card = published
    more = {**card.answers, "eve": "0" * 64}
    with pytest.raises(FetchError, match="the published answers of eve are not there"):
        fetch(replace(card, answers=more), tmp_path / "data", notify=print)


@pytest.mark.parametrize(
    ("change", "source", "said"),
    [
        ({"commit": "0" * 40}, None, "with --from DIR"),
        ({"url": "file:///nowhere"}, None, "with --from DIR"),
        ({"url": "ssh://localhost/x"}, None, "not allowed"),
        ({}, "nowhere", "nowhere: there is no such folder"),
        ({}, ".", "so this is not the benchmark's data"),
    ],
)
def test_what_goes_wrong_is_said_and_nothing_is_kept(published, tmp_path, change, source, said):
    _, card = published
    into = tmp_path / "data" / "x"
    with pytest.raises(FetchError, match=said):
        fetch(replace(card, **change), into, source=source and tmp_path / "data" / source, notify=print)
    assert not list((tmp_path / "data").iterdir())


def test_data_that_is_there_is_not_written_over(published, tmp_path):
    _, card = published
    (tmp_path / "data").mkdir()
    with pytest.raises(FetchError, match="is there already"):
        fetch(card, tmp_path / "data", notify=print)


def test_the_digest_is_that_of_sha256sum(tmp_path):
    for name in ("b/y.jsonl", "a/x.jsonl", "a-b/z.jsonl", "a/x.txt"):
        (tmp_path / "r" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "r" / name).write_text(name)
    command = "find r -name '*.jsonl' | LC_ALL=C sort | xargs sha256sum | sha256sum"
    made = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert made.split()[0] == digest(tmp_path, "r/**/*.jsonl")


def test_data_is_kept_below_the_named_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("GHOSTTAPE_DATA", str(tmp_path))
    assert data_folder("devbench") == tmp_path / "corpora" / "devbench"
