"""The commands `import` and `export`: files in, tapes out, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from replay.errors import TapeError
from replay.exporters import export_batch as exports
from replay.importers import tape_check
from replay.importers.formats import AUTO, format_of, require_writable, tapes_of
from replay.importers.import_batch import ImportedFile, import_many
from replay.importers.suggestion_endings import SuggestionEndings
from replay.tapes.tape import Edit, Open, find
from tui.commands.tapes.history import HistoryFlags, type_history
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus, print_json
from tui.summary_figures import number_of
from tui.terminal_text import bounded
from tui.watching.waiting import Waiting

STDOUT = Path("-")
_TAPE_NAMES = (".tape.jsonl", ".tape.jsonl.gz")
_TAPE_START = b'{"tape":'
_TOLD = frozenset({"accepted", "in_part", "typed", "continued", "dismissed", "rejected", "ignored"})


class CheckedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tape, or what one recording would become."""

    source: str
    ok: bool
    format: str = ""
    tapes: int = 0
    events: int = 0
    documents: int = 0
    changes: int = 0
    checkpoints: int = 0
    suggestions: SuggestionEndings | None = None
    """How the suggestions on a tape ended; None if none was shown."""
    line: int = 0
    """Where the fault is; 0 for the file as a whole."""
    reason: str = ""
    """Why the file is refused."""

    def __str__(self) -> str:
        if not self.ok:
            return self.reason
        several = f"{self.tapes:,} tapes, " if self.tapes > 1 else ""
        counts = ("events", self.events), ("documents", self.documents), ("changes", self.changes)
        said = ", ".join(f"{count:,} {name}" for name, count in counts)
        matched = f", {self.checkpoints} checkpoints matched" if self.checkpoints else ""
        return f"{self.source}: ok, {self.format}, {several}{said}{matched}{_endings(self.suggestions)}"


