"""The command `corpora build codev`: a tested repository in, a corpus of blocks that its tests notice out."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from corpora.agent.block_sampling import STAGES, SampleChoice, TriedPart, read_distribution
from corpora.agent.stages import STAGE_NAMES, BuiltRepository, RepositoryBuilder, StageName, plain_tests
from corpora.codev.samples import CodevHead, is_samples_file, write_samples
from corpora.history.advice import AdviceRights, AdvisingProvider, ModelAdvice
from corpora.history.environments import Said
from corpora.mined.corpus_file import MINED_BY
from corpora.mining.source_repository import how_tested, open_repository
from replay.options import ORACLE, ReplayOptions
from replay.run.engine import cache_folder
from runners.sandboxes import pick
from server.nearest import did_you_mean
from server.providers import registry
from server.settings import ProviderSettings
from server.version import version
from tui.commands.options.chat_options import ASSISTANTS
from tui.commands.options.configuration import model_of
from tui.commands.options.flags import ServerFlags
from tui.commands.options.run_options import options_of_evaluation
from tui.commands.runs.evaluating import run
from tui.console import SafeConsole
from tui.declared_flags import Given
from tui.errors import ConfigurationError, InterruptedRunError
from tui.outcome import ExitStatus
from tui.summary_figures import number_of
from tui.terminal_text import one_line, sanitize, shorten
from tui.watching.confirming import confirmed
from tui.watching.waiting import Waiting

_NAMED = 3
"""So many tests of which not all is seen are named."""


@dataclass(frozen=True, slots=True)
class BuildingRequest:
    """The arguments of `corpora build codev`."""

    repository: Path
    out: Path
    name: str
    until: StageName
    choice: SampleChoice
    testing: ReplayOptions
    """How it is tested, where a person says so, and what its set-up may have."""
    is_said: bool
    """Whether a person says how it is tested; else that is found out."""
    force: bool
    timeout_s: float | None = None
    """How long a run of its tests may take; None: as is found out, or said otherwise."""
    advisor: ProviderSettings | None = None
    """The model that is asked where rules do not find out how it is tested."""
    runs_proposals: bool = False
    """Whether what it proposes runs without a question."""
    rounds: int = 3
    """How often it is asked."""

    @property
    def finding(self) -> Said:
        """What counts while it is found out how the repository is tested."""
        testing = self.testing
        variables = {name: os.environ[name] for name in testing.setup_env if name in os.environ}
        return Said(also=testing.also_requires, network=testing.network_setup, setup_env=variables)


@dataclass(slots=True)
class _Progress:
    """Says which stage is at work, and how many blocks were tried."""

    waiting: Waiting
    ends: Counter[str] = field(default_factory=Counter)
    stage: str = ""

    def notify(self, line: str) -> None:
        """Say what is being done."""
        self.stage = line
        self.waiting.show(line)

    def tried(self, part: TriedPart) -> None:
        """Count a block that was tried."""
        self.ends[part.ends] += 1
        told = ", ".join(f"{number:,} {end}" for end, number in sorted(self.ends.items()))
        self.waiting.show(f"{self.ends.total():,} blocks tried: {told}")


def refuse_unknown(kind: str, until: str, provider: str) -> None:
    """Refuse an unknown kind of corpus, stage or provider, and a provider that is named where the corpus is not built to its end. `""` names no provider.

    Raises:
        ConfigurationError, SettingsError: one of them is refused; the message names those that exist.

    """
    if kind != "codev":
        raise ConfigurationError(f"no corpus of the kind {kind!r} is built{did_you_mean(kind, ['codev'])}: codev is")
    if until not in STAGE_NAMES:
        raise ConfigurationError(
            f"--until: {until!r} is no stage{did_you_mean(until, STAGE_NAMES)}: choose one of {', '.join(STAGE_NAMES)}"
        )
    if provider and until != STAGE_NAMES[-1]:
        raise ConfigurationError(f"--evaluate needs blocks, and --until {until} ends before there are any")
    if provider and provider != ORACLE:
        registry.check(provider)


def advisor_of(given: Given, settings: str, *, asks: bool, runs: bool) -> ProviderSettings | None:
    """The model that is asked how a repository is tested; None: none is.

    Raises:
        ConfigurationError, SettingsError: it answers no questions, a setting is malformed, or what it proposes is to run and nothing is asked.

    """
    if not asks:
        if runs:
            raise ConfigurationError("--run-proposals is about what --ask-model brings: add that, or leave it out")
        return None
    if given["provider"] not in ASSISTANTS:
        raise ConfigurationError(
            f"--ask-model needs a model that answers questions: choose --provider {', '.join(ASSISTANTS[:-1])} or {ASSISTANTS[-1]}"
        )
    return model_of(given, settings)


def choice_of(
    number: int,
    blocks: Path | None,
    seed: int,
    lines: int,
    *,
    paths: Sequence[str] | None,
    excluded: Sequence[str] | None,
) -> SampleChoice:
    """Which blocks are wanted.

    Raises:
        DataError: the file of the distribution is malformed.

    """
    distribution = read_distribution() if blocks is None else read_distribution(blocks)
    return SampleChoice(number, distribution, seed, lines, tuple(paths or ()), tuple(excluded or ()))


async def build(request: BuildingRequest) -> dict[str, Any]:
    """Carry out the stages, and write the corpus; the result as one JSON document.

    Raises:
        CorpusError, RunnerError, ConfigurationError: the repository, its tests or the file are not usable.
        InterruptedRunError: it was stopped; the same command goes on.

    """
    _refuse_other(request)
    with Waiting(SafeConsole(stderr=True), f"{request.repository}: its files are read"):
        own, checkout = open_repository(request.repository, [request.out, cache_folder()])
    said = how_tested(checkout, request.testing)[0] if request.is_said else None
    allowed = {"network": request.testing.network_setup, "variables": request.testing.setup_env}
    with Waiting(SafeConsole(stderr=True), "blocks") as waiting:
        progress = _Progress(waiting)
        builder = RepositoryBuilder(
            name=request.name or own,
            checkout=checkout,
            sandbox=pick(request.testing.sandbox),
            cache=cache_folder(),
            notify=progress.notify,
            tried_now=progress.tried,
            said=None if said is None else plain_tests(said),
            allowed=allowed,
            finding=request.finding,
            timeout_s=request.timeout_s,
        )
        if request.advisor is not None:
            builder.advice = _advice(request, request.advisor, waiting, builder.folder.folder)
        try:
            built = await builder.build(request.until, request.choice)
        except (KeyboardInterrupt, asyncio.CancelledError) as error:
            raise InterruptedRunError(
                f"stopped; what was found is kept in {builder.folder.folder}: the same command goes on"
            ) from error
    if built.samples:
        write_samples(request.out, _head(request, built), built.samples)
    return _document(request, built)


def _advice(request: BuildingRequest, model: ProviderSettings, waiting: Waiting, folder: Path) -> ModelAdvice:
    """A model that is asked, and a person who sees what it proposes and says yes or no."""

    def say(text: str) -> None:
        waiting.console.print(sanitize(text), markup=False, highlight=False, soft_wrap=True)

    def confirm(text: str) -> bool:
        with waiting.paused():
            return confirmed(text)

    return ModelAdvice(
        AdvisingProvider(model, one_line(model.model or model.name)),
        request.finding,
        AdviceRights(request.runs_proposals, request.testing.network_setup),
        folder,
        say,
        confirm,
        rounds=request.rounds,
        line=lambda text, width: shorten(one_line(text), width),
    )


def _refuse_other(request: BuildingRequest) -> None:
    """Refuse, before anything is tested, to replace what is no corpus of blocks, and a folder that takes no file."""
    request.out.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(request.out.parent, os.W_OK):
        raise ConfigurationError(f"{request.out.parent}: no file can be written there: name another folder (-o)")
    if request.out.exists() and not request.force and not is_samples_file(request.out):
        raise ConfigurationError(
            f"{request.out} exists already, and is no corpus of blocks: name another file (-o), or replace it (--force)"
        )


def _head(request: BuildingRequest, built: BuiltRepository) -> CodevHead:
    choice = request.choice
    asked = {
        "number": str(choice.number),
        "blocks": ", ".join(f"{group} {share}" for group, share in choice.distribution.blocks.items()),
        "seed": str(choice.seed),
        "lines": str(choice.lines),
        "paths": ",".join(choice.paths),
        "excluded": ",".join(choice.excluded),
    }
    chosen = {name: value for name, value in asked.items() if value}
    return CodevHead(
        codev=1,
        name=built.name,
        repositories=[built.entry],
        asked={MINED_BY: version(), **chosen},
        stages=dict(sorted(built.stages.items())),
    )


def _document(request: BuildingRequest, built: BuiltRepository) -> dict[str, Any]:
    tests = built.environment.tests
    return {
        "corpus": built.name,
        "file": str(request.out) if built.samples else "",
        "until": request.until,
        "repository": str(built.checkout.folder),
        "commit": built.checkout.commit,
        "tests": {name: getattr(tests, name) for name in ("toolchain", "command", "setup", "requires")},
        "tests_by": built.environment.by,
        "tests_passing": 0 if built.chains is None else len(built.chains.tests),
        "tests_unseen": [] if built.chains is None else built.chains.unseen,
        "functions": 0 if built.chains is None else len(built.chains.functions),
        "stages": dict(built.stages),
        "kept": dict(Counter(sample.group for sample in built.samples)),
        "chains": "" if built.chains is None else str(built.chains_file),
        "logs": str(built.folder.folder),
    }


def show_built(found: Mapping[str, Any]) -> None:
    """Print how far the stages came, what was kept, and what can be done with it."""
    console = SafeConsole()
    console.print(Text(f"{one_line(found['corpus'])}: blocks that its tests notice", "bold"))
    command = one_line(found["tests"]["command"])
    console.print(f"  environment: {command} (found by {one_line(found['tests_by'])})", highlight=False)
    if found["until"] != "environment":
        entered = number_of(found["functions"], "function")
        console.print(f"  chains: {number_of(found['tests_passing'], 'test')}, which enter {entered}")
        if unseen := found["tests_unseen"]:
            console.print(
                f"  of {number_of(len(unseen), 'test')} not all is seen, where processes are started, tests trace themselves, or nothing was reported of them: "
                f"{one_line(', '.join(unseen[:_NAMED]))}{', …' * (len(unseen) > _NAMED)} (all: `unseen` in {found['chains']})",
                highlight=False,
                markup=False,
            )
    if found["until"] == "samples":
        table = Table.grid(padding=(0, 2))
        for stage, number in sorted(found["stages"].items(), key=lambda pair: -pair[1]):
            table.add_row(f"  {stage}", Text(f"{number:,}", "bold"), Text(STAGES[stage], "dim"))
        console.print(table)
        told = ", ".join(f"{group} {number}" for group, number in sorted(found["kept"].items()))
        console.print(Text(f"  kept by type: {told or 'none'}", "dim"))
    if found["file"]:
        name = shlex.quote(found["file"])
        console.print(f"Ask a model: ghosttape evaluate {name} --provider NAME", style="bold", highlight=False)
        console.print(
            f"In the published layout: ghosttape corpora export codev {name} -o published",
            style="bold",
            highlight=False,
        )
    console.print(Text(f"What each stage found, with its log: {found['logs']}", "dim"))


def evaluated(file: Path, given: Given, settings: str, *, quiet: bool) -> dict[str, Any]:
    """The summary of `evaluate FILE --provider NAME …`, which is shown unless `quiet`."""
    options = options_of_evaluation(given, ServerFlags(settings=settings), corpus=str(file))
    return asyncio.run(run(options, None, quiet=quiet))


def status_of(found: Mapping[str, Any]) -> ExitStatus:
    """`FAILURES` if blocks were asked for and none was kept."""
    return ExitStatus.FAILURES if found["until"] == "samples" and not found["file"] else ExitStatus.DONE
