"""The part of `import` that types the commits of a repository."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.console import SafeConsole
from tui.errors import ConfigurationError, TuiError
from tui.outcome import ExitStatus, print_json
from tui.summary_figures import number_of
from tui.terminal_text import bounded, one_line
from tui.watching.waiting import Waiting

if TYPE_CHECKING:
    from corpora.history import CommitSelection, HistoryReport, HistoryRequest

_MERGES = ("all", "first-parent")
_LISTED = 10
"""At most so many commits that are left out are listed; more are only counted."""


@dataclass(frozen=True, slots=True)
class HistoryFlags:
    """The flags of `import` that are for a git repository; None where the command line does not have one."""

    repository: str | None
    revisions: str | None
    last: int | None
    since: str | None
    author: str | None
    sample: int | None
    merges: str | None
    seed: int | None
    characters: int | None

    def check(self) -> None:
        """Refuse flags that do not go together.

        Raises:
            ConfigurationError: there is no repository for them, or they exclude each other.

        """
        if self.repository is None and (flag := next(iter(self._given()), None)):
            raise ConfigurationError(f"{flag} is for --from-git: leave it out, or name a repository")
        if self.last is not None and self.sample is not None:
            raise ConfigurationError(
                "--last and --sample exclude each other: the newest commits, or some that are drawn"
            )
        if self.merges not in {None, *_MERGES}:
            raise ConfigurationError(f"--merges {self.merges}: choose one of {', '.join(_MERGES)}")

    @property
    def chooses(self) -> bool:
        """Whether a flag says which commits are typed."""
        return any(value is not None for value in self._choice().values())

    def selection(self) -> CommitSelection:
        """The choice of commits: the flags, or the newest few."""
        from corpora.history import LAST, CommitSelection

        return CommitSelection(
            self.revisions or "",
            self.since or "",
            self.author or "",
            self.last if self.chooses else LAST,
            self.sample,
            "first-parent" if self.merges == "first-parent" else "all",
        )

    def request(self, out: Path, *, force: bool) -> HistoryRequest:
        """What is asked of the import."""
        from corpora.history import CHARACTERS, HistoryRequest

        limit = self.characters or CHARACTERS
        return HistoryRequest(
            self.repository or "", out, self.selection(), self.seed or 0, characters=limit, force=force
        )

    def _choice(self) -> Mapping[str, object]:
        chosen = {"--range": self.revisions, "--last": self.last, "--since": self.since, "--author": self.author}
        return chosen | {"--sample": self.sample}

    def _given(self) -> list[str]:
        flags = {**self._choice(), "--merges": self.merges, "--seed": self.seed, "--characters": self.characters}
        return [flag for flag, value in flags.items() if value is not None]


def type_history(flags: HistoryFlags, out: Path, *, force: bool, json: bool) -> ExitStatus:
    """Type the commits of a repository, and print a report; the status is 1 if none of them became a tape."""
    from corpora.errors import CorpusError
    from corpora.history import import_history  # slow to load, so only where it is needed

    request = flags.request(out, force=force)
    try:
        with Waiting(SafeConsole(stderr=True), f"typing {one_line(str(request.selection))}") as waiting:
            report = import_history(request, waiting.show)
    except CorpusError as error:
        raise TuiError(str(error)) from error
    if json:
        print_json(report)
    else:
        _show(report, chosen=flags.chooses)
    return ExitStatus.DONE if report.tapes else ExitStatus.FAILURES


def _show(report: HistoryReport, *, chosen: bool) -> None:
    default = "" if chosen else " (the default: choose commits with --range, --last, --since, --author or --sample)"
    tapes = number_of(len(report.tapes), "tape")
    _say(f"{tapes} of {report.repository} {report.selection}, seed {report.seed}{default}")
    _say(f"{number_of(report.commits, 'commit')}: {tapes}{_reasons(report)}")
    for tape in report.tapes:
        tested = ", with the project's own tests" if tape.tests else ""
        _say(f"  {tape.tape}: {tape.typed:,} keys, {tape.minutes} min{tested}: {one_line(tape.subject)}")
    if len(report.skipped) > _LISTED:
        _say(f"  {len(report.skipped):,} commits are left out; --json lists them")
    for skipped in report.skipped if len(report.skipped) <= _LISTED else ():
        _say(f"  {skipped.commit[:10]} is left out: {skipped.reason}: {one_line(skipped.subject)}")


def _reasons(report: HistoryReport) -> str:
    """The commits that are left out, by reason."""
    from corpora.history import SKIP_WORDS

    found = [f"{words} ({report.reasons[kind]:,})" for kind, words in SKIP_WORDS.items() if kind in report.reasons]
    return f"; left out: {', '.join(found)}" if found else ""


def _say(line: str) -> None:
    sys.stdout.write(bounded(line) + "\n")
