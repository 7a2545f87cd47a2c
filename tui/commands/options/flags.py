"""Flags that several commands have and no run is identified by; those of a run and of the server are declared beside their fields (`server.option`)."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import msgspec
import typer
from typer.core import TyperCommand

from corpora.evaluation_options import EvaluateOptions
from replay.options import ReplayOptions, RunOptions
from server.option import Option
from server.settings import ProviderSettings
from tui.declared_flags import Flag, Flags, Given, flags_of, is_struct
from tui.errors import ConfigurationError
from tui.outcome import guarded

# From declared flags to the parameters of commands, as typer wants them.

R = TypeVar("R")
T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class DeclaredFlags:
    """Stands beside the type of a command's parameter: of `Given` for several flags of a struct, of a value for one."""

    flags: tuple[Flag, ...]

    @classmethod
    def of(
        cls, kind: type[msgspec.Struct], *only: str, without: tuple[str, ...] = (), **defaults: Any
    ) -> DeclaredFlags:
        """The flags of a struct: all or some, by the names of their fields; some may have another default in a command."""
        chosen = [flag for flag in flags_of(kind) if flag.name not in without and (flag.name in only or not only)]
        return cls(tuple(dataclasses.replace(flag, default=defaults.get(flag.name, flag.default)) for flag in chosen))


class DeclaredCommand(TyperCommand):
    """A command that reads the help of its declared flags when it is shown."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the command and of its flags."""
        self._explain()
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete a flag, with its help beside it."""
        self._explain()
        return super().shell_complete(ctx, incomplete)

    def _explain(self) -> None:
        flags: Mapping[str, Flag] = getattr(self.callback, "flags", {})
        for parameter in self.params:
            if parameter.name in flags:
                parameter.help = flags[parameter.name].help  # type: ignore[attr-defined]


def annotation_of(flag: Flag) -> Any:
    """The type of a flag as typer reads it. Its help is read from the source, and only when it is shown (`DeclaredCommand`)."""
    option = flag.option
    declared = typer.Option(
        *filter(None, (flag.words, option.short)),
        metavar=option.metavar,
        envvar=option.env,
        min=option.min,
        max=option.max,
        rich_help_panel=option.panel or None,
    )
    return Annotated[flag.type, declared]


def parameter_of(flag: Flag) -> Parameter:
    """The parameter of a command that takes a flag."""
    default = Parameter.empty if flag.default is msgspec.NODEFAULT else flag.default
    return Parameter(flag.key, Parameter.KEYWORD_ONLY, default=default, annotation=annotation_of(flag))


def command(
    app: typer.Typer, name: str | None = None, **settings: Any
) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Add a command whose parameters may be groups of flags, and whose errors end with a line and a status."""

    def add(run: Callable[..., R]) -> Callable[..., R]:
        app.command(name, cls=DeclaredCommand, **settings)(guarded(expanded(run)))
        return run

    return add


def expanded(run: Callable[..., R]) -> Callable[..., R]:
    """Give a command, in the place of each parameter that is a group of flags, these as parameters.

    A group is a struct whose fields declare flags, or `Annotated[Given, DeclaredFlags.of(…)]`.
    """
    hints = get_type_hints(run, include_extras=True)
    groups: dict[str, tuple[Callable[..., Any], list[str]]] = {}
    parameters, flags = list[Parameter](), dict[str, Flag]()
    for one in inspect.signature(run).parameters.values():
        hint = hints[one.name]
        declared = next((each for each in get_args(hint)[1:] if isinstance(each, DeclaredFlags)), None)
        if is_struct(hint) or (declared and get_origin(get_args(hint)[0]) is get_origin(Given)):
            group = {flag.key: flag for flag in (declared.flags if declared else flags_of(hint))}
            groups[one.name] = (dict if declared else functools.partial(_filled, hint), [*group])
            parameters += [parameter_of(flag) for flag in group.values()]
            flags |= group
        elif declared:
            parameters.append(one.replace(annotation=annotation_of(declared.flags[0])))
            flags[one.name] = declared.flags[0]
        else:
            parameters.append(one.replace(annotation=hint))

    @functools.wraps(run)
    def call(**given: Any) -> R:
        made = {name: make(**{key: given.pop(key) for key in keys}) for name, (make, keys) in groups.items()}
        return run(**given, **made)

    call.__signature__ = inspect.Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    call.flags = flags  # type: ignore[attr-defined]
    return call


