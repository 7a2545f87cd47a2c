"""The repositories of a corpus of blocks, as they were when it was built."""

from __future__ import annotations

from pathlib import Path

from corpora.codev.samples import CodevRepository
from corpora.mined.checkout import Checkout, checked


def checkout_of(file: Path, repository: CodevRepository, folder: Path | None = None) -> Checkout:
    """The files of a repository of the corpus `file`; `folder`: where it is now, if not where it was.

    Raises:
        DataError: the folder is not there, lacks the commit, or its files have changed since.
        ProjectError: the repository lacks an object of the commit.

    """
    return checked(file, repository, folder or Path(repository.folder))
