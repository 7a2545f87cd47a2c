"""The commands `import` and `export`: files in, tapes out, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from replay import checking
from replay.errors import TapeError
from replay.exporters import batch as exports
from replay.importers.batch import ImportedFile, import_many
from replay.importers.kinds import AUTO, kind_of, require_writable, tapes_of
from replay.tape import Edit, Open, find
from tui.errors import ConfigurationError, TuiError
from tui.outcome import Status, print_json
from tui.plain import plain
from tui.waiting import Waiting

if TYPE_CHECKING:
    from corpora.history import HistoryReport

STDOUT = Path("-")
_TAPE_NAMES = (".tape.jsonl", ".tape.jsonl.gz")
_TAPE_START = b'{"tape":'


class CheckedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tape, or what one recording would become; `reason` says why it is refused, `line` where (0: as a whole)."""

    source: str
    ok: bool
    format: str = ""
    tapes: int = 0
    events: int = 0
    documents: int = 0
    changes: int = 0
    checkpoints: int = 0
    line: int = 0
    reason: str = ""

    def __str__(self) -> str:
        if not self.ok:
            return self.reason
        several = f"{self.tapes:,} tapes, " if self.tapes > 1 else ""
        counts = ("events", self.events), ("documents", self.documents), ("changes", self.changes)
        said = ", ".join(f"{count:,} {name}" for name, count in counts)
        matched = f", {self.checkpoints} checkpoints matched" if self.checkpoints else ""
        return f"{self.source}: ok, {self.format}, {several}{said}{matched}"


@dataclass(frozen=True, slots=True)
class Order:
    """What `import` is asked to do."""

    files: Sequence[Path]
    out: Path
    form: str
    check: bool
    repository: str | None
    revisions: str
    seed: int
    characters: int | None
    force: bool

    def carry_out(self, *, json: bool) -> Status:
        """Do it, and print what came of it."""
        if self.repository is not None:
            return import_git(self, self.repository, json=json)
        if self.check:
            return check_files(self.files, self.form, json=json)
        return import_files(self.files, self.out, self.form, force=self.force, json=json)


def order_of(
    files: Sequence[Path],
    out: Path | None,
    form: str,
    *,
    check: bool,
    from_git: str | None,
    revisions: str | None,
    seed: int | None,
    characters: int | None,
    force: bool = False,
) -> Order:
    """Put the words of the command line together.

    Raises:
        ConfigurationError: they do not go together.

    """
    of_git = {"--range": revisions, "--seed": seed, "--characters": characters}
    if from_git is None:
        _refuse(not files, "name the recordings to import, or a repository (--from-git REPO --range A..B)")
        _refuse(check and (out is not None or force), "--check writes nothing: leave out -o and --force")
        for flag, value in of_git.items():
            _refuse(value is not None, f"{flag} is for --from-git: leave it out, or name a repository")
    else:
        _refuse(bool(files), "--from-git reads a repository: import files apart")
        _refuse(check, "--check is for files: leave out --from-git")
        _refuse(form != AUTO, "--format is for files: leave it out")
        _refuse(revisions is None, "--from-git needs --range A..B (or --range COMMIT for one)")
    return Order(files, out or Path(), form, check, from_git, revisions or "", seed or 0, characters, force)


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise ConfigurationError(message)


def import_files(paths: Sequence[Path], out: Path, form: str, *, force: bool, json: bool) -> Status:
    """Import recordings, and say what became of each."""
    read: list[ImportedFile] = []

    def told(file: ImportedFile) -> None:
        read.append(file)
        waiting.show(file.tape, len(read), max(len(paths), len(read)))

    with Waiting(_errors(), "importing") as waiting:
        report = import_many(paths, out, form, told, force=force)
    if json:
        print_json(report)
        return Status.DONE
    mended = _mended(report.resynchronised)
    if mended and report.tapes > 1:
        mended += f" in {sum(file.resynchronised > 0 for file in report.files)} tapes"
    _say(f"{report.tapes} tapes, {report.changes:,} changes applied, {report.checkpoints} checkpoints matched{mended}")
    for file in report.files:
        mended = _mended(file.resynchronised)
        _say(f"  {file.tape}: {file.events:,} events, {file.changes:,} changes{mended}{_tested(file.tests)}")
    return Status.DONE


def import_git(order: Order, repository: str, *, json: bool) -> Status:
    """Type the commits of a repository; 1 if none of them became a tape."""
    from corpora.errors import CorpusError
    from corpora.history import CHARACTERS, import_history  # loads much: only when it is asked for

    limit = order.characters or CHARACTERS
    try:
        with Waiting(_errors(), f"typing {order.revisions}") as waiting:
            report = import_history(
                repository,
                order.revisions,
                order.seed,
                order.out,
                waiting.show,
                characters=limit,
                force=order.force,
            )
    except CorpusError as error:
        raise TuiError(str(error)) from error
    if json:
        print_json(report)
    else:
        _show_history(report)
    return Status.DONE if report.tapes else Status.FAILURES