def _filled(kind: type[T], **given: Any) -> T:
    """A struct of flags with what was given."""
    return kind(**{flag.name: flag.member(given[flag.key]) for flag in flags_of(kind)})


def warn_unused(context: typer.Context, provider: str) -> None:
    """Say on standard error which flags of the command line the provider does not look at.

    What the environment says holds for many commands, and is no mistake where one of them has no use for it.
    """
    from server.providers.registry import PROVIDERS  # with all wrappers of providers

    if provider not in PROVIDERS:  # what a provider of another package reads is not known
        return
    for flag in flags_of(ProviderSettings):
        source, readers = context.get_parameter_source(flag.key), flag.option.read_by or {provider}
        if source is not None and source.name == "COMMANDLINE" and provider not in readers and sys.stderr is not None:
            known = ", ".join(sorted(readers))
            sys.stderr.write(f"ghosttape: warning: provider {provider} does not look at {flag.words} (only {known})\n")


def _print_version(wanted: bool) -> None:
    if wanted:
        from server.version import version

        typer.echo(f"ghosttape {version()}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version, and end.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output, and nothing else.")]
Seed: TypeAlias = Annotated[int, DeclaredFlags.of(RunOptions, "seed")]
Concurrency: TypeAlias = Annotated[int, DeclaredFlags.of(RunOptions, "concurrency")]
TestSandbox: TypeAlias = Annotated[str, DeclaredFlags.of(ReplayOptions, "sandbox")]
ProgramSandbox: TypeAlias = Annotated[str, DeclaredFlags.of(EvaluateOptions, "sandbox")]
Languages: TypeAlias = Annotated[str, DeclaredFlags.of(EvaluateOptions, "languages")]
Categories: TypeAlias = Annotated[str, DeclaredFlags.of(EvaluateOptions, "categories")]
MovedProject: TypeAlias = Annotated[str, DeclaredFlags.of(EvaluateOptions, "project")]
ProviderFlags: TypeAlias = Annotated[Given, DeclaredFlags.of(ProviderSettings)]
ModelFlags: TypeAlias = Annotated[Given, DeclaredFlags.of(ProviderSettings, "name", "model", "base_url")]
"""A model that is asked and not measured."""
SetUpRights: TypeAlias = Annotated[Given, DeclaredFlags.of(ReplayOptions, "network_setup", "setup_env")]
"""What set-up commands may have."""
Instructions = Annotated[
    str,
    typer.Option(
        "--instructions",
        metavar="IDS|FILE",
        help="Instructions of developers: ids or types parted by commas (avoid-recursion,cosmetic), a file with one on each line, or a NAME.toml of your own (docs/codealign.md).",
    ),
]
Calibrations = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="What `ghosttape judge calibrate` found of the judge, shown beside its scores; a file for each rubric, repeatable.",
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run: its folder, its name, a tag, or `last`.")]
RunFolder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the run (default: a new one in .ghosttape/runs); a run that was stopped goes on.",
        rich_help_panel="Output",
    ),
]
Live = Annotated[
    bool,
    typer.Option(
        "--live/--plain",
        help="Watch it on a screen: the document as it is typed, ghost text, verdicts as they come. The run is a process of its own and goes on if the screen is closed. Without a terminal, and by default, progress is a line.",
        rich_help_panel="Output",
    ),
]
CorpusName = Annotated[
    str,
    typer.Argument(
        metavar="CORPUS",
        help="The benchmark (`ghosttape corpora` lists them), or the file of a corpus of `ghosttape corpora mine` or `corpora build codev`.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of the benchmark's published data (default: what `corpora get` fetched); of codev also a file of `corpora build codev`.",
    ),
]


