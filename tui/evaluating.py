"""The command `evaluate`: a corpus in, progress on standard error, the table and the summary out."""

from __future__ import annotations

import logging
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from rich.console import Console

from corpora.corpus import Corpus, chosen, corpus_of
from corpora.evaluation import Evaluation
from corpora.options import LENGTH, Options
from replay.options import Options as ReplayOptions
from replay.store import Store
from runners.errors import MachineFails
from server.settings import ProviderSettings, explained
from tui.configuration import of_flag, repairs_of, settings_of
from tui.errors import ConfigurationError
from tui.inspecting import RUNS
from tui.progress import Progress
from tui.replaying import end_on_sigterm, fresh

ALIASES: Mapping[str, str] = MappingProxyType(
    {"c_sharp": "csharp", "c#": "csharp", "c++": "cpp", "js": "javascript", "ts": "typescript", "py": "python"}
)
"""Other names of languages that a person may know them by."""


def options_of(settings: str, flags: Mapping[str, Any], repairs: str, **rest: Any) -> Options:
    """The options of an evaluation. Answers may have `LENGTH` tokens, unless the settings name a number of their own.

    Raises:
        SettingsError, ConfigurationError: a flag is malformed or names something unknown.

    """
    if rest["published"]:
        if flags.get("name") not in {"", "recorded"} or flags.get("answers"):
            raise ConfigurationError(
                "--published takes the answers from the corpus: leave --provider and --answers out"
            )
        flags = {**flags, "name": "recorded"}
    chosen = msgspec.to_builtins(settings_of(settings, flags)) | {"repairs": repairs_of(repairs)}
    if chosen["provider"]["max_tokens"] == ProviderSettings().max_tokens:
        chosen["provider"]["max_tokens"] = LENGTH
    try:
        return msgspec.convert({"settings": chosen, **rest}, Options)
    except msgspec.ValidationError as error:
        raise ConfigurationError(of_flag(explained(error, Options))) from error


def words(text: str) -> tuple[str, ...]:
    """The words of a flag that takes several, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


async def run(options: Options, out: Path | None, *, quiet: bool) -> dict[str, Any]:
    """Evaluate and show; a folder that holds a run of the same configuration is continued. With `quiet` nothing is printed.

    Raises:
        MachineFails: the machine fails again and again; says how to go on.
        StoreError: the folder holds another run.

    """
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    end_on_sigterm()
    corpus = corpus_of(options.corpus, Path(options.data))
    options = _spelt_out(options, corpus)
    folder = out or fresh(RUNS / f"{time.strftime('%Y%m%d-%H%M%S')}-{options.corpus}-{_provider(options)}")
    shown = ReplayOptions(sandbox=options.sandbox, tests=options.tests)
    with (
        Store.continued(folder, _config(options)) as store,
        Progress(Console(stderr=True), shown) as progress,
    ):
        try:
            summary = await Evaluation(options, corpus, store, progress.listen).evaluate()
        except MachineFails as error:
            raise MachineFails(f"{error}\n{_kept_in(folder)} goes on from there.") from error
    if not quiet:
        show(summary, folder)
    if lost := summary["verdicts"].get("infrastructure", 0):
        said = f"{lost:,} answers could not be tested here, which is not their fault, and count nowhere."
        Console(stderr=True).print(
            f"{said}\n{_kept_in(folder)} tests them.", style="yellow", highlight=False, soft_wrap=True
        )
    return summary


def _kept_in(folder: Path) -> str:
    return f"What was finished is kept: the same command with --out {shlex.quote(str(folder))}"


def show(summary: Mapping[str, Any], folder: Path) -> None:
    """Print the table, and how to look closer."""
    from tui.scores import scores_table

    console = Console()
    console.print(scores_table(summary))
    console.print(
        f"Every task of this run, with the prompt, the program and its log:\n  ghosttape tui {folder}",
        style="bold",
        highlight=False,
    )


def _spelt_out(options: Options, corpus: Corpus) -> Options:
    """Options in which languages and categories are named in the corpus' own words, all of them if none was."""
    languages = chosen(options.languages, corpus.languages, "language", ALIASES)
    categories = chosen(options.categories, corpus.categories, "category", {})
    return msgspec.structs.replace(options, languages=languages, categories=categories)


def _provider(options: Options) -> str:
    return options.published or str(options.settings["provider"]["name"])


def _config(options: Options) -> dict[str, Any]:
    """The options as they are kept beside the run; where the data lies changes no result."""
    values = msgspec.to_builtins(options)
    return {key: value for key, value in values.items() if key != "data"}
