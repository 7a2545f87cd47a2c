"""The flags of gates, which several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFlags:
    """What a run must hold, and what CI reads of it."""

    fail_under: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIGURE=NUMBER",
            help="End with status 1 if a figure is surely below this: pass_at_1=0.30, passed_in_time, acceptance, keystrokes_saved, testable, moments, adherence, adherence:ID …; of "
            "latency_p50 to latency_p99 (ms), failed and infrastructure, if it is above. Repeatable (docs/gates.md).",
        ),
    ] = None
    fail_if_worse_than: Annotated[
        str,
        typer.Option(
            metavar="RUN",
            help="End with status 1 if fewer tests pass than in this run, surely and by more than --margin.",
        ),
    ] = ""
    margin: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="SHARE", help="The loss that --fail-if-worse-than puts up with.")
    ] = 0.02
    strict: Annotated[
        bool, typer.Option("--strict", help="End with status 1 also if the intervals are too wide to be sure.")
    ] = False
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the gates as JUnit XML.")] = None
    github: Annotated[
        bool,
        typer.Option(
            "--github",
            help="Print the gates as annotations of GitHub Actions, and add a summary to the file that $GITHUB_STEP_SUMMARY names.",
        ),
    ] = False
