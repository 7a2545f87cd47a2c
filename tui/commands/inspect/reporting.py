"""The commands that hand runs on: `report` as one file of HTML, `records` as lines and tables."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tui.commands.inspect.whole_files import whole_file
from tui.commands.options import flags
from tui.errors import ConfigurationError
from tui.outcome import print_json

STANDARD_OUTPUT = Path("-")
_MOST = 8
"""The runs that stand side by side: more columns cannot be read."""


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…", help="Runs, each by its folder, its name, a tag, or last; several stand side by side."
        ),
    ],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The file to write; - for standard output.")
    ] = Path("report.html"),
    json: flags.JsonFlag = False,
) -> None:
    """Write a report of a run, or of several side by side, into one HTML file: it opens anywhere, without a network.

    Summary, tables and plots with their intervals, and a list of all moments, each with its prompt, repairs, differences and test log. The address of a moment
    (report.html#moment=ID) can be sent round.

    Examples:
    * `ghosttape report .ghosttape/runs/demo -o report.html`
    * `ghosttape report one other -o both.html`
    """
    if json and out == STANDARD_OUTPUT:
        raise typer.BadParameter("--json prints to standard output, and so does -o -: choose a file")
    from replay.run.catalogue.run_lookup import find_run

    folders = [find_run(run) for run in runs]
    moments, size = write_report(folders, out)
    if json:
        print_json({"file": str(out), "bytes": size, "runs": [str(folder) for folder in folders], "moments": moments})
    elif out != STANDARD_OUTPUT:
        _say(f"{out}: {moments:,} moments, {size / 1e6:.2f} MB")


def records(
    run: flags.RunName,
    *,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="csv|parquet|jsonl",
            help="Write a table with a row a record instead: CSV, Parquet or JSON Lines with the columns of docs/report.md.",
        ),
    ] = "",
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="With --format: the file to write; - for standard output."),
    ] = STANDARD_OUTPUT,
) -> None:
    """Print the records of a run, one JSON object a line: each moment with its suggestion, prompt, repairs and verdict; or write them as a table (--format).

    Examples:
    * `ghosttape records last | jq -r .verdict.name | sort | uniq -c`
    * `ghosttape records last --format parquet -o records.parquet` (the columns: docs/report.md)
    """
    from replay.run.catalogue.run_lookup import find_run
    from tui.commands.inspect.records_command import print_records, write_table

    if form:
        write_table(find_run(run), form, out)
    elif out != STANDARD_OUTPUT:
        raise typer.BadParameter("-o is of --format: csv, parquet or jsonl")
    else:
        print_records(find_run(run))


def check_report(folders: Sequence[Path], out: Path) -> None:
    """Refuse what can be no report, before anything is read.

    Raises:
        ConfigurationError: the file is a folder, a run is named twice, or there are too many.

    """
    if len(folders) > _MOST:
        raise ConfigurationError(f"a report shows at most {_MOST} runs side by side, and {len(folders)} are named")
    if out.is_dir():
        raise ConfigurationError(f"{out} is a folder: name the file to write, such as {out / 'report.html'}")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise ConfigurationError("a run is named twice")


def write_report(folders: Sequence[Path], out: Path, found: Mapping[str, Any] | None = None) -> tuple[int, int]:
    """Write the report of runs into a file, whole or not at all; give the number of its moments, and its size in bytes.

    `found` is a comparison of these runs in this order (`replay.numbers.comparison.compare_sides`), which the page shows; without one each is compared with the first.

    Raises:
        RunReadError: a folder holds no run, or one that cannot be read.
        ConfigurationError: the file is a folder or cannot be made, a run is named twice, or there are too many.

    """
    from tui.report.report_page import page
    from tui.report.reported import read_runs

    check_report(folders, out)
    runs = read_runs(folders)
    data = page(runs, _say, found).encode()
    if out == STANDARD_OUTPUT:
        sys.stdout.buffer.write(data)
    else:
        with whole_file(out) as file:
            file.write(data)
    return len({record.moment.id for run in runs for record in run.records}), len(data)


def _say(text: str) -> None:
    from tui.console import SafeConsole

    SafeConsole(stderr=True).print(text, style="dim", soft_wrap=True, highlight=False)