def check_files(paths: Sequence[Path], form: str, *, json: bool) -> Status:
    """Check tapes and recordings, a line each; 1 if one is refused. Nothing is written."""
    with Waiting(_errors(), "checking") as waiting:
        files = [_check(path, form, waiting) for path in _spread(paths)]
    refused = sum(not checked.ok for checked in files)
    if json:
        print_json({"checked": len(files), "refused": refused, "files": files})
    else:
        for checked in files:
            _say(str(checked))
    return Status.FAILURES if refused else Status.DONE


def export_tapes(paths: Sequence[Path], to: str, out: Path | None, *, force: bool, json: bool) -> Status:
    """Export tapes, and say what became of each; with `-o -` the one recording is what is printed."""
    exports.check_format(to)
    tapes = find(paths)
    if out == STDOUT:
        _print_one(tapes, to, json=json)
        return Status.DONE
    done: list[str] = []

    def told(file: exports.ExportedFile) -> None:
        done.append(file.file)
        waiting.show(file.file, len(done), len(tapes))

    with Waiting(_errors(), "exporting") as waiting:
        report = exports.export_many(tapes, out or Path(), to, force=force, told=told)
    if json:
        print_json(report)
        return Status.DONE
    _say(f"{report.tapes} tapes exported as {to}")
    for file in report.files:
        dropped = f"; {file.dropped} entries no longer fit the tape and are left out" if file.dropped else ""
        _say(f"  {file.file}: {file.entries:,} entries of {file.events:,} events{dropped}")
    return Status.DONE


def _print_one(tapes: Sequence[Path], to: str, *, json: bool) -> None:
    if json or len(tapes) != 1:
        raise ConfigurationError("-o - prints one recording: name one tape, without --json, or a folder for many")
    with Waiting(_errors(), "exporting"):
        content = exports.export_one(tapes[0], to)
    sys.stdout.buffer.write(content)


def _spread(paths: Sequence[Path]) -> Iterator[Path]:
    """The tapes in folders that hold some; everything else as it is."""
    for path in paths:
        tapes = sorted(file for file in path.iterdir() if file.name.endswith(_TAPE_NAMES)) if path.is_dir() else []
        yield from tapes or [path]


def _check(path: Path, form: str, waiting: Waiting) -> CheckedFile:
    waiting.show(str(path))
    try:
        return _checked_tape(path, waiting) if form == AUTO and _is_tape(path) else _checked_recording(path, form)
    except TapeError as error:
        return CheckedFile(str(path), ok=False, line=error.line, reason=str(error))
    except OSError as error:
        return CheckedFile(str(path), ok=False, reason=f"{path}: cannot be read: {error.strerror}")


def _checked_tape(path: Path, waiting: Waiting) -> CheckedFile:
    size = path.stat().st_size if path.exists() else 0
    tape = checking.check(path, progress=lambda done: waiting.show(str(path), done, size))
    return CheckedFile(str(path), True, "tape", 1, tape.events, tape.documents, tape.changes, tape.checkpoints)


def _checked_recording(path: Path, form: str) -> CheckedFile:
    """What a recording would become; some formats keep several sessions in one file or folder."""
    kind = kind_of(path, form)
    tapes = events = documents = changes = checkpoints = 0
    for imported in tapes_of(path, kind):
        require_writable(path, imported)
        on_tape = imported.tape.events
        tapes += 1
        events += len(on_tape)
        documents += len({event.doc for event in on_tape if isinstance(event, Open)})
        changes += sum(isinstance(event, Edit) for event in on_tape)
        checkpoints += imported.checkpoints
    return CheckedFile(str(path), True, kind.name, tapes, events, documents, changes, checkpoints)


def _is_tape(path: Path) -> bool:
    if path.name.endswith(_TAPE_NAMES) or not path.is_file():
        return path.name.endswith(_TAPE_NAMES)
    with path.open("rb") as file:
        return file.read(len(_TAPE_START)) == _TAPE_START


def _show_history(report: HistoryReport) -> None:
    _say(f"{len(report.tapes)} tapes of {report.repository} {report.revisions}, seed {report.seed}")
    for tape in report.tapes:
        _say(f"  {tape.tape}: {tape.typed:,} keys, {tape.minutes} min{_tested(tape.tests)}")
    for skipped in report.skipped:
        _say(f"  {skipped.commit[:10]} is left out: {skipped.reason}")


def _mended(count: int) -> str:
    """How often a recorder had missed something; nothing if it never had."""
    return f", {count} gap{'s' if count > 1 else ''} of the recorder mended" if count else ""


def _tested(tests: bool) -> str:
    return ", with the project's own tests" if tests else ""


def _errors() -> Console:
    return Console(stderr=True)


def _say(line: str) -> None:
    sys.stdout.write(plain(line) + "\n")
