"""The file of a mined corpus: what is written is read again, and what is no such file is refused with its line."""

import msgspec
import pytest

from corpora.errors import DataError
from corpora.mined.corpus_file import (
    MinedHead,
    MinedLine,
    is_corpus_file,
    is_like,
    read_corpus,
    read_head,
    write_corpus,
)
from replay.tapes.tape import Tests as ProjectTests

HEAD = MinedHead(
    corpus=1,
    name="app",
    repository="/src/app",
    commit="abc",
    licence="MIT",
    tests=ProjectTests(toolchain="python", command="pytest"),
    files={"a.py": "0" * 64},
    asked={"seed": "0"},
    stages={"found": 2, "kept": 1},
)
LINE = MinedLine(
    name="infilling/a.py/2-2/if-body",
    category="infilling",
    kind="if-body",
    language="python",
    path="a.py",
    start=3,
    end=9,
    lines=(2, 2),
    emptied="pass",
)


def test_what_is_written_is_read_again_and_replaces_what_stood_there(tmp_path):
    file = tmp_path / "new" / "app.jsonl"
    for _ in range(2):
        write_corpus(file, HEAD, [LINE])
    assert read_corpus(file) == (HEAD, [LINE])
    assert read_head(file) == HEAD
    assert [each.name for each in file.parent.iterdir()] == ["app.jsonl"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ":1: is no mined corpus"),
        ('{"tape":1,"id":"x"}\n', ":1: is no mined corpus"),
        ('{"corpus":2}\n', ":1: is no head of a mined corpus of format 1"),
        ('{"corpus":1,"name":"app"}\n', r":1: is no head.*missing required field"),
        (b'{"corpus":1,\xff', ":1: is no head"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused(tmp_path, content, reason):
    file = tmp_path / "app.jsonl"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (read_corpus, read_head):
        with pytest.raises(DataError, match=reason):
            read(file)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": "class-body"}, ":3: is no task.*class-body"),
        ({"start": -1}, ":3: is no task"),
        ({"name": LINE.name}, ":3: a second task is called"),
        ({"more": 1}, ":3: is no task.*unknown field"),
    ],
)
def test_a_line_that_is_no_task_is_refused_with_its_number(tmp_path, change, reason):
    file = tmp_path / "app.jsonl"
    second = msgspec.to_builtins(LINE) | {"name": "another"} | change
    file.write_bytes(b"\n".join(msgspec.json.encode(one) for one in (HEAD, LINE, second)))
    with pytest.raises(DataError, match=reason):
        read_corpus(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(DataError, match="there is no such file: `ghosttape corpora mine"):
        read_corpus(tmp_path / "app.jsonl")
    with pytest.raises(DataError, match="cannot be read"):
        read_head(tmp_path)


def test_a_file_is_told_from_the_name_of_a_benchmark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not is_corpus_file("devbench")
    assert is_corpus_file("mine.jsonl")
    assert is_corpus_file("./mine")
    (tmp_path / "mine").write_text("")
    assert is_corpus_file("mine")


def test_a_corpus_of_the_same_repository_and_choices_is_like_another_and_no_other_file_is(tmp_path):
    file = tmp_path / "app.jsonl"
    write_corpus(file, HEAD, [LINE])
    assert is_like(file, msgspec.structs.replace(HEAD, files={}, stages={}))
    assert not is_like(file, msgspec.structs.replace(HEAD, asked={"seed": "1"}))
    assert is_like(file, msgspec.structs.replace(HEAD, asked={"seed": "0", "ghosttape": "99.0"}))  # after an upgrade
    file.write_text("notes\n")
    assert not is_like(file, HEAD)
