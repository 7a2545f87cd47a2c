"""The command lines of `ghosttape runs` and `ghosttape compare`. Each command parses its arguments, calls one room and prints the result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.option import Option
from tui.commands.options import flags
from tui.commands.options.flags import GateFlags, command
from tui.declared_flags import Flags
from tui.outcome import guarded, print_json

app = typer.Typer(
    help="""The runs that were made here: list, show, rename, tag, delete and merge them.

Alone it lists them, the one that was written last first. A run is found by its folder, its name, a tag, a beginning of its name, or as `last`, here and in every other command.

Examples:
* `ghosttape runs`
* `ghosttape runs show last` (its table again)
* `ghosttape runs tag last baseline`, then `ghosttape compare baseline last`
* `ghosttape runs rename 20260131-120000-gguf-blocks-3f9a small-model`""",
    rich_markup_mode="markdown",
)


@app.callback(invoke_without_command=True)
@guarded
def runs(
    context: typer.Context,
    *,
    tag: Annotated[str, typer.Option(metavar="TAG", help="Only the run with this tag.")] = "",
    json: flags.JsonFlag = False,
) -> None:
    """The runs that were made here: list, show, rename, tag, delete and merge them."""
    if context.invoked_subcommand:
        return
    from tui.commands.managing.runs_command import listed, show_list

    entries = listed(tag)
    print_json({"runs": entries}) if json else show_list(entries)


@command(app)
def show(run: flags.RunName = "last", *, json: flags.JsonFlag = False, gated: GateFlags) -> None:
    """Print the table of a finished run again, or its summary as JSON; and check its gates, if there are any.

    Examples:
    * `ghosttape runs show`
    * `ghosttape runs show baseline --json`
    * `ghosttape runs show --fail-under pass_at_1=0.30 --fail-under latency_p95=800`
    """
    from replay.run.catalogue.run_lookup import find_run
    from tui.commands.gating import Gates
    from tui.commands.managing.runs_command import finished_summary, show_run

    folder = find_run(run)
    gates = Gates.of(gated, run=folder)
    summary = finished_summary(folder)
    if not json:
        show_run(summary, folder)
    status = gates.check(summary, json=json)
    if json:
        print_json(summary)
    raise typer.Exit(status)


@command(app)
def rename(run: flags.RunName, name: Annotated[str, typer.Argument(help="Its new name.")]) -> None:
    """Rename a run: its folder stays where it is, and gets another name.

    Example: `ghosttape runs rename last before-the-change`
    """
    from replay.run.catalogue.changing import rename_run
    from replay.run.catalogue.run_lookup import find_run

    typer.echo(str(rename_run(find_run(run), name)))


@command(app)
def tag(run: flags.RunName, tag: Annotated[str, typer.Argument(help="The tag.")]) -> None:
    """Tag a run, so that it is found by the tag. A tag belongs to one run: from another it is taken away.

    Example: `ghosttape runs tag last baseline`
    """
    from replay.run.catalogue.changing import tag_run
    from replay.run.catalogue.run_lookup import find_run, run_name

    folder = find_run(run)
    before = tag_run(folder, tag)
    typer.echo(f"{run_name(folder)} has the tag {tag}" + (f", and {run_name(before)} no more" if before else ""))


@command(app)
def untag(run: flags.RunName, tag: Annotated[str, typer.Argument(help="The tag.")]) -> None:
    """Take a tag from a run.

    Example: `ghosttape runs untag last baseline`
    """
    from replay.run.catalogue.changing import untag_run
    from replay.run.catalogue.run_lookup import find_run

    untag_run(find_run(run), tag)


@command(app)
def delete(
    runs: Annotated[list[str], typer.Argument(help="The runs, each by folder, name or tag.", metavar="RUN…")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without a question.")] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Also a run that a process is writing, or whose folder holds other files too."),
    ] = False,
) -> None:
    """Delete runs for good, after a question.

    Example: `ghosttape runs delete 20260131-120000-gguf-blocks-3f9a`
    """
    from tui.commands.managing.runs_command import delete as delete_runs

    delete_runs(runs, yes=yes, force=force)


@command(app)
def merge(
    out: Annotated[str, typer.Argument(help="The name of the merged run, or the path of its folder.")],
    parts: Annotated[list[str], typer.Argument(help="The parts, each by folder, name or tag.", metavar="PART…")],
    *,
    same_model: Annotated[
        bool, typer.Option("--same-model", help="Parts may differ in the base URL or the folder of their model.")
    ] = False,
    json: flags.JsonFlag = False,
) -> None:
    """Put parts of one run together that were made on several machines: other tapes, paths, moments, languages or categories, one configuration.

    Each moment counts once. Where parts disagree on one, the first part counts, and it is said. Parts of different configurations are refused.

    Examples:
    * `ghosttape runs merge whole part-1 part-2`
    * `ghosttape runs merge whole ~/from-a/run ~/from-b/run`, then `ghosttape runs show whole`
    * `ghosttape runs merge whole part-1 part-2 --same-model`: each machine has the model at an address of its own
    """
    from tui.commands.managing.merge_command import as_document, merged, tell

    found = merged(out, parts, same_model=same_model)
    print_json(as_document(found)) if json else tell(found)


class CompareFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of `compare`."""

    cluster_by: Annotated[str, Option(metavar="hole|function|tape|program")] = ""
    """Which moments are not independent, as of replay; without it what the runs themselves go by (of several the largest)."""
    difference: Annotated[float, Option(min=0.0, max=100.0, metavar="POINTS")] = 5.0
    """The least difference that matters, in percentage points."""
    changed: Annotated[int, Option(min=0, metavar="N")] = 3
    """How many of the moments that changed are shown with both answers."""
    screen: Annotated[bool, Option(flag="--tui")] = False
    """Show the two runs side by side: the moments that changed, both suggestions, both logs."""
    markdown: bool = False
    """Print Markdown, as for a pull request."""
    html: Annotated[Path | None, Option(metavar="FILE")] = None
    """Also write it as a page of HTML: a report of the runs, with this comparison in it."""


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…",
            help="Two runs or more: each by its folder, its name, a tag, or `last`; `a,b` takes runs together, as those of one model under two policies.",
        ),
    ],
    *,
    given: CompareFlags,
    json: flags.JsonFlag = False,
    gated: GateFlags,
) -> None:
    """Say which of several runs over the same moments is better, where, and how sure that is: each is compared with the first.

    Examples:
    * `ghosttape compare baseline last`
    * `ghosttape compare small medium large` (medium and large, each with small)
    * `ghosttape compare baseline last --tui` (each moment that changed, side by side)
    * `ghosttape compare baseline last --markdown > comment.md` (for a pull request)
    * `ghosttape compare baseline last --html compared.html` (to send round)
    * `ghosttape compare small-blocks,small-vscode large-blocks,large-vscode` (two models, each under two policies, also by policy)
    * `ghosttape compare baseline last --fail-if-worse-than baseline` (in CI; gates are of the run that is named last)
    """
    from tui.commands.gating import Gates, check_last
    from tui.commands.inspect.comparing import check_page, clusters, compare_command, sides_of, write_page

    sides, by = sides_of(runs), clusters(given.cluster_by)
    gates = Gates.of(gated, run=sides[-1][-1])
    if gates.are_any and any(len(side) > 1 for side in sides):
        raise typer.BadParameter("gates are of one run: name single runs, or check each with `ghosttape runs show`")
    if given.html:
        check_page(sides, given.html, screen=given.screen)
    found = compare_command(
        sides,
        given.cluster_by,
        given.difference / 100,
        changed=given.changed,
        screen=given.screen,
        markdown=given.markdown,
        json=json,
    )
    if given.html:
        write_page(sides, found, given.html)
    status = check_last(gates, [side[0] for side in sides], found, json=json or given.markdown, by=by)
    if json:
        print_json(found)
    raise typer.Exit(status)
