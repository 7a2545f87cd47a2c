"""What was found out about a project's tests, as a `ghosttape.toml` that a person can correct."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from replay.tapes.tape import Tests
from runners.environments import Assumption
from tui.commands.options.configuration import FILE
from tui.errors import ConfigurationError
from tui.terminal_text import one_line

_SEPARATOR = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What might end a comment: a repository names what stands in it."""


def file_text(tests: Tests, assumptions: Sequence[Assumption], repository: str = "") -> str:
    """The text of the file: `[tests]`, with what was taken for granted as comments over it, and the `repository` that it is of if it lies elsewhere."""
    lines = [
        "# How this project is tested, as `ghosttape try` found it. What stands here counts before what a tape says; flags count before both."
    ]
    for each in assumptions:
        source = f" ({each.source})" if each.source else ""
        lines.append(f"# - {_SEPARATOR.sub(' ', one_line(each.said + source))}")
    said = {"repository": repository} if repository else {}
    return "\n".join(lines) + "\n\n" + tomli_w.dumps(said | {"tests": _members(tests)}, multiline_strings=False)


def save(tests: Tests, assumptions: Sequence[Assumption], repository: str = "", folder: Path = Path()) -> Path:
    """Write the file, of a `repository` if that lies elsewhere; one that is there already is not replaced, and is fine if it says the same.

    Raises:
        ConfigurationError: there is one, or it cannot be written.

    """
    target = folder / FILE
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(file_text(tests, assumptions, repository))
    except FileExistsError as error:
        if _says(target, tests):
            return target
        raise ConfigurationError(
            f"{target} is there already: put [tests] into it yourself, or move it away:\n{file_text(tests, (), repository)}"
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}") from error
    return target


def _says(file: Path, tests: Tests) -> bool:
    """Whether a file that is there says the same of the tests."""
    try:
        own = tomllib.loads(file.read_text("utf-8")).get("tests")
    except (OSError, ValueError):
        return False
    return own == _members(tests)


def _members(tests: Tests) -> dict[str, Any]:
    return {
        name: value
        for name, value in msgspec.json.decode(msgspec.json.encode(tests)).items()
        if value not in ("", [], ".")
    }
