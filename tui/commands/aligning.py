"""The commands `instructions run` and `instructions score`: CodeAlign over problems with tests, and its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from corpora.codealign.benchmark import AlignmentRun
from corpora.codealign.benchmark.benchmark_run import AlignmentOutcome
from corpora.codealign.benchmark.soundness import sound_problems
from corpora.codealign.benchmark.success_rates import alignment_figures, compared_runs
from corpora.codealign.benchmark.task_prompts import SETTINGS, InstructionSetting
from corpora.codealign.catalogue import instructions
from corpora.codealign.instruction import DeveloperInstruction
from corpora.codealign.instruction_selection import chosen_instructions
from corpora.standalone import ReadProblems, read_problems
from replay.run.engine import cache_folder
from runners.programs import cold
from runners.sandboxes import pick
from server.settings import ProviderSettings
from tui.commands.measuring import read_calibration, worth_words
from tui.commands.options.chat_options import kept_chat
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import DASH, mapping, number_of, share_words
from tui.terminal_text import one_line
from tui.watching.waiting import Waiting

_NAMED = 10
"""The most programs that are named of those that follow and break; the file has all."""
_SCORES = "scores.json"


@dataclass(frozen=True, slots=True)
class AlignedProblems:
    """What is asked, of whom, and where the answers are kept. `judge` None: instructions that need one are not drawn."""

    data: Path
    out: Path
    provider: ProviderSettings
    judge: ProviderSettings | None = None
    instructions: str = ""
    each: int = 1
    settings: Sequence[InstructionSetting] = SETTINGS
    asks_first: bool = False
    limit: int | None = None
    seed: int = 0
    sandbox: str = "auto"
    places: int = 1
    require_recorded: bool = False
    calibration: Path | None = None
    """What the judge is worth (`instructions calibrate`)."""

    @property
    def judge_name(self) -> str:
        """The judge, "" for none."""
        return "" if self.judge is None else f"{self.judge.name} {self.judge.model}".strip()

    def problems(self) -> ReadProblems:
        """The problems, the first of them up to the limit; and what of the data is no problem.

        Raises:
            DataError: they cannot be read.

        """
        read = read_problems(self.data)
        return ReadProblems(read.problems[: self.limit], read.left_out)

    def chosen(self) -> Sequence[DeveloperInstruction]:
        """The instructions that may be drawn: those that are named, else all.

        Raises:
            InstructionError: one is not known.

        """
        return chosen_instructions(self.instructions) if self.instructions else instructions()


def settings_named(words: str) -> tuple[InstructionSetting, ...]:
    """The settings of `--setting`: one, or both.

    Raises:
        ConfigurationError: there is none of this name.

    """
    found = tuple(setting for setting in SETTINGS if words in {setting, "both"})
    if not found:
        raise ConfigurationError(f"--setting {words!r}: choose one of both, {', '.join(SETTINGS)}")
    return found


async def align(asked: AlignedProblems) -> dict[str, Any]:
    """Ask, test, verify and score; what was answered is kept below `out`, and the same command goes on there.

    Raises:
        DataError, InstructionError: the problems, or the instructions, cannot be read.
        ProviderMissing, ProviderError: a provider cannot be started.
        SandboxMissing: no sandbox works here.

    """
    read, chosen = asked.problems(), asked.chosen()
    worth = None if asked.calibration is None else read_calibration(asked.calibration, asked.judge_name)
    outcomes, left_out, unanswered = await _outcomes(asked, read, chosen)
    (asked.out / "tasks.jsonl").write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in outcomes))
    document = {
        "corpus": "codealign",
        "model": f"{asked.provider.name} {asked.provider.model}".strip(),
        "judge": asked.judge_name,
        "calibration": worth,
        "problems": len(read.problems),
        "left_out": left_out,
        "unanswered": unanswered,
        **alignment_figures(outcomes),
        "out": str(asked.out),
    }
    (asked.out / _SCORES).write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    return document


async def _outcomes(
    asked: AlignedProblems, read: ReadProblems, chosen: Sequence[DeveloperInstruction]
) -> tuple[list[AlignmentOutcome], dict[str, str], list[str]]:
    """The outcomes; why problems were left out, by name; and those of them at which the provider failed."""
    sandbox = pick(asked.sandbox)
    asked.out.mkdir(parents=True, exist_ok=True)
    required = asked.require_recorded
    async with AsyncExitStack() as stack:
        chat = await kept_chat(stack, asked.provider, asked.out / "answers.jsonl", require_recorded=required)
        judge = None
        if asked.judge is not None:
            judge = await kept_chat(stack, asked.judge, asked.out / "judgements.jsonl", require_recorded=required)
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "instructions"))
        programs = await cold(sandbox, cache_folder(), waiting.show)
        stack.push_async_callback(programs.close)
        sound = await sound_problems(
            read.problems,
            programs,
            with_reference=not asked.asks_first,
            places=asked.places,
            notify=lambda number: waiting.show(f"tests of {number:,} of {len(read.problems):,} problems tried"),
        )
        done: list[AlignmentOutcome] = []

        def notify(outcome: AlignmentOutcome) -> None:
            done.append(outcome)
            follow = sum(each.following == "followed" for each in done)
            waiting.show(f"{len(done):,} answers, {follow:,} follow")

        run = AlignmentRun(
            chat, programs, judge, asked.each, asked.seed, asked.settings, asked.asks_first, places=asked.places
        )
        found = await run.outcomes(sound.kept, chosen, notify)
        return found, {**read.left_out, **sound.left_out, **run.left_out}, sorted(run.unanswered)


def has_failures(document: Mapping[str, Any]) -> bool:
    """Whether a provider failed or something could not be verified, so that the figures are incomplete, or there is nothing to verify."""
    unverified = any(own["unverified"] for own in document["settings"].values())
    return not document["tasks"] or bool(document["unanswered"]) or unverified


def show_alignment(document: Mapping[str, Any]) -> None:
    """Print the rates of each setting, the tests of settings and types, and what follows and breaks."""
    console = SafeConsole()
    tasks = number_of(document["tasks"], "answer")
    console.print(
        Text(f"{one_line(document['model'])}: {tasks} to {number_of(document['problems'], 'problem')}", "bold")
    )
    for why, number in Counter(document["left_out"].values()).most_common():
        console.print(Text(f"{number_of(number, 'problem')} left out: {one_line(why)}", "yellow"))
    for setting, own in document["settings"].items():
        console.print(_rates(setting, own))
    for why, number in Counter(document["without_verdict"]).most_common():
        told = f"{number_of(number, 'answer')} without a verdict, in no rate: {one_line(why)}"
        console.print(Text(told, "yellow"))
    for line in _tests(document["settings_test"], document["types_test"], "problems"):
        console.print(line)
    broken = document["follow_and_break"]
    if broken:
        console.print(
            Text(f"\n{number_of(len(broken), 'answer')} follow the instruction and break the program:", "bold")
        )
        for one in broken[:_NAMED]:
            console.print(f"  {one['problem']}  {one['setting']}  {one['instruction']}  {one['tests']}")
    if document["judge"]:
        console.print(Text(f"Judge: {_judge_words(document)}"))
    console.print(Text(f"Every task and answer: {Path(document['out']) / 'tasks.jsonl'}", "dim"))


def _judge_words(run: Mapping[str, Any]) -> str:
    """The judge of a run, and what it is worth."""
    worth = run["calibration"]
    told = worth_words(worth) if worth else "It was not calibrated: what it says is worth is not known."
    return f"{one_line(run['judge'])}. {told}"


def _rates(setting: str, own: Mapping[str, Any]) -> Table:
    table = Table(
        setting,
        "verified",
        "no\nprogram",
        "follow",
        "follow\nand pass",
        "follow,\nfail",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    semantic = (("- " + name, one) for name, one in _semantic(own))
    for name, row in [("all", own), *_verifiers(own), *own["groups"].items(), *semantic]:
        cells = (share_words(row["success"]) or DASH, share_words(row["follows_and_passes"]) or DASH)
        counted = (f"{row['n'] - row['unverified']:,}", f"{row['no_program']:,}")
        table.add_row(name, *counted, *cells, f"{row['follows_and_fails']:,}")
    return table


def _verifiers(own: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What rules verify and what the judge does, where there is both or the judge alone: a judge's verdicts are no measurements."""
    if "judge" in own["by"]:
        yield from ((f"- by {name}", one) for name, one in own["by"].items())


