"""A file of a project as a tape that can be judged: the project as it lies in its folder now, how it is tested, and the file typed again.

The tape lies in `.ghosttape/evaluated` of the project's folder, where the newest are kept. Files that git or a `.ghosttapeignore` ignores and files that hold
keys (`replay.recording.secrets`) are not on it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from msgspec import UNSET

from corpora.errors import DataError
from corpora.history.environments import Said, TestsOfCommits
from corpora.history.repository.git_commands import GitCommands
from corpora.mined.checkout import Checkout, read_checkout
from replay.errors import TapeError
from replay.options import FolderTests
from replay.recording.secrets.exclusion import Exclusion
from replay.run.engine import cache_folder
from replay.run.folders import OWN, make_folder
from replay.tapes import blob_files
from replay.tapes.tape import Edit, Embedded, Event, Header, Open, Tape, Tests, stream, write
from runners.environments import WayTester
from runners.protocol import Sandbox
from syntax.bodies import bodies
from syntax.languages import Language, language_of
from syntax.text import length

EVALUATE = "ghosttape.evaluateFile"
"""The command of the language server."""
EDITOR = "ghosttape evaluateFile"
_SHORT = 12


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file to evaluate. `path` is relative to the folder of its project, `text` what the editor holds; `lines` as in `retyped`."""

    folder: Path
    path: str
    text: str
    lines: tuple[int, ...] = ()


def project_of(opened: OpenedFile) -> Checkout:
    """Read the project as it lies in its folder, with the file as the editor holds it.

    Raises:
        DataError: the folder cannot be read, or the file must not be on a tape.
        HistoryError: git fails.

    """
    found = read_checkout(opened.folder, "", _ignored(opened.folder))
    root = opened.folder.resolve()
    unwanted = Exclusion(root, [root]).unwanted(root / path for path in {*found.contents, opened.path})
    if root / opened.path in unwanted:
        reason = "a .ghosttapeignore or its own name (files with keys) keeps it off tapes, and an evaluation writes one"
        raise DataError(opened.folder / opened.path, 0, reason)
    return _without(found, {path.relative_to(root).as_posix() for path in unwanted}, {opened.path: opened.text})


def _without(found: Checkout, paths: set[str], changed: Mapping[str, str]) -> Checkout:
    """The project without some files, and with what the editor holds of others."""
    texts = {path: text for path, text in found.files.items() if path not in paths}
    blobs = {path: content for path, content in found.others.blobs.items() if path not in paths}
    others = replace(found.others, blobs=blobs, executable=found.others.executable - paths)
    return replace(found, files={**texts, **changed}, others=others)


def _ignored(folder: Path) -> Iterator[Path]:
    """What git ignores in a folder; nothing where it is under no git."""
    if not any((each / ".git").exists() for each in (folder, *folder.parents)):
        return
    words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    for name in GitCommands(str(folder)).text(*words).split("\0"):
        if name:
            yield folder / name


@dataclass(slots=True)
class ProjectTester:
    """Finds out how projects are tested, and remembers what worked. `says` gives what a folder's `ghosttape.toml` says."""

    says: Callable[[Path], FolderTests | None]
    _known: dict[tuple[Path, bool], tuple[FolderTests | None, TestsOfCommits]]

    @classmethod
    def of(cls, says: Callable[[Path], FolderTests | None]) -> ProjectTester:
        """A tester that knows nothing yet."""
        return cls(says, {})

    async def tests(
        self, project: Checkout, sandbox: Sandbox, notify: Callable[[str], None], *, network: bool
    ) -> Tests:
        """How a project is tested; tried, unless it was before and the folder still says the same. With `network` its set-up has the network.

        Raises:
            NotTestable: no way was found in which its tests pass; says what to do.
            RunnerError: the toolchain or the sandbox is missing, or the set-up failed.

        """
        key = project.folder, network
        named = self.says(project.folder)
        if key not in self._known or self._known[key][0] != named:
            members = named.named if named else {}
            said = Said(members, network=network, origins=dict.fromkeys(members, "ghosttape.toml"))
            tester = WayTester(sandbox, cache_folder(), notify, others=project.others)
            found = await tester.first_working(project.files, said.candidates(project.files))
            first = next(iter(said.candidates(project.files)))
            tests = TestsOfCommits(said, first, found.candidate, found.result.wall_ms, found.result.passed)
            self._known[key] = named, tests
        return self._known[key][1].found

    def forget(self, folder: Path) -> None:
        """Find out anew how the project of a folder is tested, for what worked does so no more."""
        for network in (False, True):
            self._known.pop((folder, network), None)


def session_of(opened: OpenedFile) -> list[Event]:
    """The session in which the functions of a file are typed again.

    Raises:
        DataError: the syntax of the file's language is not known, or there is no function to type again.

    """
    language = language_of(opened.path)
    if language is None:
        raise DataError(Path(opened.path), 0, "its language is not one whose functions are known")
    events = retyped(language, opened.path, opened.text, opened.lines)
    if len(events) == 1:
        raise DataError(Path(opened.path), 0, "there is no function with a body in it to ask about")
    return events


