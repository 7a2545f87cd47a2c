"""The files of a crowd-code 2.0 recording: chunks of events and snapshots of the workspace, loose or packed.

A session's folder holds `chunk_NNN.json` and `snapshots/snapshot_NNN.json`; what was uploaded is the same in
`source_part_NNN.tar.gz`. Earlier builds wrote `…_chunk_NNN.json.gz`, or one JSON file a session. Times are milliseconds
since 1970.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from replay.importers.building.packed_files import content_of, in_utf8, members_of
from replay.importers.errors import RecordingError, unreadable
from replay.tapes.coding import decoding

VERSION = "2.0"
_Form = TypeVar("_Form")


class RecordingChunk(msgspec.Struct, frozen=True, rename="camel"):
    """One file of events, in their order."""

    version: str
    session_id: str
    start_time: Annotated[float, msgspec.Meta(ge=0, lt=253_402_300_800_000)]  # until the year 10000
    events: tuple[dict[str, Any], ...]
    chunk_index: int = 0


@dataclass(frozen=True, slots=True)
class ChunkedRecording:
    """The chunks in order, each with its file, and the snapshots by name."""

    chunks: tuple[tuple[Path, RecordingChunk], ...]
    snapshots: Mapping[str, Callable[[], bytes]]

    @property
    def first(self) -> RecordingChunk:
        """The first chunk."""
        return self.chunks[0][1]

    def snapshot(self, name: str) -> dict[str, str]:
        """Path on the recorder's machine → text of each file at that time; empty if the snapshot is missing.

        Raises:
            RecordingError: the snapshot cannot be read, or is not a JSON object of texts.

        """
        if name not in self.snapshots:
            return {}
        return _decode(Path(f"{name}.json"), self.snapshots[name](), dict[str, str])


def read_recording(path: Path) -> ChunkedRecording:
    """Read a recording's folder, or one file of it.

    Raises:
        RecordingError: a file cannot be read or is malformed, or chunks are missing or of several recordings.

    """
    try:
        files = dict(_files(path))
    except OSError as error:
        raise unreadable(path, error) from error
    chunks = {file: _chunk(file, read()) for file, read in files.items() if not _is_snapshot(file)}
    ordered = _distinct(sorted(chunks.items(), key=lambda item: item[1].chunk_index))
    _check(path, ordered)
    snapshots = {file.name.partition(".")[0]: read for file, read in files.items() if _is_snapshot(file)}
    return ChunkedRecording(tuple(ordered), snapshots)


def is_part(name: str) -> bool:
    """Whether a file of this name packs chunks and snapshots."""
    return name.endswith((".tar.gz", ".tgz"))


def _files(path: Path) -> Iterator[tuple[Path, Callable[[], bytes]]]:
    loose = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    beside = sorted((path.parent / "snapshots").glob("*.json*")) if path.is_file() else []
    for file in [*loose, *beside]:
        if is_part(file.name):
            yield from ((file / name, _given(content)) for name, content in members_of(file) if _is_named(file / name))
        elif file == path or _is_named(file):
            yield file, partial(content_of, file)


def _given(content: bytes) -> Callable[[], bytes]:
    return lambda: content


def _is_named(file: Path) -> bool:
    """Whether a file belongs to a recording: the folder may have other files."""
    if not file.name.endswith((".json", ".json.gz")):
        return False
    return "chunk" in file.name or file.name.startswith("source") or _is_snapshot(file)


def _is_snapshot(file: Path) -> bool:
    return file.parent.name == "snapshots"


def _chunk(file: Path, content: bytes) -> RecordingChunk:
    chunk = _decode(file, content, RecordingChunk)
    if chunk.version != VERSION:
        raise RecordingError(file, None, f"is of version {chunk.version!r}, and only {VERSION} can be imported")
    return chunk


def _decode(file: Path, content: bytes, form: type[_Form]) -> _Form:
    try:
        decoded: _Form = decoding(form)(in_utf8(content))
    except ValueError as error:
        raise RecordingError(file, None, f"is not a crowd-code {VERSION} file: {error}") from error
    return decoded


def _distinct(chunks: Sequence[tuple[Path, RecordingChunk]]) -> list[tuple[Path, RecordingChunk]]:
    """The chunks without duplicates: a chunk may be there both loose and packed."""
    return [each for last, each in zip([None, *chunks], chunks, strict=False) if last is None or last[1] != each[1]]


def _check(path: Path, chunks: Sequence[tuple[Path, RecordingChunk]]) -> None:
    if not chunks:
        raise RecordingError(path, None, "holds no chunk (chunk_NNN.json) of a crowd-code 2.0 recording")
    for (_, last), (file, chunk) in pairwise(chunks):
        if (chunk.session_id, chunk.start_time) != (last.session_id, last.start_time):
            raise RecordingError(
                file, None, "belongs to another recording than the chunk before: import them separately"
            )
        if chunk.chunk_index != last.chunk_index + 1:
            wanted = last.chunk_index + 1
            reason = f"is chunk {chunk.chunk_index} where chunk {wanted} should follow: put the missing chunk beside it"
            raise RecordingError(file, None, reason)
