"""The command `try`: a repository in, a replay of its last commits out."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import signal
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import tomli_w
from rich.table import Table
from rich.text import Text

from corpora.history.environments import Said
from corpora.history.repository.commit_selection import CommitSelection
from corpora.history.repository.commits import Repository, Unreadable
from replay.options import FolderTests, ReplayOptions
from replay.run.folders import RUNS, refuse_in_use
from replay.run.guard import probe_provider
from replay.run.sources.tape_source import TapeSource, check_paths
from replay.run.store import Store
from replay.run.summary import summarise_replay
from replay.tapes.tape import Tests
from runners.environments import Assumption, NotTestable, package_name
from runners.errors import ToolchainMissing
from runners.sandboxes import pick
from server.providers import registry
from tui.commands.options.configuration import FILE, File, file_of, parsed_file
from tui.commands.quickstart.model_advice import AskFlags, FinderAdvice, refuse_unable
from tui.commands.quickstart.repository import address_of, local_folder, name_of
from tui.commands.quickstart.sessions import Sessions
from tui.commands.quickstart.way_search import FoundTests, TestFinder
from tui.commands.runs.engine_run import run_sources
from tui.commands.runs.replaying import show
from tui.console import SafeConsole
from tui.errors import ConfigurationError, InterruptedRunError, TuiError
from tui.outcome import ExitStatus
from tui.summary_figures import number_of
from tui.terminal_text import one_line, shorten

# What was found out about a project's tests, as a `ghosttape.toml` that a person can correct.

_SEPARATOR = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What might end a comment: a repository names what stands in it."""


def file_text(tests: Tests, assumptions: Sequence[Assumption], repository: str = "") -> str:
    """The text of the file: `[tests]`, with what was taken for granted as comments over it, and the `repository` that it is of if it lies elsewhere."""
    lines = [
        "# How this project is tested, as `ghosttape try` found it. What stands here counts before what a tape says; flags count before both."
    ]
    for each in assumptions:
        source = f" ({each.source})" if each.source else ""
        lines.append(f"# - {_SEPARATOR.sub(' ', one_line(each.said + source))}")
    said = {"repository": repository} if repository else {}
    return "\n".join(lines) + "\n\n" + tomli_w.dumps(said | {"tests": _members(tests)}, multiline_strings=False)


def save(tests: Tests, assumptions: Sequence[Assumption], repository: str = "", folder: Path = Path()) -> Path:
    """Write the file, of a `repository` if that lies elsewhere; one that is there already is not replaced, and is fine if it says the same.

    Raises:
        ConfigurationError: there is one, or it cannot be written.

    """
    target = folder / FILE
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(file_text(tests, assumptions, repository))
    except FileExistsError as error:
        if _says(target, tests):
            return target
        raise ConfigurationError(
            f"{target} is there already: put [tests] into it yourself, or move it away:\n{file_text(tests, (), repository)}"
        ) from error
    except OSError as error:
        raise ConfigurationError(f"{target} cannot be written: {error.strerror}") from error
    return target


def _says(file: Path, tests: Tests) -> bool:
    """Whether a file that is there says the same of the tests."""
    try:
        own = tomllib.loads(file.read_text("utf-8")).get("tests")
    except (OSError, ValueError):
        return False
    return own == _members(tests)


def _members(tests: Tests) -> dict[str, Any]:
    return {
        name: value
        for name, value in msgspec.json.decode(msgspec.json.encode(tests)).items()
        if value not in ("", [], ".")
    }


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


# Which `ghosttape.toml` says how the repository that is tried is tested: its own, or one that `--save`
# wrote for it elsewhere.


@dataclass(frozen=True, slots=True)
class FileTests:
    """What a file says of the tests."""

    tests: FolderTests | None = None
    where: str = ""
    """The file, as a person would name it; empty if none counts."""
    repository: str = ""
    """What a file that `--save` writes calls the repository: its address without user and password, or its path; empty where that file lies in it."""
    ignored: bool = False
    """Whether the current folder has a file with tests that does not count, as it is of something else."""


def file_tests(named: str, folder: Path, repository: Repository) -> FileTests:
    """The tests as a file says them: that of the current folder if it lies in the repository, or was written for it by `--save`; else the repository's own.

    `folder` holds the repository. Of a clone of an address its newest commit is read.

    Raises:
        ConfigurationError: a file is malformed.
        HistoryError: the clone lacks an object.

    """
    here, is_within = file_of(Path()), Path.cwd().resolve().is_relative_to(folder.resolve())
    path = str(folder.resolve()) if Path(named).is_dir() else address_of(named).text
    called = "" if is_within else path
    if here.tests and address_of(here.repository).text in {called, path}:
        return FileTests(here.tests, FILE, called)
    own, where = _own_file(folder, repository)
    return FileTests(own.tests, where if own.tests else "", called, ignored=here.tests is not None)


def refuse_other_file(
    found: FileTests, over: Mapping[str, Any], also: Sequence[str] = (), target: Path = Path(FILE)
) -> None:
    """Refuse, before anything is tried, to save where a file is that cannot say the same as what will be found out.

    `over` is what flags say in the place of members of the tests, and `also` are packages that they add.

    Raises:
        ConfigurationError: there is such a file.

    """
    if not target.exists():
        return
    said = found.tests.named if found.tests and found.where == FILE else {}
    differs = any(said.get(name) != over[name] for name in over) or _adds(also, said.get("requires", ()))
    if differs or not {"toolchain", "command", "timeout_s"} <= said.keys():
        raise ConfigurationError(
            f"--save would write {target}, which is there already and says something else: move it away, or leave --save out"
        )


def _adds(also: Sequence[str], required: Sequence[str]) -> bool:
    """Whether packages that are added change what is required; one takes the place of the same one with other versions, at the end."""
    added = {package_name(item) for item in also}
    return (*(item for item in required if package_name(item) not in added), *dict.fromkeys(also)) != tuple(required)


def _own_file(folder: Path, repository: Repository) -> tuple[File, str]:
    """The file at the top of a repository, and its name: as it lies there, or as the newest commit of a bare one has it."""
    if (folder / ".git").exists():
        return file_of(folder), str(folder / FILE)
    where = f"{FILE} of {repository.name}"
    entry = repository.tree(repository.head()).get(FILE)
    text = repository.text(entry.blob) if entry is not None else ""
    if isinstance(text, Unreadable):
        raise ConfigurationError(f"{where}: it is no text: {text.reason}")
    return parsed_file(text.encode(), where), where
