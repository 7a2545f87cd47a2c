"""The file of a calibration: texts that people have scored, a JSON line each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from corpora.errors import DataError


class LabelledCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two texts and the score that a person gave the second, on the scale of the rubric."""

    name: str
    truth: str
    response: str
    label: float | None = None
    """None: nobody has scored it yet."""
    rater: str = ""
    task: str = ""
    """Whose rubric it is scored by, as `relevance` ("": not said). A label by one rubric says nothing of another."""


_CASES = msgspec.json.Decoder(LabelledCase)


def read_cases(file: Path) -> list[LabelledCase]:
    """All cases of a file; a later line about a name takes the place of an earlier one.

    Raises:
        DataError: the file cannot be read, or a line is no case.

    """
    found: dict[str, LabelledCase] = {}
    try:
        lines = file.read_text("utf-8").split("\n")
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DataError(file, 0, f"cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                case = _CASES.decode(line)
            except msgspec.DecodeError as error:
                raise DataError(file, number, f"no labelled case (name, truth, response, label): {error}") from error
            found[case.name] = case
    return list(found.values())


def write_cases(file: Path, cases: Iterable[LabelledCase]) -> None:
    """Add cases to a file, each line whole.

    Raises:
        OSError: it cannot be written.

    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("ab") as lines:
        for case in cases:
            lines.write(msgspec.json.encode(case) + b"\n")