def _semantic(own: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The types that the group `semantic` has."""
    return ((name, one) for name, one in own["types"].items() if name not in own["groups"])


def _tests(settings: Mapping[str, Any], types: Mapping[str, Any], blocks: str) -> Iterator[str]:
    if settings["p"] is not None:
        yield (
            f"follow-up less predefined: median {settings['median_difference']:+.3f}, mean {settings['mean_difference']:+.3f} over "
            f"{settings['n']:,} {blocks}, Wilcoxon p = {settings['p']:.3g} ({settings['differ']:,} differ)"
        )
    for setting, found in types.items():
        if found["p"] is not None:
            yield (
                f"types, {setting}: Friedman χ²(2) = {found['chi2']:.2f}, p = {found['p']:.3g}, Kendall's W = "
                f"{found['kendalls_w']:.2f} over {found['n']:,} {blocks}"
            )


def scored_runs(folders: Sequence[Path]) -> dict[str, Any]:
    """The rates of several runs side by side, and the paper's tests with the runs as blocks.

    Raises:
        ConfigurationError: a folder holds no such run.

    """
    runs = {}
    for folder in folders:
        try:
            runs[str(folder)] = msgspec.json.decode((folder / _SCORES).read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigurationError(f"{folder}: holds no run of `ghosttape instructions run`: {error}") from error
    members = ("model", "judge", "calibration", "settings")
    rates = {name: {member: run.get(member) for member in members} for name, run in runs.items()}
    return {"rates": rates, **compared_runs(list(runs.values()))}


def show_scored(document: Mapping[str, Any]) -> None:
    """Print the success rates of several runs, and the tests over them."""
    console = SafeConsole()
    table = Table("run", "model", *SETTINGS, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for name, run in document["rates"].items():
        cells = (share_words(mapping(mapping(run["settings"].get(one)).get("success"))) or DASH for one in SETTINGS)
        table.add_row(Text(name), Text(run["model"]), *cells)
    console.print(table)
    for name, run in document["rates"].items():
        if run["judge"]:
            console.print(Text(f"{one_line(name)}: what no rule verifies, its judge does: {_judge_words(run)}"))
    for line in _tests(document["settings_test"], document["types_test"], "runs"):
        console.print(line)
