"""The arguments of `import` and `export`, which turn recordings of other tools into tapes and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.commands.options.flags import JsonFlag
from tui.outcome import guarded


@guarded
def import_(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Recordings of other tools, as files or folders; with --check also tapes."),
    ] = None,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the tapes (default: the current one).")
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="Format of the recordings: auto (decided by content), workspaceRecording@1.0, crowd-code@1, crowd-code@2, progsnap2.",
        ),
    ] = "auto",
    check: Annotated[bool, typer.Option("--check", help="Only check tapes and recordings; write nothing.")] = False,
    from_git: Annotated[
        str | None, typer.Option("--from-git", metavar="REPO", help="Type the commits of this git repository instead.")
    ] = None,
    revisions: Annotated[
        str | None,
        typer.Option("--range", metavar="A..B", help="With --from-git: the commits after A up to B, or one commit."),
    ] = None,
    last: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="With --from-git: the newest N commits that give a tape (default: 10, if nothing else chooses commits).",
        ),
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="With --from-git: commits since a date, as git reads dates.")
    ] = None,
    author: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="With --from-git: commits whose author's name or address has this (as git log --author).",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="With --from-git: N commits, drawn by --seed from those that give a tape."
        ),
    ] = None,
    merges: Annotated[
        str | None,
        typer.Option(
            metavar="all|first-parent",
            help="With --from-git: take the commits that merges brought in, and leave the merges out (all, the default); or "
            "type each merge as one session (first-parent).",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="With --from-git: seed of everything random (default: 0).")] = None,
    characters: Annotated[
        int | None,
        typer.Option(min=1, help="With --from-git: leave out commits with more to type (default: 20,000)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace other tapes of the same name.")] = False,
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
    from tui.commands.tapes import importing
    from tui.commands.tapes.history import HistoryFlags

    request = importing.request_of(
        files or [],
        out,
        form,
        check=check,
        force=force,
        history=HistoryFlags(from_git, revisions, last, since, author, sample, merges, seed, characters),
    )
    raise typer.Exit(request.run(json=json))


@guarded
def export(
    tapes: Annotated[list[Path], typer.Argument(help="Tapes, or folders of tapes.")],
    *,
    to: Annotated[
        str, typer.Option(help="workspace-recording: Copilot's workspaceRecording@1.0.")
    ] = "workspace-recording",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Required: a folder for the recordings, a file NAME.json for one tape, or - to print one recording.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files of the same name.")] = False,
    json: JsonFlag = False,
) -> None:
    """Turn tapes into recordings that other tools can read. Imported again, they are the same tapes.

    Examples:
    * `ghosttape export session.tape.jsonl -o session.w.json`
    * `ghosttape export tapes --to workspace-recording -o recordings`
    * `ghosttape export session.tape.jsonl -o - | gzip > session.w.json.gz`
    """
    from tui.commands.tapes.importing import export_tapes

    raise typer.Exit(export_tapes(tapes, to, out, force=force, json=json))
