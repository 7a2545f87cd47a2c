"""The command line that repeats one moment of a run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from corpora.evaluation_options import EvaluateOptions
from replay.options import ReplayOptions
from tui.declared_flags import words_of

_NOT_ALONE: dict[str, Any] = {"limit": None, "moments": (), "ablate": "", "instructions": (), "settings": {}}
"""Options that say nothing of one moment, and the settings, which are given as JSON."""


def command_for(moment: str, origin: str, config: Mapping[str, Any]) -> str:
    """Return what plays the tape, or runs the benchmark, in `origin` again and asks at one moment only, under the same settings."""
    return shlex.join(["ghosttape", *words_for(moment, origin, config)])


def words_for(moment: str, origin: str, config: Mapping[str, Any]) -> list[str]:
    """Return the words of that command after `ghosttape`."""
    settings = msgspec.json.encode(config.get("settings", {})).decode()
    if "corpus" in config:
        words = [
            "evaluate",
            str(config["corpus"]),
            "--data",
            origin or "DIR",
            *words_of(EvaluateOptions, {**config, **_NOT_ALONE}),
        ]
    else:
        tested = {"project_tests": config.get("tests_over", {})}
        words = ["replay", origin or "TAPE", *words_of(ReplayOptions, {**config, **_NOT_ALONE, **tested})]
    return [*words, "--moment", moment, "--settings", settings]
