"""Where the stages of the agent keep what they found, so that each can be stopped and goes on, and none needs the next."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from corpora.errors import DataError
from corpora.mined.checkout import Checkout, digest_of

PLACE = Path(".ghosttape/codev")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class StageFolder:
    """The folder of one repository at one commit: a file for what each stage found, and a log of each."""

    folder: Path

    @classmethod
    def of(cls, name: str, checkout: Checkout, place: Path = PLACE) -> StageFolder:
        """The folder of a repository, by its name and its content."""
        hashed = hashlib.sha256(repr(sorted(checkout.digests(checkout.files).items())).encode())
        hashed.update(checkout.others.digest.encode())
        return cls(place / f"{name}-{hashed.hexdigest()[:12]}")

    def beside(self, *known: object) -> StageFolder:
        """A folder inside of it for what depends on more than the repository."""
        return StageFolder(self.folder / digest_of(repr(known))[:12])

    def file(self, stage: str) -> Path:
        """Where a stage keeps what it found."""
        return self.folder / f"{stage}.json"

    def log(self, stage: str, line: str) -> None:
        """Write one line of a stage's log, with the time (UTC)."""
        with self._made(f"{stage}.log").open("a", encoding="utf-8", errors="surrogatepass") as opened:
            opened.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {line}\n")

    def keep(self, stage: str, found: object) -> None:
        """Keep what a stage found; it is there as a whole or not at all."""
        file = self._made(f"{stage}.json")
        beside = file.with_suffix(".part")
        beside.write_bytes(msgspec.json.encode(found))
        beside.replace(file)

    def kept(self, stage: str, as_type: type[_T]) -> _T | None:
        """What a stage found before; None if it has not ended.

        Raises:
            DataError: the file was changed.

        """
        file = self.file(stage)
        try:
            return msgspec.json.decode(file.read_bytes(), type=as_type)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError as error:
            raise DataError(file, 0, f"is not what the stage {stage} writes: remove it: {error}") from error

    def add(self, stage: str, found: msgspec.Struct) -> None:
        """Add one line to what a stage found so far, in the place of one that was cut off."""
        with self._made(f"{stage}.jsonl").open("a+b") as opened:
            opened.seek(0)
            opened.truncate(opened.read().rfind(b"\n") + 1)
            opened.write(msgspec.json.encode(found) + b"\n")

    def added(self, stage: str, as_type: type[_T]) -> Iterator[_T]:
        """What a stage found so far, line by line. A last line that was cut off when it was stopped is passed over."""
        file = self.folder / f"{stage}.jsonl"
        lines = file.read_bytes().split(b"\n")[:-1] if file.is_file() else []
        for number, line in enumerate(lines, 1):
            try:
                yield msgspec.json.decode(line, type=as_type)
            except msgspec.DecodeError as error:
                raise DataError(file, number, f"is not what the stage {stage} writes: {error}") from error

    def _made(self, name: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name
