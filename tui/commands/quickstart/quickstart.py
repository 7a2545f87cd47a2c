"""The command `try`: a repository in, a replay of its last commits out."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from rich.table import Table
from rich.text import Text

from corpora.history.environments import Said
from corpora.history.repository.commits import Repository
from corpora.history.repository.selection import CommitSelection
from replay.options import ReplayOptions
from replay.run.folders import RUNS, refuse_in_use
from replay.run.guard import probe_provider
from replay.run.sources.tape_source import TapeSource, check_paths
from replay.run.store import Store
from replay.run.summary import summarise_replay
from runners.environments import NotTestable
from runners.errors import ToolchainMissing
from runners.sandboxes import pick
from server.providers import registry
from tui.commands.options.configuration import FILE
from tui.commands.quickstart.asking import AskFlags, FinderAdvice, refuse_unable
from tui.commands.quickstart.file_tests import FileTests, file_tests, refuse_other_file
from tui.commands.quickstart.finding import FoundTests, TestFinder
from tui.commands.quickstart.repository import local_folder, name_of
from tui.commands.quickstart.saving import save
from tui.commands.quickstart.sessions import Sessions
from tui.commands.runs.replaying import show
from tui.commands.runs.running import run_sources
from tui.console import SafeConsole
from tui.errors import ConfigurationError, InterruptedRunError, TuiError
from tui.figures import number_of
from tui.outcome import ExitStatus
from tui.terminal_text import one_line, shorten

PLACE = Path(".ghosttape/try")
_WIDTH = 400
"""What is taken for granted is shortened to so many cells a line; the file that `--save` writes has all of it."""
_CORRECTED = frozenset({"toolchain", "setup", "command", "cwd", "requires"})
"""Members of the tests that, said wrongly in a file, make tests fail."""

_STOPPED = "interrupted before the first session was replayed: what was found out is kept, and the same command goes on"


@dataclass(frozen=True, slots=True)
class TryRequest:
    """The arguments of `ghosttape try`."""

    repository: str
    """A folder, or the address of a repository."""
    selection: CommitSelection
    options: ReplayOptions
    """How the sessions are replayed; what they say of tests counts over what is found out."""
    save: bool
    out: Path | None
    quiet: bool
    asking: AskFlags = field(default_factory=AskFlags)
    """Whether a model is asked where no way is found."""
    timeout_s: float | None = None
    """How long a run of the tests may take (s); None: as it is found out."""
    again: bool = False
    """Whether ways to test it that failed before are tried anew."""


async def try_repository(request: TryRequest) -> dict[str, Any]:
    """Find out how a repository is tested, type its commits and replay them; the summary of the replay as one JSON document.

    Raises:
        TuiError, CorpusError, ReplayError, RunnerError: the repository cannot be read or tested, or the run cannot be made; says what to do.
        InterruptedRunError: it was stopped; the same command goes on.

    """
    _require_sandbox(request.options)
    refuse_unable(request.asking, request.options)
    if request.out is not None:
        refuse_in_use(request.out)
    _end_on_sigterm()
    try:
        sources, name = await _prepared(request)
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        raise InterruptedRunError(_STOPPED) from error
    return await _replayed(request, sources, name)


async def _prepared(request: TryRequest) -> tuple[list[TapeSource], str]:
    """The sessions to replay, and the name of the repository."""
    warning = await _checked_provider(request.options)
    sandbox, console = pick(request.options.sandbox), SafeConsole(stderr=True)
    if warning:
        _say(console, warning, "yellow")
    folder = await local_folder(request.repository)
    with Repository(str(folder), name_of(request.repository, folder)) as repository:
        _say(console, f"{repository.name}: how is it tested?")
        place, own = PLACE / repository.name, _own_tests(console, request, folder, repository)
        finder = TestFinder(
            repository,
            _said(request.options, own, request.timeout_s),
            sandbox,
            place,
            lambda text: _say(console, f"  {text}", "dim"),
            request.again,
        )
        found = await _found(request, finder, lambda text: _say(console, text))
        _tell(console, found)
        if request.save:
            written = save(found.tests.found, found.tests.works.assumptions, own.repository)
            _say(console, f"written: {written}")
        said = found.tests.said
        options = msgspec.structs.replace(request.options, network_setup=said.network)
        sessions = Sessions(replace(finder, said=said), found, options, lambda text: _say(console, text))
        sources = await sessions.make(place)
    return sources, repository.name


async def _found(request: TryRequest, finder: TestFinder, say: Callable[[str], None]) -> FoundTests:
    """How the project is tested: by rules, else as a model proposes, if it may be asked."""
    try:
        return await finder.find(request.selection, request.options.seed)
    except NotTestable as error:
        advice = FinderAdvice(finder, request.options, request.asking, say)
        found = await advice.found(request.selection, error) if request.asking.ask else None
        if found is None:
            raise _not_testable(finder.repository.name, error, finder.said.origins) from error
        return found


def _end_on_sigterm() -> None:
    """End on SIGTERM as on Ctrl-C, so that nothing that was started stays behind."""
    if (task := asyncio.current_task()) is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


async def _checked_provider(options: ReplayOptions) -> str:
    """Find out before anything is tried whether the provider is known and answers; a warning, or nothing.

    Raises:
        ServerRoomError, ProviderFailsError: it is not known, lacks what it needs, or cannot answer.

    """
    if not options.answers_are_known:
        registry.make(options.settings.provider)
    return await probe_provider(options, PLACE)


def _require_sandbox(options: ReplayOptions) -> None:
    if options.sandbox == "none" and "command" not in options.tests_over:
        raise ConfigurationError(
            "--sandbox none would run the commands of this repository as you: if that is meant, say them yourself with --test-command"
        )


def _own_tests(console: SafeConsole, request: TryRequest, folder: Path, repository: Repository) -> FileTests:
    """What a `ghosttape.toml` says of the tests, and on the screen that one does not count."""
    own = file_tests(request.repository, folder, repository)
    if request.save:
        refuse_other_file(own, _by_flags(request.options, request.timeout_s), request.options.also_requires)
    named = own.tests.named.keys() if own.tests is not None else set()
    if (
        request.options.sandbox == "none"
        and named & {"command", "setup", "requires"} - request.options.tests_over.keys()
    ):
        raise ConfigurationError(
            f"--sandbox none would run what {own.where} names as you: if that is meant, say it yourself with flags, and move the file away"
        )
    if own.ignored:
        _say(
            console, f"  [tests] of {FILE} in the current folder does not count: it is not of this repository", "yellow"
        )
    return own


def _by_flags(options: ReplayOptions, timeout_s: float | None) -> dict[str, Any]:
    """The members of the tests that flags say."""
    said: dict[str, Any] = {str(name): value for name, value in options.tests_over.items()}
    return said | ({} if timeout_s is None else {"timeout_s": timeout_s})


def _said(options: ReplayOptions, own: FileTests, timeout_s: float | None) -> Said:
    by_file = own.tests.named if own.tests is not None else {}
    by_flag = _by_flags(options, timeout_s)
    origins = {name: own.where for name in by_file if name not in by_flag}
    variables = {name: os.environ[name] for name in options.setup_env if name in os.environ}
    return Said(
        by_file | by_flag, options.also_requires, options.network_setup, variables, origins, options.sandbox != "none"
    )


def _not_testable(name: str, error: NotTestable, origins: Mapping[str, str]) -> TuiError | ToolchainMissing:
    """The error for a person: what was tried, and what to do; what to install, if that is all that is missing. `origins`: the file that says a member of the tests."""
    if error.trials and all(each.is_toolchain_missing for each in error.trials):
        return ToolchainMissing(f"{name} cannot be tested here: {'; '.join(map(one_line, error.remedies))}")
    tried = [
        f"  tried: {shorten(one_line(each.candidate.plan.command), _WIDTH)}\n    {shorten(one_line(each.problem), _WIDTH)}"
        for each in error.trials
    ]
    in_files = (f"{each} is as {file} says: correct it there" for each, file in origins.items() if each in _CORRECTED)
    return TuiError(
        "\n".join(
            [
                f"{name} cannot be tested here{':' if tried else '.'}",
                *tried,
                "What helps:",
                *(f"  - {one_line(each)}" for each in (*in_files, *error.remedies)),
            ]
        )
    )


def _tell(console: SafeConsole, found: FoundTests) -> None:
    """Print what is taken for granted, each with the flag that changes it."""
    tests = found.tests
    passed = (
        f"{number_of(tests.passed, 'test')} {'passes' if tests.passed == 1 else 'pass'}"
        if tests.passed
        else "the tests pass"
    )
    _say(console, f"{passed} at {found.commit[:10]}, in {tests.wall_ms / 1000:.1f} s. Taken for granted:", "bold")
    for each in tests.works.assumptions:
        hint = "; ".join(filter(None, (each.source, f"change it with {each.flag}" if each.flag else "")))
        _say_point(console, f"{shorten(one_line(each.said), _WIDTH)}" + (f" ({hint})" if hint else ""))
    if found.passed_over:
        _say_point(console, shorten(found.passed_over, _WIDTH), "yellow")
    if found.moved:
        _say_point(console, f"{found.moved} (choose others with --range)", "yellow")


async def _replayed(request: TryRequest, sources: list[TapeSource], name: str) -> dict[str, Any]:
    options = sources[0].options
    check_paths([source.tape for source in sources], options.paths)
    folder = request.out or RUNS / f"try-{name}-{_digest(options, sources)}"
    complete = None if request.out else complete_run(folder, options.cluster_by)
    if complete is not None:
        when = datetime.fromtimestamp((folder / "run.sqlite").stat().st_mtime).astimezone()
        held = f"{number_of(complete['moments'], 'moment')}, {when:%Y-%m-%d %H:%M}"
        _say(
            SafeConsole(stderr=True),
            f"this run is complete ({held}) and is shown again: --out DIR makes another",
            "bold",
        )
    summary = complete or await _played(options, sources, folder, waits=not request.quiet)
    if not request.quiet:
        show(summary, folder)
    return summary


async def _played(options: ReplayOptions, sources: list[TapeSource], folder: Path, *, waits: bool) -> dict[str, Any]:
    summary, _ = await run_sources(options, sources, summarise_replay, folder, how_to_go_on=_how_to_go_on, waits=waits)
    return summary


def complete_run(folder: Path, cluster_by: str) -> dict[str, Any] | None:
    """The summary of a run that has nothing left to do; None if it has, if it was summed up by other clusters, or if there is none."""
    if not (folder / "run.sqlite").is_file():
        return None
    with Store.open(folder) as store:
        summary: dict[str, Any] | None = store.fact("summary")
        is_other = store.fact("cluster_by") != cluster_by or store.is_written
    is_complete = summary is not None and not summary["left_out"] and ExitStatus.of(summary) is ExitStatus.DONE
    return summary if is_complete and not is_other else None


def _digest(options: ReplayOptions, sources: list[TapeSource]) -> str:
    """What tells runs apart: the same command over the same commits goes on with the same run."""
    whole: Mapping[str, Any] = options.kept() | {"sources": [source.digest for source in sources]}
    return hashlib.sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()[:8]


def _how_to_go_on(folder: Path) -> str:
    return f"what was finished is kept in {folder}: the same command goes on from there, and `ghosttape tui {folder}` shows it"


def _say_point(console: SafeConsole, text: str, style: str = "") -> None:
    """Print a point of a list. On a terminal its further lines stand below its first words; elsewhere it is one line."""
    if not console.is_terminal:
        _say(console, f"  - {text}", style)
        return
    point = Table.grid(padding=(0, 1, 0, 0))
    point.add_row("  -", Text(text, style, overflow="fold"))
    console.print(point)


def _say(console: SafeConsole, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True)
