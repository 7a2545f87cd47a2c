"""The command `records`: the records of a run as JSON lines or as a table, for programs and for people who check the figures."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import IO

import msgspec

from replay.run.store import Store
from tui.commands.inspect.whole_files import whole_file
from tui.errors import ConfigurationError, LackingError

STANDARD_OUTPUT = Path("-")


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


def write_table(folder: Path, form: str, out: Path) -> int:
    """Write the records of a run as a table (`replay.run.record_tables`) into a file, whole or not at all, or to standard output; give the number of rows.

    Raises:
        StoreError: there is no run in the folder.
        ConfigurationError: there is no such format, or the file is a folder or cannot be made.
        LackingError: the format needs a library that is not installed.

    """
    from replay.run.record_tables import FORMATS

    if form not in FORMATS:
        raise ConfigurationError(f"--format: {form!r} is none of {', '.join(FORMATS)}")
    if form == "parquet" and find_spec("pyarrow") is None:
        raise LackingError(
            "--format parquet needs pyarrow: pip install 'ghosttape[parquet]'; csv and jsonl need nothing"
        )
    if out.is_dir():
        raise ConfigurationError(f"{out} is a folder: name the file to write")
    with Store.open(folder) as store:
        if out == STANDARD_OUTPUT:
            return _print_table(store, form)
        with whole_file(out) as file:
            return FORMATS[form](store.records(), file)


def _print_table(store: Store, form: str) -> int:
    from replay.run.record_tables import FORMATS

    file: IO[bytes] = sys.stdout.buffer
    if form == "parquet" and sys.stdout.isatty():
        raise ConfigurationError("Parquet is no text: name a file with -o, or pipe it")
    try:
        number = FORMATS[form](store.records(), file)
        file.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains when it ends
        return 0
    return number
