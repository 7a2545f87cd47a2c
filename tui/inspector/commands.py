"""The command line that repeats one moment of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

_REPLAY_FLAGS = ("policy", "user", "latency", "mode", "sandbox", "seed", "samples")
_EVALUATE_FLAGS = ("sandbox", "seed", "samples", "workers", "programs", "scoring")
_BUILD_FLAGS = {"toolchain": "--toolchain", "setup": "--setup", "command": "--test-command"}


def command_for(moment: str, origin: str, config: Mapping[str, Any]) -> str:
    """Return what plays the tape, or runs the benchmark, in `origin` again and asks at one moment only, under the same settings."""
    return shlex.join(["ghosttape", *words_for(moment, origin, config)])


def words_for(moment: str, origin: str, config: Mapping[str, Any]) -> list[str]:
    """Return the words of that command after `ghosttape`."""
    settings = msgspec.json.encode(config.get("settings", {})).decode()
    words = _evaluate(origin, config) if "corpus" in config else _replay(origin, config)
    return [*words, "--moment", moment, "--settings", settings]


def _evaluate(origin: str, config: Mapping[str, Any]) -> list[str]:
    words = ["evaluate", str(config["corpus"]), "--data", origin or "DIR", *_values(config, _EVALUATE_FLAGS)]
    for flag in ("languages", "categories"):
        words += [f"--{flag}", ",".join(config[flag])] if config.get(flag) else []
    words += ["--published", config["published"]] if config.get("published") else []
    words += [] if config.get("packages", True) else ["--no-packages"]
    words += ["--all-tasks"] if config.get("all_tasks") else []
    return words + ([] if config.get("tests", True) else ["--no-tests"])


def _replay(origin: str, config: Mapping[str, Any]) -> list[str]:
    words = ["replay", origin or "TAPE", *_values(config, _REPLAY_FLAGS)]
    words += [] if config.get("tests", True) else ["--no-tests"]
    words += ["--include-tests"] if config.get("include_tests") else []
    words += ["--tests", "touching"] if config.get("which_tests") == "touching" else []
    if "ask_missed" in config:
        words.append("--ask-missed" if config["ask_missed"] else "--no-ask-missed")
    words += ["--allow-network-setup"] if config.get("network_setup") else []
    words += [part for name, value in config.get("tests_over", {}).items() for part in (_BUILD_FLAGS[name], value)]
    for flag, name in (
        ("--project", "projects"),
        ("--path", "paths"),
        ("--setup-env", "setup_env"),
        ("--exclude", "excluded"),
        ("--requires", "also_requires"),
    ):
        words += [part for value in config.get(name, ()) for part in (flag, str(value))]
    return words


def _values(config: Mapping[str, Any], flags: tuple[str, ...]) -> Iterator[str]:
    for flag in flags:
        if flag in config:
            yield from (f"--{flag}", str(config[flag]))
