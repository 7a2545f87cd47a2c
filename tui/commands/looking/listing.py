"""The command `records`: the records of a run as JSON lines, for programs and for people who check the figures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from replay.run.store import Store


def print_records(folder: Path) -> None:
    """Write one JSON object a line to standard output, in the order of tapes and events; stops where nobody reads on.

    Raises:
        StoreError: there is no run in the folder.

    """
    with Store.open(folder) as store:
        try:
            for record in store.records():
                sys.stdout.write(f"{msgspec.json.encode(record).decode()}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it ends
