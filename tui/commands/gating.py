"""Gates of a run: read before anything runs, checked when it has ended, told to people and to CI."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from replay.errors import GateError
from replay.gates.gates import GateLimit, GateResult, any_fails, check_against, check_limit, limit_of
from replay.options import ClusterBy
from replay.run.catalogue.run_entries import state_of
from replay.run.catalogue.run_lookup import find_run, run_name
from replay.run.store import Store
from tui.commands.managing.runs_command import finished_summary
from tui.commands.options.flags import GateFlags
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.outcome import ExitStatus
from tui.terminal_text import message

_SIGNS = {"kept": ("✓", "green"), "missed": ("✗", "red"), "unsure": ("?", "yellow")}
_ASKED = 0.05


@dataclass(frozen=True, slots=True)
class Gates:
    """The gates of a command. All that is wrong with their words is found when they are made, before a run begins."""

    flags: GateFlags
    limits: tuple[GateLimit, ...]
    other: Path | None
    """The run that must not be better."""

    @classmethod
    def of(cls, flags: GateFlags, *, live: bool = False, run: Path | None = None) -> Gates:
        """Read the gates, and find the run to compare with: `last` is the one before the run that is about to begin.

        `run` is the folder of the run that they are of, as far as it is known.

        Raises:
            GateError: a gate is malformed, or there is none and CI is to be told of it; the run to compare with is `run` itself, or has not come to its end.
            StoreError: there is no run to compare with.
            ConfigurationError: the live screen shows no gates.

        """
        limits = tuple(limit_of(text) for text in flags.fail_under or ())
        gates = cls(flags, limits, find_run(flags.fail_if_worse_than) if flags.fail_if_worse_than else None)
        gates._check_baseline(run)
        if not gates.are_any and (flags.junit or flags.github or flags.strict):
            raise GateError("--junit, --github and --strict are of gates: add --fail-under or --fail-if-worse-than")
        if gates.are_any and live:
            raise ConfigurationError(
                "gates and --live exclude each other: `ghosttape runs show` checks the gates of a finished run"
            )
        return gates

    @property
    def are_any(self) -> bool:
        """Whether anything is to be checked."""
        return bool(self.limits or self.other)

    def check_instructions(self, ids: Sequence[str]) -> None:
        """Refuse a gate of adherence to an instruction that the run does not check.

        Raises:
            GateError: there is such a gate.

        """
        for limit in self.limits:
            wanted = limit.instruction
            if wanted is not None and (wanted not in ids if wanted else not ids):
                raise GateError(
                    f"--fail-under {limit.name}: the run checks no instruction{f' {wanted!r}' if wanted else ''}: name it with --instructions"
                )

    def _check_baseline(self, run: Path | None) -> None:
        """Refuse a run as its own baseline, and one that lacks moments."""
        if self.other is None:
            return
        name = run_name(self.other)
        if run is not None and self.other.resolve() == run.resolve():
            raise GateError(f"--fail-if-worse-than: {name} is the run itself, and never worse: name another run")
        with Store.open(self.other) as store:
            state = state_of(store)
        if state != "finished":
            raise GateError(
                f"--fail-if-worse-than: {name} has not come to its end ({state}), so what it lacks is not known: finish it first, or name another run"
            )

    def check(
        self, summary: dict[str, Any], *, json: bool, by: ClusterBy | None = None, beside: Sequence[Path] = ()
    ) -> int:
        """Check a finished run by its summary, tell people and CI; return the exit status that the gates ask for, 0 or 1. The summary gets them (`gates`).

        The clusters of a comparison are `by`; None: those of the runs. `beside` are other runs that are compared with the same one: p and interval are adjusted for their number.

        Raises:
            GateError: what CI reads cannot be written, or the run to compare with has turned out to be the run itself.

        """
        if not self.are_any:
            return 0
        self._check_baseline(Path(summary["run"]))
        results, markdown = self._results(summary, by, beside)
        strict, run = self.flags.strict, run_name(Path(summary["run"]))
        summary["gates"] = [msgspec.to_builtins(one) | {"fails": one.fails(strict=strict)} for one in results]
        _tell(results, strict=strict)
        if self.flags.junit or self.flags.github:
            self._tell_ci(run, results, markdown, json=json)
        return int(ExitStatus.FAILURES) if any_fails(results, strict=strict) else 0

    def _results(
        self, summary: Mapping[str, Any], by: ClusterBy | None, beside: Sequence[Path]
    ) -> tuple[list[GateResult], str]:
        """The results, and the comparison as Markdown ("": there is none)."""
        results, markdown = [check_limit(limit, summary) for limit in self.limits], ""
        if self.other is not None:
            from replay.numbers.comparison import compare_runs
            from tui.commands.inspect.comparing import kept_run
            from tui.tables.comparison_markdown import comparison_markdown

            found = compare_runs([*map(kept_run, (self.other, *beside, Path(summary["run"])))], by, _ASKED)
            results.append(check_against(found["comparisons"][-1], self.flags.margin))
            markdown = comparison_markdown(found, 3)
            for one in found["unfair"]:
                SafeConsole(stderr=True).print(message(one["says"]), style="yellow", soft_wrap=True)
        return results, markdown

    def _tell_ci(self, run: str, results: Sequence[GateResult], markdown: str, *, json: bool) -> None:
        from replay.gates.gate_reports import workflow_commands, write_junit
        from tui.render.markdown import gates_markdown

        strict = self.flags.strict
        if self.flags.junit:
            write_junit(self.flags.junit, run, results, strict=strict)
        if self.flags.github:
            out = sys.stderr if json else sys.stdout
            out.write("".join(f"{line}\n" for line in workflow_commands(run, results, strict=strict)))
            _add_summary(gates_markdown(run, summary_lines(results, strict=strict)) + markdown)


def check_last(gates: Gates, runs: Sequence[Path], found: dict[str, Any], *, json: bool, by: ClusterBy | None) -> int:
    """Check the gates of the last of some runs, by the clusters of the comparison that is shown; return the exit status that they ask for.

    The document of the comparison gets them (`gates`). The other runs stand beside it: the gate is one of so many comparisons.

    Raises:
        ConfigurationError: it has not come to its end.

    """
    if not gates.are_any:
        return 0
    *others, last = runs
    beside = [one for one in others if gates.other and one.resolve() != gates.other.resolve()]
    summary = finished_summary(last)
    status = gates.check(summary, json=json, by=by, beside=beside)
    found["gates"] = summary["gates"]
    return status


def summary_lines(results: Sequence[GateResult], *, strict: bool) -> list[tuple[str, str, str]]:
    """Return of each gate its name, its sign for Markdown, and its sentence."""
    signs = {True: "🔴", False: "⚪"}
    return [(one.gate, "🟢" if one.outcome == "kept" else signs[one.fails(strict=strict)], one.says) for one in results]


def _tell(results: Sequence[GateResult], *, strict: bool) -> None:
    console = SafeConsole(stderr=True)
    for result in results:
        sign, style = _SIGNS[result.outcome]
        end = ": gate failed" if result.fails(strict=strict) else ": not sure" if result.outcome == "unsure" else ""
        console.print(f"{sign} {message(result.gate)}{end}", style=f"bold {style}", soft_wrap=True)
        console.print(f"  {message(result.says)}", style=style, soft_wrap=True)


def _add_summary(text: str) -> None:
    """Add to the summary of a job of GitHub Actions; outside of one there is none."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise GateError(f"{path} ($GITHUB_STEP_SUMMARY) cannot be written: {error.strerror}") from error
