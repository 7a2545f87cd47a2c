"""The commands by which the catalogue of instructions grows: pairs of solutions, what raters prefer and say, and a codebook of it."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from corpora.codealign.benchmark.benchmark_run import AlignmentOutcome
from corpora.codealign.codebook import drawn_pairs, read_pairs, read_preferences, showings, write_pairs
from corpora.codealign.codebook.coders import coded
from corpora.codealign.codebook.json_lines import read_lines
from corpora.codealign.codebook.ratings import ratings
from corpora.codealign.finders.shapes import SHAPES
from corpora.errors import DataError
from server.settings import ProviderSettings
from tui.commands.inspect.inspecting import can_draw
from tui.commands.options.chat_options import kept_chat
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import DASH, number_of, share_words
from tui.terminal_text import one_line
from tui.watching.waiting import Waiting

_PREFERENCES, _CODEBOOK = ".preferences.jsonl", ".codebook.json"


def preferences_of(pairs: Path) -> Path:
    """The file beside a file of pairs that has what raters said of them."""
    return pairs.with_name(pairs.name.removesuffix(".jsonl") + _PREFERENCES)


def draw_pairs(folders: Sequence[Path], out: Path, count: int, seed: int) -> str:
    """Draw pairs of passing solutions from runs of `instructions run` into a new file; returns what is to do.

    Raises:
        ConfigurationError: a folder holds no such run, or the runs have no pair.
        DataError: the file is there already.

    """
    runs = {str(folder): _outcomes(folder) for folder in folders}
    pairs = drawn_pairs(runs, count, seed)
    if not pairs:
        raise ConfigurationError(
            f"{', '.join(map(str, folders))}: no problem has two different solutions of two sources that pass its tests. Name the runs of several models, or one over problems with references"
        )
    write_pairs(out, pairs)
    return f"{number_of(len(pairs), 'pair')} in {out}. Each rater: ghosttape instructions prefer {out} --rater NAME"


def _outcomes(folder: Path) -> list[AlignmentOutcome]:
    file = folder / "tasks.jsonl"
    if not file.is_file():
        raise ConfigurationError(f"{folder}: holds no run of `ghosttape instructions run`")
    return [one for _, one in read_lines(file, AlignmentOutcome, "task of `ghosttape instructions run`")]


def prefer(file: Path, rater: str, seed: int) -> str:
    """Show pairs to a rater, where there is a terminal; returns how far the rater is.

    Raises:
        DataError: a file is malformed.

    """
    pairs, kept = read_pairs(file), preferences_of(file)
    name = rater or getpass.getuser()
    shown = showings(pairs, name, seed)
    if can_draw():
        from tui.rating.preferring import PreferringApp

        PreferringApp(shown, kept, name).run()
    said = read_preferences(kept) if kept.exists() else []
    done = sum(one.rater == name for one in said)
    return f"{one_line(name)}: {done} of {len(shown)} pairs answered in {kept}"


def rated(file: Path, may_differ: int) -> dict[str, Any]:
    """What raters said of the pairs of a file, as `corpora.codealign.codebook.ratings.ratings` has it.

    Raises:
        DataError: a file is malformed, or nobody has said anything.

    """
    pairs, kept = read_pairs(file), preferences_of(file)
    if not kept.exists():
        raise DataError(kept, 0, f"is not there: nobody has rated {file} (`ghosttape instructions prefer {file}`)")
    return ratings(read_preferences(kept), pairs, may_differ=may_differ)


def show_ratings(document: Mapping[str, Any]) -> None:
    """Print the raters, whom they prefer, how far they agree, and what they ask for."""
    console = SafeConsole()
    table = Table("rater", "rated", "again", "differs", "", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name, one in document["raters"].items():
        left_out = Text(f"left out: {one['left_out']}" if one["left_out"] else "", "yellow")
        table.add_row(Text(one_line(name)), f"{one['done']:,}", f"{one['repeated']:,}", f"{one['differ']:,}", left_out)
    console.print(table)
    for source, figure in document["preferred"].items():
        console.print(Text(f"  {one_line(source)} preferred: {share_words(figure) or DASH}"))
    if document["left"]["n"]:
        console.print(
            f"  the left one chosen: {share_words(document['left']) or DASH} (a half, if places do not matter)"
        )
    for one in document["agreement"]:
        pairs = number_of(one["kappa"]["n"], "pair")
        console.print(
            Text(f"  {' and '.join(map(one_line, one['raters']))}: kappa {kappa_words(one['kappa'])} over {pairs}")
        )
    asks = document["asks"]
    if asks:
        console.print(Text(f"\n{number_of(len(asks), 'instruction')} of raters who count:", "bold"))
    for one in asks:
        console.print(Text(f"  {one_line(one['text'])}"))


def kappa_words(figure: Mapping[str, Any]) -> str:
    """A kappa with its interval, as `0.62 (0.41 to 0.83)`."""
    if figure["value"] is None:
        return "has no value (one answer only)"
    ends = "" if figure["low"] is None else f" ({figure['low']:.2f} to {figure['high']:.2f})"
    return f"{figure['value']:.2f}{ends}"


async def make_codebook(
    file: Path,
    coder: ProviderSettings,
    second: ProviderSettings,
    out: Path | None,
    *,
    may_differ: int,
    require_recorded: bool,
) -> dict[str, Any]:
    """Code what raters said, twice; the document and every exchange are kept beside the pairs, or at `out`.

    Raises:
        DataError: a file is malformed, or no rater who counts has told an author anything.
        ProviderMissing, ProviderError: a provider failed; what it said is kept.

    """
    asks = rated(file, may_differ)["asks"]
    if not asks:
        raise DataError(
            preferences_of(file),
            0,
            "has no instruction of a rater who counts (`ghosttape instructions ratings` says who does)",
        )
    place = out or file.with_name(file.name.removesuffix(".jsonl") + _CODEBOOK)
    place.parent.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        one, other = [
            await kept_chat(stack, settings, place.with_suffix(f".{name}.jsonl"), require_recorded=require_recorded)
            for name, settings in (("first", coder), ("second", second))
        ]
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "codebook"))
        found = await coded([ask["text"] for ask in asks], one, other, waiting.show)
    names = [f"{each.name} {each.model}".strip() for each in (coder, second)]
    document = {"coders_are": names, **found, "out": str(place)}
    place.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return document


def show_codebook(document: Mapping[str, Any]) -> None:
    """Print the codes with how often each was given, what could not be coded, and how far the coders agree."""
    console = SafeConsole()
    table = Table("texts", "again", "code", "type", "", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for one in document["codes"]:
        known = Text("in the catalogue", "dim") if one["known"] else Text(one_line(one["ask"]))
        table.add_row(f"{len(one['texts']):,}", f"{one['again']:,}", Text(one["id"]), one["type"], known)
    console.print(table)
    for name, coder in zip(document["coders_are"], document["coders"], strict=True):
        if coder["uncoded"]:
            texts = f"{coder['uncoded']:,} of {number_of(document['texts'], 'text')} without a code that could be read"
            console.print(Text(f"{one_line(name)}: {texts}", "yellow"))
    pairs = number_of(document["agreement"]["n"], "text")
    console.print(f"Agreement of the two coders: kappa {kappa_words(document['agreement'])} over {pairs}")
    console.print(Text(f"All of it: {document['out']}", "dim"))


def export_codes(document: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write each new code as an instruction of one's own, which a judge verifies; those whose file is there are left as they are. Returns the files that were written.

    Raises:
        ConfigurationError: the folder cannot be written to.

    """
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in document["codes"]:
            file = folder / f"{one['id']}.toml"
            if not one["known"] and not file.exists():
                file.write_text(_instruction_file(one), "utf-8")
                written.append(file)
    except OSError as error:
        raise ConfigurationError(f"{folder}: cannot be written to: {error.strerror}") from error
    return written


def _instruction_file(code: Mapping[str, Any]) -> str:
    asks: Iterable[str] = dict.fromkeys([code["ask"], *code["texts"]])
    members = {"asks": list(asks), "type": code["type"], "rubric": code["ask"], "languages": list(SHAPES)}
    return msgspec.toml.encode(members).decode()
