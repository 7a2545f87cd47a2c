"""The arguments of `import` and `export`, which turn recordings of other tools into tapes and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.commands.options.flags import JsonFlag
from tui.declared_flags import Flags


class ImportFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `import`."""

    out: Annotated[Path | None, Option(short="-o")] = None
    """Folder for the tapes (default: the current one)."""
    form: Annotated[str, Option(flag="--format")] = "auto"
    """Format of the recordings: auto (decided by content), workspaceRecording@1.0, crowd-code@1, crowd-code@2, progsnap2."""
    check: bool = False
    """Only check tapes and recordings; write nothing."""
    from_git: Annotated[str | None, Option(metavar="REPO")] = None
    """Type the commits of this git repository instead."""
    revisions: Annotated[str | None, Option(flag="--range", metavar="A..B")] = None
    """With --from-git: the commits after A up to B, or one commit."""
    last: Annotated[int | None, Option(min=1, metavar="N")] = None
    """With --from-git: the newest N commits that give a tape (default: 10, if nothing else chooses commits)."""
    since: Annotated[str | None, Option(metavar="DATE")] = None
    """With --from-git: commits since a date, as git reads dates."""
    author: Annotated[str | None, Option(metavar="TEXT")] = None
    """With --from-git: commits whose author's name or address has this (as git log --author)."""
    sample: Annotated[int | None, Option(min=1, metavar="N")] = None
    """With --from-git: N commits, drawn by --seed from those that give a tape."""
    merges: Annotated[str | None, Option(metavar="all|first-parent")] = None
    """With --from-git: take the commits that merges brought in, and leave the merges out (all, the default); or type each merge as one session (first-parent)."""
    seed: int | None = None
    """With --from-git: seed of everything random (default: 0)."""
    characters: Annotated[int | None, Option(min=1)] = None
    """With --from-git: leave out commits with more to type (default: 20,000)."""
    force: bool = False
    """Replace other tapes of the same name."""


def import_(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings of other tools, as files or folders; with --check also tapes."),
    ] = None,
    *,
    given: ImportFlags,
    json: JsonFlag = False,
) -> None:
    """Turn recordings of other tools, or the history of a repository, into tapes.

    If one recording is malformed or contradicts itself, all are refused and nothing is written. --check prints a line for
    each file; the exit status is 1 if one of them is refused.

    Examples:
    * `ghosttape import session.w.json -o tapes`
    * `ghosttape import --check tapes session.w.json`
    * `ghosttape import --from-git . -o tapes`
    * `ghosttape import --from-git . --range v1.0..v1.1 --seed 7 -o tapes`
    * `ghosttape import --from-git . --since 2024-01-01 --author Ada --sample 20 -o tapes`
    """
    from tui.commands.tapes import import_export
    from tui.commands.tapes.history import HistoryFlags

    request = import_export.request_of(
        files or [],
        given.out,
        given.form,
        check=given.check,
        force=given.force,
        history=HistoryFlags(
            given.from_git,
            given.revisions,
            given.last,
            given.since,
            given.author,
            given.sample,
            given.merges,
            given.seed,
            given.characters,
        ),
    )
    raise typer.Exit(request.run(json=json))


class TapeExportFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `export`."""

    to: str = "workspace-recording"
    """workspace-recording: Copilot's workspaceRecording@1.0."""
    out: Annotated[Path | None, Option(short="-o")] = None
    """Required: a folder for the recordings, a file NAME.json for one tape, or - to print one recording."""
    force: bool = False
    """Replace files of the same name."""


def export(
    tapes: Annotated[list[Path], typer.Argument(help="Tapes, or folders of tapes.")],
    *,
    given: TapeExportFlags,
    json: JsonFlag = False,
) -> None:
    """Turn tapes into recordings that other tools can read. Imported again, they are the same tapes.

    Examples:
    * `ghosttape export session.tape.jsonl -o session.w.json`
    * `ghosttape export tapes --to workspace-recording -o recordings`
    * `ghosttape export session.tape.jsonl -o - | gzip > session.w.json.gz`
    """
    from tui.commands.tapes.import_export import export_tapes

    raise typer.Exit(export_tapes(tapes, given.to, given.out, force=given.force, json=json))