class ServerFlags(Flags, frozen=True, kw_only=True):
    """How the language server is set, and what becomes of the answers of the model."""

    record_answers: Annotated[Path | None, Option(metavar="FILE", panel="Model")] = None
    """Write every answer of the model to this file."""
    replay_answers: Annotated[Path | None, Option(metavar="FILE", panel="Model")] = None
    """Take answers from this file; ask the model, and write, what it lacks."""
    require_recorded: Annotated[Path | None, Option(metavar="FILE", panel="Model")] = None
    """Take every answer from this file; one that it lacks is a failure."""
    settings: Annotated[str, Option(panel="Model")] = "{}"
    """All settings of the language server as JSON; the other flags are laid over them."""

    @property
    def record(self) -> dict[str, str]:
        """The setting `record` that the flags mean; empty without any.

        Raises:
            ConfigurationError: there is more than one.

        """
        named = {"write": self.record_answers, "replay": self.replay_answers, "require": self.require_recorded}
        chosen = [{"path": str(path), "mode": mode} for mode, path in named.items() if path is not None]
        if len(chosen) > 1:
            raise ConfigurationError(
                "only one of --record-answers, --replay-answers and --require-recorded can be meant"
            )
        return chosen[0] if chosen else {}


SettingsJson: TypeAlias = Annotated[str, DeclaredFlags.of(ServerFlags, "settings")]


class ReplayFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of a replay that no run is identified by."""

    speed: Annotated[float | None, Option(panel="Output")] = None
    """Watch it: 1 is the tape's own speed, 10 ten times as fast (default: as fast as it goes). On a terminal space pauses, . steps, + and - change the speed, > skips a minute. No result changes."""
    drop_torn: Annotated[bool, Option(panel="Tapes")] = False
    """Play a tape whose last line is cut off, or still being written, without that line."""


class TryFlags(Flags, frozen=True, kw_only=True):
    """What is of `ghosttape try` alone."""

    last: Annotated[int | None, Option(min=1, metavar="N", panel="Tapes")] = None
    """The newest N commits that give a session (default: 5, or 20 of those that --since, --author or --range choose)."""
    since: Annotated[str | None, Option(metavar="DATE", panel="Tapes")] = None
    """Only commits since this date, as git reads dates."""
    author: Annotated[str | None, Option(metavar="TEXT", panel="Tapes")] = None
    """Only commits of this author, as git finds them."""
    sample: Annotated[int | None, Option(min=1, metavar="N", panel="Tapes")] = None
    """N commits, drawn by the seed."""
    revisions: Annotated[str | None, Option(flag="--range", metavar="A..B", panel="Tapes")] = None
    """The commits after A up to B, or one commit."""
    merges: Annotated[str | None, Option(metavar="all|first-parent", panel="Tapes")] = None
    """all: what merges brought in, commit by commit; first-parent: each merge as one session."""
    limit: Annotated[int, Option(min=0, metavar="N", panel="Tapes")] = 10
    """Ask at most this often in each session; 0 for all its moments."""
    save: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Write what was found out of the tests to ghosttape.toml in the current folder, to be corrected; it counts for this repository alone."""
    ask_model: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Where no rule finds out how the project is tested, ask the model of --provider (openai, ollama, anthropic). It is sent the names of the files, the texts of those that describe the project (pyproject.toml, package.json, Makefile, workflows, README, …, also setup.py, noxfile.py, build files and the configuration of test runners, which are code; at most 30,000 characters, no .env and the like, credentials covered), and what was tried with the ends of the logs. What it proposes is shown, and runs in the sandbox only after you say yes; the network is only for the set-up of a proposal that asks for it, with --allow-network-setup."""
    run_proposals: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """With --ask-model: run what is proposed without a question, in the sandbox all the same."""
    test_timeout: Annotated[float | None, Option(min=1.0, metavar="SECONDS", panel="Tests and sandbox")] = None
    """How long a run of the tests may take, when it is found out how they run and later (default: 60 s for Python and JavaScript while it is found out, which takes 100 s at most; then six times what they took). Finding out has 50 s more."""
    try_again: Annotated[bool, Option(panel="Tests and sandbox")] = False
    """Try again the ways to test the repository that failed before, for the same commit and flags."""


