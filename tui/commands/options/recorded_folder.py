"""Where `ghosttape serve --record` writes."""

from __future__ import annotations

import sys
from pathlib import Path

from replay.recording.errors import RecordingStopped
from replay.recording.journal import check_folder


def recording_folder(given: Path | None) -> Path | None:
    """The folder of `--record`, absolute. One that cannot be made or written is named on standard error: completions go on without a recording."""
    folder = given.expanduser().absolute() if given else None
    try:
        if folder is not None:
            check_folder(folder)
    except RecordingStopped as error:
        if sys.stderr is not None:
            sys.stderr.write(f"ghosttape: warning: {error}\n")
    return folder