def _endings(endings: SuggestionEndings | None) -> str:
    """How suggestions ended, in words; the endings that there are."""
    if endings is None:
        return ""
    counts = msgspec.structs.asdict(endings)
    told = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count and name in _TOLD)
    pieces = f", {number_of(endings.pieces, 'piece')} accepted" if endings.pieces else ""
    deleted = f", {number_of(endings.deleted, 'accepted character')} deleted" if endings.deleted else ""
    return f"; {number_of(endings.shown, 'suggestion')}" + (f": {told}" if told else "") + pieces + deleted


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The arguments of `import`, of which some exclude each other."""

    files: Sequence[Path]
    """Recordings; with `check` also tapes."""
    out: Path
    """The folder for the tapes."""
    form: str
    """The format of all recordings, or `auto`."""
    check: bool
    """Whether files are only checked, and nothing is written."""
    history: HistoryFlags
    """The repository whose commits are typed, instead of files, and which of them."""
    force: bool
    """Whether other tapes of the same name are replaced."""

    def run(self, *, json: bool) -> ExitStatus:
        """Import, check or type, and print a report."""
        if self.history.repository is not None:
            return type_history(self.history, self.out, force=self.force, json=json)
        if self.check:
            return check_files(self.files, self.form, json=json)
        return import_files(self.files, self.out, self.form, force=self.force, json=json)


def request_of(
    files: Sequence[Path],
    out: Path | None,
    form: str,
    *,
    check: bool,
    history: HistoryFlags,
    force: bool = False,
) -> ImportRequest:
    """Check the arguments of the command line against each other.

    Raises:
        ConfigurationError: some exclude each other, or one is missing.

    """
    if history.repository is None:
        _refuse(not files, "name the recordings to import, or a repository (--from-git REPO)")
        _refuse(check and (out is not None or force), "--check writes nothing: leave out -o and --force")
    else:
        _refuse(bool(files), "--from-git reads a repository: import files separately")
        _refuse(check, "--check is for files: leave out --from-git")
        _refuse(form != AUTO, "--format is for files: leave it out")
    history.check()
    return ImportRequest(files, out or Path(), form, check, history, force)


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise ConfigurationError(message)


def import_files(paths: Sequence[Path], out: Path, form: str, *, force: bool, json: bool) -> ExitStatus:
    """Import recordings, and print a line for each tape."""
    read: list[ImportedFile] = []

    def notify(file: ImportedFile) -> None:
        read.append(file)
        waiting.show(file.tape, len(read), max(len(paths), len(read)))

    with Waiting(_errors(), "importing") as waiting:
        report = import_many(paths, out, form, notify, force=force)
    if json:
        print_json(report)
        return ExitStatus.DONE
    filled = _filled(report.resynchronised)
    if filled and report.tapes > 1:
        filled += f" in {number_of(sum(file.resynchronised > 0 for file in report.files), 'tape')}"
    _say(
        f"{number_of(report.tapes, 'tape')}, {number_of(report.changes, 'change')} applied, "
        f"{number_of(report.checkpoints, 'checkpoint')} matched{filled}"
    )
    for file in report.files:
        found = _filled(file.resynchronised) + _recognised(file.recognised)
        _say(f"  {file.tape}: {file.events:,} events, {file.changes:,} changes{found}{_tested(file.tests)}")
    return ExitStatus.DONE


def check_files(paths: Sequence[Path], form: str, *, json: bool) -> ExitStatus:
    """Check tapes and recordings, and print a line for each; the status is 1 if one is refused. Nothing is written."""
    with Waiting(_errors(), "checking") as waiting:
        files = [_check(path, form, waiting) for path in _spread(paths)]
    refused = sum(not checked.ok for checked in files)
    if json:
        print_json({"checked": len(files), "refused": refused, "files": files})
    else:
        for checked in files:
            _say(str(checked))
    return ExitStatus.FAILURES if refused else ExitStatus.DONE


def export_tapes(paths: Sequence[Path], to: str, out: Path | None, *, force: bool, json: bool) -> ExitStatus:
    """Export tapes, and print a line for each; with `-o -` print the recording of one tape.

    Raises:
        ConfigurationError: `out` is missing, or `-o -` comes with several tapes or with `--json`.

    """
    exports.check_format(to)
    if out is None:
        raise ConfigurationError("name the folder for the recordings with -o FOLDER, or print one recording with -o -")
    tapes = find(paths)
    if len(tapes) > 1 and out.suffix == ".json" and not out.exists():
        raise ConfigurationError(
            f"-o {out} names a file, for {len(tapes)} tapes: give a folder, as -o {out.with_suffix('')}"
        )
    if out == STDOUT:
        _print_one(tapes, to, json=json)
        return ExitStatus.DONE
    done: list[str] = []

    def notify(file: exports.ExportedFile) -> None:
        done.append(file.file)
        waiting.show(file.file, len(done), len(tapes))

    with Waiting(_errors(), "exporting") as waiting:
        report = exports.export_many(tapes, out, to, force=force, notify=notify)
    if json:
        print_json(report)
        return ExitStatus.DONE
    _say(f"{number_of(report.tapes, 'tape')} exported as {to}")
    for file in report.files:
        dropped = f"; {file.dropped} entries no longer fit the tape and are left out" if file.dropped else ""
        _say(f"  {file.file}: {file.entries:,} entries of {file.events:,} events{dropped}")
    return ExitStatus.DONE


def _print_one(tapes: Sequence[Path], to: str, *, json: bool) -> None:
    if json or len(tapes) != 1:
        raise ConfigurationError("-o - prints one recording: name one tape, without --json, or a folder for many")
    with Waiting(_errors(), "exporting"):
        content = exports.export_one(tapes[0], to)
    sys.stdout.buffer.write(content)


def _spread(paths: Sequence[Path]) -> Iterator[Path]:
    """The files to check: the tapes in a folder that has some; any other path itself."""
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
    tape = tape_check.check(path, progress=lambda done: waiting.show(str(path), done, size))
    endings = tape.suggestions if tape.suggestions.shown else None
    return CheckedFile(str(path), True, "tape", 1, tape.events, tape.documents, tape.changes, tape.checkpoints, endings)


def _checked_recording(path: Path, form: str) -> CheckedFile:
    """Counts of all tapes that a recording would become: some formats keep several sessions in one file or folder."""
    importer = format_of(path, form)
    tapes = events = documents = changes = checkpoints = 0
    for imported in tapes_of(path, importer):
        require_writable(path, imported)
        on_tape = imported.tape.events
        tapes += 1
        events += len(on_tape)
        documents += len({event.doc for event in on_tape if isinstance(event, Open)})
        changes += sum(isinstance(event, Edit) for event in on_tape)
        checkpoints += imported.checkpoints
    return CheckedFile(str(path), True, importer.name, tapes, events, documents, changes, checkpoints)


def _is_tape(path: Path) -> bool:
    if path.name.endswith(_TAPE_NAMES) or not path.is_file():
        return path.name.endswith(_TAPE_NAMES)
    with path.open("rb") as file:
        return file.read(len(_TAPE_START)) == _TAPE_START


def _filled(count: int) -> str:
    """The number of gaps of the recorder that later texts filled; empty for none."""
    return f", {count} gap{'s' if count > 1 else ''} of the recorder filled" if count else ""


def _recognised(count: int) -> str:
    """The number of changes that no person made, though the recording does not say so; empty for none."""
    return f", {count:,} of them by an agent or a formatter" if count else ""


def _tested(tests: bool) -> str:
    return ", with the project's own tests" if tests else ""


def _errors() -> SafeConsole:
    return SafeConsole(stderr=True)


def _say(line: str) -> None:
    sys.stdout.write(bounded(line) + "\n")
