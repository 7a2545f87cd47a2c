"""Export of many tapes at once: all of them become files, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from replay.exporters.errors import ExportRefusedError
from replay.exporters.workspace_recording import Recording, recording_of
from replay.placing import place, workshop
from replay.tape import read

WORKSPACE_RECORDING = "workspace-recording"
FORMATS = (WORKSPACE_RECORDING,)
_TAPES = (".gz", ".jsonl", ".tape")
_FILES = (".json", ".jsonl")


class ExportedFile(msgspec.Struct, frozen=True):
    """One tape and the file that it became.

    `dropped` counts the entries of an imported recording that no longer fit the tape, because it was changed since.
    """

    source: str
    file: str
    events: int
    entries: int
    dropped: int


class Report(msgspec.Struct, frozen=True):
    """What an export did: the format, and each file."""

    format: str
    tapes: int
    files: tuple[ExportedFile, ...]


Told: TypeAlias = Callable[[ExportedFile], None]


def export_many(
    paths: Sequence[Path], out: Path, to: str = WORKSPACE_RECORDING, *, force: bool = False, told: Told | None = None
) -> Report:
    """Export tapes into the folder `out`, or one tape to the file `out` if that ends in `.json` or `.jsonl`.

    The files are named after their tapes, `NAME.recording.w.json`, or `NAME.workspaceRecording.jsonl` where the recording
    that a tape was imported from had one entry a line. They appear together, after the last tape was read; one that stands
    there already is replaced only with `force`. `told` hears of each tape once it is read.

    Raises:
        TapeError: a tape is malformed or impossible; nothing was written.
        ExportRefusedError: there is no such format, two tapes would become the same file, a file stands there already, or
            the folder cannot be written; nothing was written.

    """
    check_format(to)
    try:
        with workshop(out, ".ghosttape-export-") as made:
            files = _Batch(out, made, force=force).run(paths, told or _silent)
    except OSError as error:
        raise ExportRefusedError(f"{out}: the recordings cannot be written there: {error.strerror}") from error
    return Report(to, len(files), tuple(files))


def export_one(path: Path, to: str = WORKSPACE_RECORDING) -> bytes:
    """The file that a tape becomes.

    Raises:
        TapeError: the tape is malformed or impossible.
        ExportRefusedError: there is no such format.

    """
    check_format(to)
    return recording_of(read(path)).encode()


def check_format(to: str) -> None:
    """Refuse a format that there is no exporter for."""
    if to not in FORMATS:
        raise ExportRefusedError(f"there is no format {to!r} to export to: choose {' or '.join(FORMATS)}")


class _Batch:
    """An export under way: files are written into a workshop, and moved to their places at the end."""

    def __init__(self, out: Path, workshop: Path, *, force: bool) -> None:
        self.out, self.workshop, self.force = out, workshop, force
        self.sources: dict[Path, Path] = {}

    def run(self, paths: Sequence[Path], told: Told) -> list[ExportedFile]:
        files = []
        for number, path in enumerate(paths):
            tape = read(path)
            recording = recording_of(tape)
            target = self._target(path, recording, alone=len(paths) == 1)
            (self.workshop / str(number)).write_bytes(recording.encode())
            files.append(ExportedFile(str(path), str(target), len(tape.events), len(recording.log), recording.dropped))
            told(files[-1])
        place({self.workshop / str(number): target for number, target in enumerate(self.sources)})
        return files

    def _target(self, path: Path, recording: Recording, *, alone: bool) -> Path:
        target = self.out
        if not (alone and self.out.suffix in _FILES and not self.out.is_dir()):
            target = (
                self.out / f"{_name(path)}{'.workspaceRecording.jsonl' if recording.lines else '.recording.w.json'}"
            )
        if target in self.sources:
            raise ExportRefusedError(f"{self.sources[target]} and {path} would both become {target}: export them apart")
        if target.is_dir() or (target.exists() and not self.force):
            raise ExportRefusedError(f"{target} stands there already: export elsewhere (-o), or replace it (--force)")
        self.sources[target] = path
        return target


def _name(path: Path) -> str:
    """The name of a tape's file without `.tape.jsonl` and `.gz`."""
    name = path.name
    for ending in _TAPES:
        name = name.removesuffix(ending)
    return name


def _silent(_: ExportedFile) -> None:
    pass
