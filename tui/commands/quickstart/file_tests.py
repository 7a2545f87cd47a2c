"""Which `ghosttape.toml` says how the repository that is tried is tested: its own, or one that `--save` wrote for it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.history.repository.commits import Repository, Unreadable
from replay.options import FolderTests
from runners.environments import package_name
from tui.commands.options.configuration import FILE, File, file_of, parsed_file
from tui.commands.quickstart.address import address_of
from tui.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class FileTests:
    """What a file says of the tests."""

    tests: FolderTests | None = None
    where: str = ""
    """The file, as a person would name it; empty if none counts."""
    repository: str = ""
    """What a file that `--save` writes calls the repository: its address without user and password, or its path; empty where that file lies in it."""
    ignored: bool = False
    """Whether the current folder has a file with tests that does not count, as it is of something else."""


def file_tests(named: str, folder: Path, repository: Repository) -> FileTests:
    """The tests as a file says them: that of the current folder if it lies in the repository, or was written for it by `--save`; else the repository's own.

    `folder` holds the repository. Of a clone of an address its newest commit is read.

    Raises:
        ConfigurationError: a file is malformed.
        HistoryError: the clone lacks an object.

    """
    here, is_within = file_of(Path()), Path.cwd().resolve().is_relative_to(folder.resolve())
    path = str(folder.resolve()) if Path(named).is_dir() else address_of(named).text
    called = "" if is_within else path
    if here.tests and address_of(here.repository).text in {called, path}:
        return FileTests(here.tests, FILE, called)
    own, where = _own_file(folder, repository)
    return FileTests(own.tests, where if own.tests else "", called, ignored=here.tests is not None)


def refuse_other_file(
    found: FileTests, over: Mapping[str, Any], also: Sequence[str] = (), target: Path = Path(FILE)
) -> None:
    """Refuse, before anything is tried, to save where a file is that cannot say the same as what will be found out.

    `over` is what flags say in the place of members of the tests, and `also` are packages that they add.

    Raises:
        ConfigurationError: there is such a file.

    """
    if not target.exists():
        return
    said = found.tests.named if found.tests and found.where == FILE else {}
    differs = any(said.get(name) != over[name] for name in over) or _adds(also, said.get("requires", ()))
    if differs or not {"toolchain", "command", "timeout_s"} <= said.keys():
        raise ConfigurationError(
            f"--save would write {target}, which is there already and says something else: move it away, or leave --save out"
        )


def _adds(also: Sequence[str], required: Sequence[str]) -> bool:
    """Whether packages that are added change what is required; one takes the place of the same one with other versions, at the end."""
    added = {package_name(item) for item in also}
    return (*(item for item in required if package_name(item) not in added), *dict.fromkeys(also)) != tuple(required)


def _own_file(folder: Path, repository: Repository) -> tuple[File, str]:
    """The file at the top of a repository, and its name: as it lies there, or as the newest commit of a bare one has it."""
    if (folder / ".git").exists():
        return file_of(folder), str(folder / FILE)
    where = f"{FILE} of {repository.name}"
    entry = repository.tree(repository.head()).get(FILE)
    text = repository.text(entry.blob) if entry is not None else ""
    if isinstance(text, Unreadable):
        raise ConfigurationError(f"{where}: it is no text: {text.reason}")
    return parsed_file(text.encode(), where), where