def tape_of(opened: OpenedFile, events: Sequence[Event], project: Checkout, tests: Tests | None) -> Tape:
    """Write the tape of a file with its session, and return it. The same file in the same project has the same tape.

    Raises:
        DataError: the folder cannot be written.

    """
    others = {path: text for path, text in project.files.items() if path != opened.path}
    hashed = hashlib.sha256(
        repr((sorted(project.files.items()), opened.path, opened.lines, project.others.digest)).encode(
            "utf-8", "surrogatepass"
        )
    )
    name = f"{Path(opened.path).stem}-{hashed.hexdigest()[:_SHORT]}"
    header = Header(
        tape=1,
        id=name,
        editor=EDITOR,
        origin="synthesised",
        workspace=Embedded(others, blob_files.named(project.others)),
        tests=tests,
        created=datetime.fromtimestamp(0, UTC).isoformat(),
    )
    place = project.folder / OWN / "evaluated" / f"{name}.tape.jsonl"
    try:
        make_folder(place.parent)
        blob_files.write(project.others, place.parent)
        write(Tape(header, tuple(events), str(place)), place)
        tidy(place.parent)
    except OSError as error:
        raise DataError(place, 0, f"cannot be written: {error.strerror}") from error
    return Tape(header, tuple(events), str(place))


def opened_file(folder: str, path: str, text: str | None, lines: tuple[int, ...]) -> OpenedFile:
    """The file that a client names by its absolute path; without a `text` it is as it lies on the disk.

    Raises:
        DataError: it is not in the folder, or cannot be read.

    """
    root, file = Path(os.path.abspath(folder)), Path(os.path.abspath(path))  # noqa: PTH100 - links are kept: the editor's names count
    if not file.is_relative_to(root):
        raise DataError(file, 0, f"it does not lie in the folder of the project, {root}")
    try:
        known = file.read_bytes().decode() if text is None else text
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(file, 0, f"it cannot be read: {error}") from error
    return OpenedFile(root, file.relative_to(root).as_posix(), known, lines)


# A finished file as a session: the body of each function is taken out and typed again, line by line, with
# all other code in its place. Pure.

_BREAKS = re.compile(r"([ \t]*(?:\r\n|\n|\r)\s*)")
"""What stands between the code of one line and that of the next."""
_KEY_MS = 200.0
"""A key of a person takes 239 ms in the mean (Dhakal et al. 2018, CHI); only that it is no faster than a person counts here."""


def functions(language: Language, text: str) -> Iterator[tuple[int, int, int]]:
    """The line (from 1) of each function that no other one holds, and the indices between which its body stands, without what documents it."""
    last = 0
    for body in bodies(language, text):
        if body.kind == "function" and body.header >= last:
            last = body.end
            yield text.count("\n", 0, body.header) + 1, body.start, body.inner


def retyped(language: Language, path: str, text: str, lines: Collection[int] = ()) -> list[Event]:
    r"""The events of the session; with `lines` only of the functions that begin there (from 1). No function: the file is opened, and that is all.

    Example: in `def f():\n    a()\n    b()\n` both calls are deleted; then `a()`, the line end with the indentation, and `b()` are typed.
    """
    events: list[Event] = [Open(0.0, 0, path, language.id, text)]
    clock = 0.0
    for line, start, end in functions(language, text):
        if lines and line not in lines:
            continue
        at, body = length(text[:start]), text[start:end]
        clock += _KEY_MS
        events.append(Edit(clock, 0, ((at, at + length(body), ""),), "delete"))
        for piece in filter(None, _BREAKS.split(body)):
            clock += _KEY_MS * len(piece)
            events.append(Edit(clock, 0, ((at, at, piece),), "type"))
            at += length(piece)
    return events


# Keeps the folder of evaluated files small: each evaluation of another text of a project is another tape
# with the whole project in it.

KEPT = 20
"""Tapes that are kept, the newest. Results of an older evaluation still show what the run itself has."""


def tidy(folder: Path) -> None:
    """Remove all tapes of a folder but the newest, and the files beside tapes that none of these names.

    Raises:
        OSError: something cannot be removed.

    """
    tapes = sorted(folder.glob("*.tape.jsonl"), key=lambda tape: tape.stat().st_mtime_ns, reverse=True)
    for tape in tapes[KEPT:]:
        tape.unlink(missing_ok=True)
    if tapes[KEPT:]:
        named = {digest for tape in tapes[:KEPT] for digest in _blobs(tape)}
        for blob in (folder / blob_files.FOLDER).glob("*"):
            if blob.name not in named:
                blob.unlink(missing_ok=True)


def _blobs(tape: Path) -> set[str]:
    """The names of the files that lie beside a tape for it; a tape that cannot be read has none."""
    with suppress(TapeError), stream(tape) as read:
        workspace = read.header.workspace
        if isinstance(workspace, Embedded) and workspace.beside is not UNSET:
            return set(workspace.beside.blobs.values())
    return set()
