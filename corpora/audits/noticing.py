"""What the tests of a corpus notice: how many of its tasks can tell a right answer from none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BROKEN = ("broken-baseline", "flaky")
BY_FILLER = "undetected: filler"
"""Why a task is untestable whose tests pass with a filler (`pass`, `;`) in the gap, where grammar demands a statement."""


def coverage_of_tests(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Counts by language and by cell (language and category), and of all, from the summary of an evaluation of all tasks."""
    return {
        "all": counts_of_tests(summary),
        "languages": [{"language": row["language"]} | counts_of_tests(row) for row in summary["languages"]],
        "cells": [
            {key: row[key] for key in ("language", "category")} | counts_of_tests(row) for row in summary["cells"]
        ],
        "left_out": summary["left_out"],
        "apart": summary["apart"],
    }


def counts_of_tests(row: Mapping[str, Any]) -> dict[str, int]:
    """What the tests of some tasks notice, as numbers of tasks, from `tasks`, `testable` and `why_untestable` of their figures.

    * `tasks`: those that were chosen, in languages with a toolchain here.
    * `broken`: the ground truth does not pass here, or passes once and fails once.
    * `unnoticed`: the tests pass with an empty gap as well, or with a filler where grammar demands a statement (`BY_FILLER` in `why_untestable`).
    * `empty`: there is nothing to fill in.
    * `not_run`: tasks that were not judged: the machine failed, or there is no answer.
    * `testable`: all others; only there does a verdict on an answer mean something.
    """
    why = row["why_untestable"]
    broken = sum(number for reason, number in why.items() if reason.startswith(_BROKEN))
    known = {
        "tasks": row["tasks"],
        "broken": broken,
        "unnoticed": why.get("undetected", 0) + why.get(BY_FILLER, 0),
        "empty": why.get("empty", 0),
        "testable": row["testable"],
    }
    return known | {"not_run": row["tasks"] - row["testable"] - broken - known["unnoticed"] - known["empty"]}
