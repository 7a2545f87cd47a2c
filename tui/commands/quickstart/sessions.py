"""The sessions that `ghosttape try` replays: commits, typed, with how each of them is tested."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from corpora.errors import HistoryError
from corpora.history.environments import TestsOfCommits
from corpora.history.history_import import typed_commits
from corpora.history.import_report import SKIP_WORDS, SkippedCommit, TypedCommit
from corpora.history.request import HistoryRequest
from replay.judge.tape_project import other_files
from replay.options import ReplayOptions
from replay.run.sources.tape_source import TapeSource
from replay.tapes.tape import Tape, Tests, read, write
from runners.environments import NotTestable
from runners.errors import IndexUnreachable
from tui.commands.quickstart.way_search import FoundTests, TestFinder
from tui.summary_figures import number_of
from tui.terminal_text import one_line, shorten

LOOKED_AT = 1000
"""At most so many commits are looked at for sessions in which something is asked."""
GIVEN_UP = 3
"""After so many commits in a row whose own tests fail, no older one is looked at."""
_SUBJECT = 60
_UNASKED = "nothing to ask in"


@dataclass(slots=True)
class Sessions:
    """Types the commits from one on, and finds out how each is tested."""

    finder: TestFinder
    found: FoundTests
    options: ReplayOptions
    say: Callable[[str], None]
    _files: Mapping[str, str] = field(default_factory=dict)
    """Path → text of the commit that was typed last, at its end."""
    _left: Counter[str] = field(default_factory=Counter)
    _failed: int = 0
    """How many commits in a row were left out because their own tests fail."""
    _unreachable: IndexUnreachable | None = None
    """Why packages of a commit could not be fetched."""

    async def make(self, place: Path) -> list[TapeSource]:
        """Type commits into tapes in a folder below `place`, the newest first, until as many as were chosen have anything to ask.

        Raises:
            HistoryError: none has, or the clone lacks an object.
            IndexUnreachable: none is left, as packages could not be fetched.

        """
        options = msgspec.structs.replace(self.options, project_tests=None, tests_over={}, also_requires=())
        wanted, made = self.found.selection.last, list[TapeSource]()
        commits, seen = typed_commits(self._request(place), self._tests_of), 0
        while (each := await asyncio.to_thread(next, commits, None)) is not None:
            seen += 1
            if (tape := await self._tape(each)) is not None:
                source = TapeSource(tape, options)
                if source.has_places():
                    if not made:
                        self.say("Typed from its commits:")
                    made.append(source)
                    self.say(f"  - {each.commit[:10]} {shorten(one_line(each.subject), _SUBJECT)}")
                else:
                    self._left[_UNASKED] += 1
            looked = wanted is not None and (len(made) == wanted or seen == LOOKED_AT)
            if looked or self._failed == GIVEN_UP:
                break
        self._tell(len(made), seen)
        return made

    def _request(self, place: Path) -> HistoryRequest:
        """What is asked of the import. How many sessions there are is counted here, as some have nothing to ask."""
        known = hashlib.sha256(msgspec.json.encode(msgspec.structs.astuple(self.found.tests.found))).hexdigest()[:8]
        last = None if self.found.selection.last is None else LOOKED_AT
        selection = replace(self.found.selection, last=last)
        out, repository = place / f"tapes-{known}", self.finder.repository
        return HistoryRequest(repository.path, out, selection, self.options.seed, force=True, name=repository.name)

    def _tests_of(self, files: Mapping[str, str]) -> Tests | None:
        self._files = files
        return self.found.tests.tests_of(files)

    async def _tape(self, each: TypedCommit | SkippedCommit) -> Tape | None:
        """The tape of a commit, with tests that were tried; None where the commit is left out."""
        if isinstance(each, SkippedCommit):
            self._left[SKIP_WORDS[each.kind]] += 1
            return None
        tape = await asyncio.to_thread(read, Path(each.tape))
        if self.found.tests.holds_for(self._files):
            self._failed = 0
            return tape
        try:
            own = await self.finder.working(self._files, other_files(tape))
            self._failed = 0
        except (NotTestable, IndexUnreachable) as error:
            self._failed += 1
            self._unreachable = error if isinstance(error, IndexUnreachable) else self._unreachable
            said, counted = _why_left_out(error)
            self.say(f"  left out: {each.commit[:10]}: {shorten(one_line(said), 3 * _SUBJECT)}")
            self._left[counted] += 1
            return None
        return await asyncio.to_thread(_with_tests, tape, Path(each.tape), own)

    def _tell(self, made: int, seen: int) -> None:
        reasons = ", ".join(f"{number} {reason}" for reason, number in self._left.most_common())
        left = f"; left out: {reasons}" if reasons else ""
        left += "; older commits are not looked at" if made == self.found.selection.last or seen == LOOKED_AT else ""
        self.say(
            f"{number_of(made, 'session')} of {number_of(seen, 'commit')}{left} (choose with --last, --since, --author, --sample)"
        )
        if not made and self._unreachable is not None:
            raise self._unreachable
        if not made:
            chosen = [
                f"--{flag} {one_line(each)}"
                for flag, of in (("path", self.options.paths), ("exclude", self.options.excluded))
                for each in of
            ]
            under = f" with {', '.join(chosen)}" if chosen else ""
            more = "choose others with --range, --since or --last" + (f", or change {chosen[0]}" if chosen else "")
            raise HistoryError(f"{self.finder.repository.path}: no commit has code to ask about{under}: {more}")


def _why_left_out(error: NotTestable | IndexUnreachable) -> tuple[str, str]:
    """Why a commit is left out that cannot be tested: for a line of its own, and as it is counted."""
    if isinstance(error, NotTestable):
        return error.remedies[-1], "its own tests fail"
    return str(error), "its packages cannot be fetched"


def _with_tests(tape: Tape, file: Path, found: TestsOfCommits) -> Tape:
    """The tape with tests, on the disk too."""
    changed = msgspec.structs.replace(tape, header=msgspec.structs.replace(tape.header, tests=found.found))
    write(changed, file)
    return changed
