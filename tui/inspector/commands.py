"""The command line that repeats one moment of a run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

_FLAGS = ("policy", "user", "latency", "mode", "sandbox", "seed", "samples")


def command_for(moment: str, origin: str, config: Mapping[str, Any]) -> str:
    """Return what plays the tape, or runs the benchmark, in `origin` again and asks at one moment only, under the same settings."""
    settings = msgspec.json.encode(config.get("settings", {})).decode()
    if "corpus" in config:
        parts = ["ghosttape", "evaluate", str(config["corpus"]), "--data", origin or "DIR", "--moment", moment]
        for flag in ("languages", "categories"):
            parts += [f"--{flag}", ",".join(config[flag])] if config.get(flag) else []
        parts += ["--published", config["published"]] if config.get("published") else []
        return shlex.join([*parts, "--settings", settings])
    parts = ["ghosttape", "replay", origin or "TAPE", "--moment", moment]
    for flag in _FLAGS:
        parts += [f"--{flag}", str(config[flag])] if flag in config else []
    parts += [] if config.get("tests", True) else ["--no-tests"]
    parts += ["--include-tests"] if config.get("include_tests") else []
    for flag, name in (("--project", "projects"), ("--path", "paths")):
        parts += [part for value in config.get(name, ()) for part in (flag, str(value))]
    return shlex.join([*parts, "--settings", settings])
