"""What is known of a repository that lies in a folder."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from corpora.agent.repositories.criteria import RepositoryFacts, is_readable
from corpora.errors import DataError, HistoryError
from corpora.history.repository.git_commands import GitCommands
from corpora.mined.checkout import read_checkout


def local_facts(folder: Path) -> RepositoryFacts:
    """The facts of a folder; it was created when its first commit was made, if it is the top of a repository with its whole history.

    Raises:
        DataError: it is no folder, or cannot be read.

    """
    if not folder.is_dir():
        raise DataError(folder, 0, "is no folder")
    files = read_checkout(folder, "").files
    texts = {path: text for path, text in files.items() if is_readable(path)}
    return RepositoryFacts(folder.resolve().name, str(folder), _created(folder), None, tuple(files), texts)


def _created(folder: Path) -> datetime | None:
    """When the first commit was made; None where the folder is not itself a repository, or lacks the older part of its history."""
    git = GitCommands(str(folder))
    try:
        is_shallow, top = git.text("rev-parse", "--is-shallow-repository", "--show-toplevel").splitlines()
        if is_shallow == "true" or Path(top).resolve() != folder.resolve():
            return None
        times = git.text("rev-list", "--max-parents=0", "--no-commit-header", "--format=%ct", "HEAD").split()
    except HistoryError:
        return None
    return datetime.fromtimestamp(min(map(int, times)), UTC)
