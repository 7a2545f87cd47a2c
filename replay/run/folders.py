"""Where runs are kept: a folder each in `.ghosttape/runs`, named by when and what they are."""

from __future__ import annotations

import re
import secrets
import time
from pathlib import Path

from replay.options import RunOptions

RUNS = Path(".ghosttape/runs")


def new_folder(options: RunOptions) -> Path:
    """A folder for a run that was given none: `.ghosttape/runs/20260131-120000-gguf-blocks-3f9a`.

    Nothing in a name leads out of the folder of runs: all but letters, digits, `_`, `.` and `-` becomes `-`. The end is random, for runs that
    begin in the same second.
    """
    name = re.sub(
        r"[^\w.-]+", "-", f"{time.strftime('%Y%m%d-%H%M%S')}-{options.name}-{secrets.token_hex(2)}", flags=re.ASCII
    )
    return RUNS / re.sub(r"\.{2,}", "-", name)
