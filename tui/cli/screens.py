"""The commands of the screens: a run to look at, and a folder of tapes to watch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.declared_flags import Flags


class TuiFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `tui`."""

    follow: bool = False
    """Watch the run as it goes on: the document as it is typed, ghost text, and verdicts as they come."""
    web: bool = False
    """Serve the screen to a browser of this machine; the printed address holds a token, and nobody else gets in."""
    port: Annotated[int, Option(min=0, max=65535)] = 0
    """Port of --web on 127.0.0.1 (default: a free one)."""
    open_page: Annotated[bool, Option(flag="--open")] = False
    """With --web: open the address in the browser."""


def tui(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run: its folder, its name, a tag, or `last`.",
            show_default="the one that was written last",
        ),
    ] = "",
    *,
    given: TuiFlags,
) -> None:
    """Look at a run: its moments, how they ended, what was offered, what was typed, and what the tests said. Key `w` says why, `?` names all keys.

    Examples:
    * `ghosttape tui .ghosttape/runs/demo`
    * `ghosttape tui --follow .ghosttape/runs/demo` (a run that goes on, or that is about to begin)
    * `ghosttape tui --web .ghosttape/runs/demo` (in a browser of this machine)
    """
    from tui.commands.inspect import inspecting

    if not given.web and (given.port or given.open_page):
        raise typer.BadParameter("--port and --open are of --web")
    if given.web:
        inspecting.serve(run, live=given.follow, port=given.port, open_page=given.open_page)
        return
    (inspecting.follow if given.follow else inspecting.inspect)(run)


def watch(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Argument(help="Folder of tapes; it need not be there yet, and may be removed and come back.")
    ],
    *,
    live: Annotated[
        bool,
        typer.Option(
            "--live/--plain", help="The live screen, where there is a terminal; or a line for each thing that happens."
        ),
    ] = True,
) -> None:
    """Replay the tapes of a folder as they appear or grow: also one that the language server is still recording.

    The options of `ghosttape replay` can follow, but for --out and --json. A tape that is not complete yet is played as far as it goes, and one that is
    broken is named. When `ghosttape.toml` changes, every tape is replayed again. Of a tape that grows, the latest run is kept.

    Examples:
    * `ghosttape watch tapes`
    * `ghosttape watch tapes --provider openai --base-url http://127.0.0.1:8080/v1 --policy vscode`
    """
    from tui.commands.runs.supervise import watch as watch_folder

    watch_folder(folder, context.args, live=live)
