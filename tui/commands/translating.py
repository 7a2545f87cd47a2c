"""The command `instructions translate`: problems in Python as problems in other languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from corpora.standalone import read_problems
from corpora.standalone.translating import translated
from replay.run.engine import cache_folder
from runners.programs import cold
from runners.sandboxes import pick
from server.settings import ProviderSettings
from tui.commands.options.chat_options import kept_chat
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of
from tui.watching.waiting import Waiting

_LANGUAGES = ("java", "javascript")


@dataclass(frozen=True, slots=True)
class TranslatedProblems:
    """What is translated, by whom, and where it is kept."""

    data: Path
    out: Path
    languages: Sequence[str]
    provider: ProviderSettings
    limit: int | None = None
    sandbox: str = "auto"
    require_recorded: bool = False


def languages_named(words: str) -> tuple[str, ...]:
    """The languages of `--to`.

    Raises:
        ConfigurationError: there is none, or one that problems are not translated into.

    """
    named = tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
    if not named or set(named) - set(_LANGUAGES):
        raise ConfigurationError(f"--to {words!r}: choose of {', '.join(_LANGUAGES)}")
    return named


async def translate(asked: TranslatedProblems) -> dict[str, Any]:
    """Translate, and write the problems whose translations pass; the same command goes on where it was stopped, from the record beside `out`.

    Raises:
        DataError: the problems cannot be read.
        ConfigurationError: `out` is the file that is read, or cannot be written.
        ProviderMissing, ProviderError: the provider failed.
        SandboxMissing: no sandbox works here.

    """
    if asked.out.resolve() == asked.data.resolve():
        raise ConfigurationError(f"--out {asked.out} is the file of the problems: name another one")
    problems = read_problems(asked.data).problems[: asked.limit]
    sandbox = pick(asked.sandbox)
    try:
        asked.out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--out {asked.out}: cannot be written: {error.strerror}") from error
    async with AsyncExitStack() as stack:
        kept = asked.out.with_suffix(".answers.jsonl")
        chat = await kept_chat(stack, asked.provider, kept, require_recorded=asked.require_recorded)
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "translating"))
        programs = await cold(sandbox, cache_folder(), waiting.show)
        stack.push_async_callback(programs.close)
        made = await translated(problems, asked.languages, chat, programs, waiting.show)
    try:
        asked.out.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in made.problems))
    except OSError as error:
        raise ConfigurationError(f"--out {asked.out}: cannot be written: {error.strerror}") from error
    by_language = Counter(one.language for one in made.problems)
    return {
        "problems": len(problems),
        "translated": {name: by_language[name] for name in asked.languages},
        "left_out": made.left_out,
        "out": str(asked.out),
    }


def show_translations(document: Mapping[str, Any]) -> None:
    """Print how many problems there are in each language, and why others are left out."""
    console = SafeConsole()
    for language, number in document["translated"].items():
        console.print(f"{language}: {number:,} of {number_of(document['problems'], 'problem')}")
    for why, number in Counter(document["left_out"].values()).most_common():
        console.print(f"  {number:,} left out: {why}", style="yellow")
    console.print(f"ghosttape instructions run {document['out']}", style="bold", highlight=False)
