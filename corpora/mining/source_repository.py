"""The repository that is mined: which files it has, how it is tested, what it is called, and under which licence it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from corpora.errors import DataError
from corpora.history.repository.commits import Repository
from corpora.mined.checkout import Checkout, read_checkout
from replay.errors import ProjectError
from replay.importers.building.project_tests import detect_tests
from replay.judge.tape_project import origins_of_tests, settled_tests
from replay.options import ReplayOptions
from replay.tapes.tape import Tests
from runners.environments.manifests import json_of, table_in, toml_of

_LICENCE = re.compile(r"(licen[cs]e|copying|unlicense)([.-].*)?", re.IGNORECASE)
_WORDS = 80
"""Characters of a licence's first line that are kept."""


def open_repository(folder: Path, without: Iterable[Path] = ()) -> tuple[str, Checkout]:
    """Return the name of a repository and its files: those of the newest commit, or of a folder that is under no git, but for those `without`.

    Raises:
        DataError: there is no such folder, or it holds no file.
        HistoryError, ProjectError: git fails, or the clone lacks an object.

    """
    if not folder.is_dir():
        raise DataError(folder, 0, "there is no such folder: name a folder or a git repository on this machine")
    name, commit = _commit(folder)
    found = read_checkout(folder.resolve(), commit, without)
    if not found.files:
        raise DataError(folder, 0, "there is no text file in it")
    return name, found


def _commit(folder: Path) -> tuple[str, str]:
    """The name of a repository and its newest commit, if the folder is the root of one; else the name of the folder, and no commit."""
    if not ((folder / ".git").exists() or (folder / "HEAD").is_file()):
        return folder.resolve().name, ""
    repository = Repository(str(folder))
    return repository.name, repository.head()


def how_tested(checkout: Checkout, options: ReplayOptions) -> tuple[Tests, dict[str, str]]:
    """How a repository is tested: as its files show, with what `ghosttape.toml` says over that, and what flags say over both; and where each member comes from.

    Raises:
        ProjectError: nothing says how it is tested, or the flags contradict each other.

    """
    found = detect_tests(checkout.files)
    tests = settled_tests(found, options, str(checkout.folder))
    if tests is None:
        raise ProjectError(
            f"{checkout.folder}: no tests are found in it: neither a test script of vitest, jest or node --test in a package.json beside test "
            "files, nor Python files called test_*.py. Name what tests it with --test-command and --toolchain, or in [tests] of ghosttape.toml"
        )
    return tests, origins_of_tests(found, options, "its files")


def licence_of(files: Mapping[str, str]) -> str:
    """What a repository says of its licence: in its manifest, else the first line of its licence; empty if it says nothing. Example: `MIT (LICENSE)`."""
    name = next((path for path in sorted(files) if _LICENCE.fullmatch(path)), "")
    said = next(_declared(files), "") or (_first_line(files[name]) if name else "")
    return f"{said} ({name})" if said and name else said or name


def _declared(files: Mapping[str, str]) -> Iterator[str]:
    """What manifests say: `pyproject.toml`, `package.json`, `Cargo.toml`."""
    for manifest, table in (("pyproject.toml", "project"), ("Cargo.toml", "package")):
        licence = table_in(toml_of(files.get(manifest, "")), table).get("license")
        yield from _words(licence.get("text") if isinstance(licence, dict) else licence)
    yield from _words(json_of(files.get("package.json", "")).get("license"))


def _words(said: Any) -> Iterator[str]:
    if isinstance(said, str) and said.strip():
        yield _first_line(said)


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()[:_WORDS]
