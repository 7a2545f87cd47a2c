"""The data of a benchmark: fetched with git at a pinned commit, or copied from a folder, and compared with its digests."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from corpora.errors import FetchError
from corpora.registry import CorpusCard
from replay.tapes.git_environment import quiet_environment

_PROTOCOLS = "https:http:file"
_PATIENCE_S = 1800
_NOTHING = hashlib.sha256().hexdigest()
"""The digest of no files."""


def data_folder(name: str) -> Path:
    """Where the data of a benchmark is kept: below `GHOSTTAPE_DATA`, or the user's data folder."""
    import platformdirs

    root = os.environ.get("GHOSTTAPE_DATA") or platformdirs.user_data_dir("ghosttape")
    return Path(root) / "corpora" / name


def fetch(card: CorpusCard, into: Path, *, source: Path | None = None, notify: Callable[[str], None]) -> None:
    """Bring the data of a benchmark into a new folder, from its repository or from a local copy (`source`).

    The folder appears when all is there and was compared. A copy may lack published answers of models, which `notify` is told.

    Raises:
        FetchError: git failed, the copy is none, or the data is not that of the benchmark; nothing was kept.

    """
    if not card.url:
        raise FetchError(f"the data of {into.name} cannot be fetched: `evaluate` is given its folder with --data")
    if into.exists():
        raise FetchError(f"{into} is there already: remove it to fetch the data anew")
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{into.name}-", dir=into.parent) as folder:
            got = Path(folder) / "got"
            if source is None:
                _clone(card, got, notify)
            else:
                _copy(card, source, got)
            lacking = check(card, got, str(source or card.url))
            if lacking and source is None:
                raise FetchError(f"{card.url}: the published answers of {', '.join(lacking)} are not there")
            if lacking:
                notify(f"{source} lacks the published answers of {', '.join(lacking)}; all others are the benchmark's")
            got.rename(into)
    except OSError as error:
        raise FetchError(f"{into}: the data cannot be written: {error.strerror or error}") from error


def check(card: CorpusCard, folder: Path, place: str) -> list[str]:
    """Compare the data in a folder with the digests of the card, and return the models whose published answers are not there.

    `place` is what a message calls the folder.

    Raises:
        FetchError: it is other data.

    """
    for pattern, expected in card.digests.items():
        if not _is_there(card, folder, pattern, expected, place):
            raise FetchError(f"{place}: there are no files {pattern}, so this is not the benchmark's data")
    if stray := _strays(card, folder):
        raise FetchError(f"{place}: {stray[0]} is no file of the benchmark at commit {card.commit[:10]}")
    patterns = {model: card.answers_at.format(model=model) for model in card.answers}
    return [
        model
        for model, expected in card.answers.items()
        if not _is_there(card, folder, patterns[model], expected, place)
    ]


def _is_there(card: CorpusCard, folder: Path, pattern: str, expected: str, place: str) -> bool:
    """Whether there are files of a pattern; then all of them are those of the card."""
    found = digest(folder, pattern)
    if found not in {expected, _NOTHING}:
        raise FetchError(
            f"{place}: {pattern} are not the files of the benchmark at commit {card.commit[:10]} (digest {found[:16]}…, not {expected[:16]}…)"
        )
    return found == expected


def _strays(card: CorpusCard, folder: Path) -> list[str]:
    """The files among published answers that are of no model of the card."""
    if not card.answers_at:
        return []
    found = {path for path in folder.glob(f"{card.answers_at.partition('/')[0]}/**/*") if path.is_file()}
    known = {path for model in card.answers for path in folder.glob(card.answers_at.format(model=model))}
    return sorted(path.relative_to(folder).as_posix() for path in found - known)


def digest(folder: Path, pattern: str) -> str:
    """The SHA-256 of a list of all files of a pattern: a line for each in the order of their paths, as `sha256sum` writes it.

    `find benchmark -name "*.jsonl" | sort | xargs sha256sum | sha256sum` gives the same for `benchmark/**/*.jsonl`.
    """
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())
    lines = (f"{hashlib.sha256((folder / path).read_bytes()).hexdigest()}  {path}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _clone(card: CorpusCard, into: Path, notify: Callable[[str], None]) -> None:
    notify(f"{card.url} at commit {card.commit[:10]} is fetched")
    _git("init", "--quiet", "--template=", str(into))
    _git("-C", str(into), "fetch", "--quiet", "--depth", "1", card.url, card.commit)
    _git("-C", str(into), "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", card.commit, "--", *card.paths)
    shutil.rmtree(into / ".git")


def _git(*words: str) -> None:
    environment = quiet_environment(os.environ) | {"GIT_ALLOW_PROTOCOL": _PROTOCOLS, "GIT_NO_LAZY_FETCH": "0"}
    try:
        done = subprocess.run(
            ["git", *words],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
        )
    except FileNotFoundError as error:
        raise FetchError("git is not on PATH: install it, or give a local copy of the data with --from DIR") from error
    except subprocess.TimeoutExpired as error:
        raise FetchError(
            f"git did not come to an end in {_PATIENCE_S // 60} minutes; a local copy can be given with --from DIR"
        ) from error
    if done.returncode:
        why = (done.stderr.strip() or f"git ended with status {done.returncode}").rsplit("\n", 1)[-1]
        raise FetchError(f"{why}; without a network a local copy of the data can be given with --from DIR")


def _copy(card: CorpusCard, source: Path, into: Path) -> None:
    if not source.is_dir():
        raise FetchError(f"{source}: there is no such folder")
    into.mkdir()
    for name in card.paths:
        if (source / name).is_dir():
            shutil.copytree(source / name, into / name)
        elif (source / name).is_file():
            shutil.copyfile(source / name, into / name)
