"""The command `instructions calibrate`: what a model is worth as a judge of instructions, by the catalogue's own cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
from rich.text import Text

from corpora.calibration import JudgedCase, LabelledCase, reliability_of
from corpora.codealign.benchmark.task_prompts import judge_rubric
from corpora.codealign.catalogue import instructions
from corpora.codealign.instruction import DeveloperInstruction
from corpora.codealign.instruction_selection import chosen_instructions
from corpora.errors import DataError
from replay.numbers.intervals import clustered_share
from server.chat import Chat
from server.judging import TextJudge
from server.settings import ProviderSettings
from tui.commands.options.chat_options import kept_chat
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import DASH, number_of, share_words
from tui.terminal_text import one_line
from tui.watching.waiting import Waiting


def judged_instructions(words: str) -> list[DeveloperInstruction]:
    """The instructions that a judge verifies: of those that are named, else of all.

    Raises:
        ConfigurationError: rules decide about all of them.
        InstructionError: one is not known.

    """
    chosen = chosen_instructions(words) if words else instructions()
    found = [each for each in chosen if not each.by_rule and each.cases]
    if not found:
        raise ConfigurationError(f"--instructions {words}: no judge is asked about these, or they have no cases")
    return found


async def calibrate(
    settings: ProviderSettings,
    chosen: Sequence[DeveloperInstruction],
    out: Path,
    *,
    repeats: int,
    seed: int,
    require_recorded: bool,
) -> dict[str, Any]:
    """Have a judge say of each case whether it follows, and compare; the document is kept at `out`, and every exchange beside it.

    `right` is the share of judgements that are as the catalogue says, clustered by instruction; `by_instruction` how many of how many.

    Raises:
        ProviderMissing, ProviderError: the judge's provider failed; what it said is kept.

    """
    out.parent.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        kept = out.with_suffix(".judgements.jsonl")
        chat = await kept_chat(stack, settings, kept, require_recorded=require_recorded)
        waiting = stack.enter_context(Waiting(SafeConsole(stderr=True), "cases"))
        judged = await _judged(chat, chosen, repeats, seed, waiting.show)
    document = {
        "judge": f"{settings.name} {settings.model}".strip(),
        "repeats": repeats,
        "right": clustered_share((id_, float(right)) for id_, right in _right(judged)),
        "by_instruction": {
            each.id: [
                sum(right for id_, right in _right(judged) if id_ == each.id),
                sum(id_ == each.id for id_, _ in _right(judged)),
            ]
            for each in chosen
        },
        **reliability_of([case for _, case in judged]),
    }
    _write(out, document)
    return document


def _write(file: Path, document: Mapping[str, Any]) -> None:
    file.write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


async def _judged(
    chat: Chat, chosen: Sequence[DeveloperInstruction], repeats: int, seed: int, notify: Callable[[str], None]
) -> list[tuple[str, JudgedCase]]:
    """Each case with the judge's scores; the judge is told what it is told in a run."""
    asked = [
        (each, LabelledCase(name=f"{each.id}/{language}/{number}", truth=each.asks[0], response=code, label=label))
        for each in chosen
        for language, cases in each.cases.items()
        for label, codes in ((1.0, cases.follows), (0.0, cases.breaks))
        for number, code in enumerate(codes)
    ]
    found = []
    for number, (each, case) in enumerate(asked, 1):
        judge = TextJudge(chat, judge_rubric(each), seed=seed)
        scores = [(await judge.judge({"Program": case.response}, repeat)).score for repeat in range(repeats)]
        found.append((each.id, JudgedCase(case, tuple(scores))))
        notify(f"{number:,} of {len(asked):,}")
    return found


def _right(judged: Sequence[tuple[str, JudgedCase]]) -> list[tuple[str, bool]]:
    """Of each case that has a score, its instruction and whether the first score is the label."""
    return [(id_, one.scores[0] == one.case.label) for id_, one in judged if one.scores[0] is not None]


def show_calibration(document: Mapping[str, Any], out: Path) -> None:
    """Print how often the judge is right, and where it is not."""
    console = SafeConsole()
    console.print(Text(f"{one_line(document['judge'])} as a judge of instructions", "bold"))
    console.print(worth_words(document))
    for id_, (right, of) in document["by_instruction"].items():
        if right < of:
            console.print(Text(f"  {id_}: {right} of {of} right"))
    console.print(Text(f"For `ghosttape instructions run … --calibration {out}`", "dim"))


def worth_words(document: Mapping[str, Any]) -> str:
    """What a judge is worth, in a sentence."""
    kappa = document["kappa"]
    value = DASH if kappa["value"] is None else f"{kappa['value']:.2f}"
    ends = "" if kappa["low"] is None else f" ({kappa['low']:.2f} to {kappa['high']:.2f})"
    silent = f", {document['unparsable']:,} without a score" if document["unparsable"] else ""
    cases = number_of(document["cases"], "case")
    return f"On {cases} of the catalogue it is right in {share_words(document['right']) or DASH}, kappa {value}{ends}{silent}."


def read_calibration(file: Path, judge: str) -> dict[str, Any]:
    """What `instructions calibrate` has found of a judge.

    Raises:
        DataError: it is no such file.
        ConfigurationError: it is of another judge.

    """
    try:
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(file, 0, f"is no calibration: {error}") from error
    if not {"judge", "right", "kappa", "by_instruction"} <= found.keys():
        raise DataError(file, 0, "is no calibration: `ghosttape instructions calibrate` makes one")
    if found["judge"] != judge:
        raise ConfigurationError(f"--calibration {file} is of the judge {found['judge']!r}, and not of {judge!r}")
    return found
