"""What is known of a repository that lies in a folder."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from corpora.agent.choosing.criteria import RepositoryFacts, is_readable
from corpora.errors import DataError
from corpora.mined.checkout import read_checkout
from replay.tapes.git_environment import quiet_environment


def local_facts(folder: Path) -> RepositoryFacts:
    """The facts of a folder; it was created when its first commit was made, if it is under git.

    Raises:
        DataError: it is no folder, or cannot be read.

    """
    if not folder.is_dir():
        raise DataError(folder, 0, "is no folder")
    files = read_checkout(folder, "").files
    texts = {path: text for path, text in files.items() if is_readable(path)}
    return RepositoryFacts(folder.resolve().name, str(folder), _created(folder), None, tuple(files), texts)


def _created(folder: Path) -> datetime | None:
    words = ["git", "-C", str(folder), "log", "--reverse", "--max-parents=0", "--format=%ct"]
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=quiet_environment(os.environ))
    times = [int(line) for line in done.stdout.split() if line.isdigit()]
    return datetime.fromtimestamp(min(times), UTC) if done.returncode == 0 and times else None
