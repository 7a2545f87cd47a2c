"""Where `ghosttape serve --record` writes."""

from __future__ import annotations

import sys
from pathlib import Path

from replay.recording.errors import RecordingStopped


def recording_folder(given: Path | None) -> Path | None:
    """The folder of `--record`, absolute. One that cannot be made or written is named on standard error: completions go on without a recording."""
    if given is None:
        return None
    from replay.recording.journal import check_folder  # with all that knows secrets: a seventh of the start of a server

    folder = given.expanduser().absolute()
    try:
        check_folder(folder)
    except RecordingStopped as error:
        if sys.stderr is not None:
            sys.stderr.write(f"ghosttape: warning: {error}\n")
    return folder
