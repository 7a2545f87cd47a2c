"""Accept / reject data: JSON Lines, a header and then one trial a line. docs/users.md describes the format.

A trial is one suggestion on a person's screen, from when it was first shown until the person decided. It stays the same
trial while the person types the beginning of the suggestion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec

from replay.play.users.acceptance.errors import TrialsError
from replay.play.users.acceptance.features import FEATURES

T = TypeVar("T")
FORMAT = 1
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class Trial(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One suggestion and what became of it.

    The features are as `replay.play.users.acceptance.features` measures them, unscaled.

    `stretch` names a part of the session. In data of only one person, cross-validation and bootstrap use stretches instead
    of persons.
    """

    person: str
    accepted: bool
    stretch: str = ""
    characters: Annotated[int, msgspec.Meta(ge=0)] | None = None
    lines: Annotated[int, msgspec.Meta(ge=1)] | None = None
    latency: NotNegative | None = None
    idle: NotNegative | None = None
    match: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    confidence: Annotated[float, msgspec.Meta(le=0)] | None = None

    def value(self, feature: str) -> float | None:
        """A feature as it was measured; None if it is not known."""
        value: float | None = getattr(self, feature)
        return value

    def scaled(self, feature: str) -> float | None:
        """A feature on the scale of the model's sum."""
        value = self.value(feature)
        return None if value is None else FEATURES[feature].scale(value)


class TrialsHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: the format, a short name, and where the data comes from."""

    trials: Literal[1]
    name: str
    source: str


class DataSet(msgspec.Struct, frozen=True):
    """Trials from one source. At least one was accepted, and at least one was not."""

    header: TrialsHeader
    trials: tuple[Trial, ...]

    def covers(self) -> tuple[str, ...]:
        """The features that at least one trial has."""
        return tuple(name for name in FEATURES if any(trial.value(name) is not None for trial in self.trials))

    def groups(self) -> tuple[str, ...]:
        """The group of each trial for cross-validation and bootstrap: its person, or its stretch if there is only one person."""
        people = tuple(trial.person for trial in self.trials)
        return people if len(set(people)) > 1 else tuple(trial.stretch for trial in self.trials)


def read(path: Path) -> DataSet:
    """Read a file of trials.

    Raises:
        TrialsError: the file cannot be read, a line is malformed, or no model can be fitted to the data.

    """
    rows = lines(path)
    number, first = next(rows, (1, b""))
    header = decode(path, number, first, TrialsHeader)
    data = DataSet(header, tuple(decode(path, number, line, Trial) for number, line in rows))
    check(str(path), data)
    return data


def write(data: DataSet, path: Path) -> None:
    """Write a file of trials."""
    values: Sequence[TrialsHeader | Trial] = [data.header, *data.trials]
    path.write_bytes(b"".join(msgspec.json.encode(value) + b"\n" for value in values))


def check(source: str, data: DataSet) -> None:
    """Refuse data that no model can be fitted to."""
    accepted = sum(trial.accepted for trial in data.trials)
    if not 0 < accepted < len(data.trials):
        raise TrialsError(source, 0, f"of {len(data.trials)} trials {accepted} were accepted: both outcomes are needed")
    if len(set(data.groups())) < 2:
        raise TrialsError(source, 0, "all trials are of one person and one stretch: name at least two `stretch`es")


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, with their numbers from 1."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrialsError(str(path), 0, f"cannot be read: {error.strerror}") from error
    return ((number, line) for number, line in enumerate(content.split(b"\n"), 1) if line.strip())


def decode(path: Path, number: int, line: bytes, form: type[T]) -> T:
    """One line as a value of a form."""
    try:
        return msgspec.json.decode(line, type=form)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TrialsError(str(path), number, str(error)) from error