class EvaluateFlags(Flags, frozen=True, kw_only=True):
    """What can be chosen of an evaluation beside its options."""

    chat: Annotated[str, Option(metavar="simcopilot|codev", panel="Model")] = ""
    """Ask in a chat, in the words of this paper; codev: the whole file, as Codev-Bench asks general models, and of the answer counts what stands in its last fences (docs/codev.md)."""
    by: Annotated[str, Option(metavar="constructs,comment,reference", panel="Output")] = ""
    """Show the shares that pass by labels of the tasks too, comma-separated: constructs (what the removed code uses and is), comment (distance to the nearest comment above), reference (distance to the farthest definition that is referred to). --json always has them."""


class JudgeFlags(Flags, frozen=True, kw_only=True):
    """The model that judges, beside its provider."""

    judge_model: str = ""
    """The judge's model."""
    judge_base_url: str = ""
    """The judge's server."""
    judge_settings: str = "{}"
    """Settings of the judge, in the form of --settings ({"provider": {"temperature": 0.5}}); those of the other model never count for it."""


class GateFlags(Flags, frozen=True, kw_only=True):
    """What a run must hold, and what CI reads of it."""

    fail_under: Annotated[tuple[str, ...], Option(metavar="FIGURE=NUMBER", panel="Gates")] = ()
    """End with status 1 if a figure is surely below this: pass_at_1=0.30, passed_in_time, acceptance, keystrokes_saved, testable, moments, adherence, adherence:ID …; of latency_p50 to latency_p99 (ms), failed and infrastructure, if it is above. Repeatable (docs/gates.md)."""
    fail_if_worse_than: Annotated[str, Option(metavar="RUN", panel="Gates")] = ""
    """End with status 1 if fewer tests pass than in this run, surely and by more than --margin."""
    margin: Annotated[float, Option(min=0.0, max=1.0, metavar="SHARE", panel="Gates")] = 0.02
    """The loss that --fail-if-worse-than puts up with."""
    strict: Annotated[bool, Option(panel="Gates")] = False
    """End with status 1 also if the intervals are too wide to be sure."""
    junit: Annotated[Path | None, Option(metavar="FILE", panel="Gates")] = None
    """Write the gates as JUnit XML."""
    github: Annotated[bool, Option(panel="Gates")] = False
    """Print the gates as annotations of GitHub Actions, and add a summary to the file that $GITHUB_STEP_SUMMARY names."""


class RepositoryFlags(Flags, frozen=True, kw_only=True):
    """Where gaps of a repository are looked for, and how it is tested."""

    path: Annotated[tuple[str, ...], Option(metavar="PATH")] = ()
    """Look for gaps only in files whose path begins with this; repeatable."""
    exclude: Annotated[tuple[str, ...], Option(metavar="PATH")] = ()
    """Look for no gaps in files whose path begins with this or matches it (docs/, *_pb2.py); repeatable, and stronger than --path."""
    toolchain: Annotated[str | None, Option(metavar="NAME")] = None
    """What the repository is built and tested with: python (the one that runs ghosttape), python3.9 or another that is installed, node, typescript, java, cpp, csharp, go, rust, or none (what lies in /usr). Of toolchain, set-up, command and packages each counts for itself: flags before [tests] of ghosttape.toml, that before what its files show."""
    setup: Annotated[str | None, Option(metavar="COMMAND")] = None
    """What sets the repository up, once."""
    test_command: Annotated[str | None, Option(metavar="COMMAND")] = None
    """What tests the repository, whatever its files say."""
    requires: Annotated[tuple[str, ...], Option(metavar="NAME")] = ()
    """A package that the tests need, installed beside what ghosttape.toml, or else the repository's own files, require; repeatable."""
