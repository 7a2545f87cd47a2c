"""Finds out how the project of a repository is tested: at its newest commit that has something to type, or at the nearest where its tests pass."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from corpora.errors import HistoryError
from corpora.history.commit_plan import Planner
from corpora.history.commit_sampling import chosen
from corpora.history.environments import Said, TestsOfCommits
from corpora.history.repository.commit_files import CommitFiles, files_of
from corpora.history.repository.commit_search import nearest_passing
from corpora.history.repository.commit_selection import CommitSelection
from corpora.history.repository.commits import Commit, Repository
from corpora.history.request import CHARACTERS
from replay.run.engine import cache_folder
from replay.run.folders import make_folder
from runners.environments import WITHIN_S, Candidate, KeptTrials, NotTestable, WayTester
from runners.errors import IndexUnreachable
from runners.other_files import NOTHING, OtherFiles
from runners.protocol import Sandbox
from server.version import version
from tui.commands.options.configuration import FILE
from tui.watching.confirming import ended_by_ctrl_c

_WALKED = 200
"""So many commits are looked at for one whose tests pass."""
_TRIES = 6


@dataclass(frozen=True, slots=True)
class FoundTests:
    """How a project is tested, at which commit that was tried, and where its sessions begin."""

    commit: str
    """The full name of the commit."""
    tests: TestsOfCommits
    selection: CommitSelection
    """The commits to type: as chosen, but none that is newer than the commit."""
    moved: str = ""
    """Why it is not the newest commit; empty if it is."""
    passed_over: str = ""
    """Why the newest commit of all was not tried; empty if it was, or was not chosen."""


class _Known(msgspec.Struct, frozen=True):
    """What is kept of what was found out, for the same files, words and version."""

    works: Candidate
    wall_ms: float
    passed: int | None

    def with_values(self, variables: Mapping[str, str]) -> _Known:
        """The same with the variables of the set-up. Their values may be keys: they are never written."""
        plan = replace(self.works.plan, setup_env=variables)
        return _Known(replace(self.works, plan=plan), self.wall_ms, self.passed)


@dataclass(frozen=True, slots=True)
class TestFinder:
    """Tries how a project is tested, in a sandbox. `folder` keeps what was found out; with `again` ways that failed before are tried anew."""

    repository: Repository
    said: Said
    sandbox: Sandbox
    folder: Path
    notify: Callable[[str], None]
    again: bool = False

    async def find(self, selection: CommitSelection, seed: int) -> FoundTests:
        """Find out how the newest commit of a selection is tested; where its tests fail, that of the nearest older one where they pass.

        Raises:
            HistoryError: no commit of the selection has anything to type.
            NotTestable: no way was found in which the tests pass; says what to do.

        """
        with ended_by_ctrl_c():
            newest, over = self._newest(selection, seed)
            read = files_of(self.repository, newest)
        ends = self._tester().ends
        try:
            return FoundTests(newest.sha, await self.working(_finished(read), read.others, ends), selection, "", over)
        except NotTestable as error:
            if not any(trial.result and trial.result.passed for trial in error.trials):
                raise  # an older commit would fare no better: nothing of it ran here
            return replace(await self._older(newest, selection, error, ends), passed_over=over)

    def newest_files(self, selection: CommitSelection, seed: int) -> dict[str, str]:
        """Path → text of the newest commit of a selection that has code to type."""
        return _finished(files_of(self.repository, self._newest(selection, seed)[0]))

    def _newest(self, selection: CommitSelection, seed: int) -> tuple[Commit, str]:
        """The newest commit of a selection that has code to type, and why that is not the newest of all."""
        planner = Planner(self.repository, selection.merges, CHARACTERS)
        head, over = self.repository.head(), ""
        for each in chosen(planner, replace(selection, last=1, sample=None), seed):
            if isinstance(each, Commit):
                return each, over
            if each.commit == head:
                over = f"not at HEAD ({head[:10]}): it gives no session ({each.reason}), so its tests were not run, and may fail"
        raise HistoryError(
            f"{self.repository.path}: no commit of {selection.candidates} has code to type: choose others with --range, --since or --last"
        )

    async def _older(self, newest: Commit, selection: CommitSelection, error: NotTestable, ends: float) -> FoundTests:
        best = max(error.trials, key=lambda trial: trial.result.passed or 0 if trial.result else -1).candidate
        commits = [each for each, _ in zip(self.repository.walk(selection.candidates), range(_WALKED), strict=False)]
        commits = commits[commits.index(newest) :] if newest in commits else commits

        passing = dict[str, TestsOfCommits]()

        async def passes(commit: Commit) -> bool:
            if commit == newest or self._tester().now() >= ends:
                return False
            read = files_of(self.repository, commit)
            files = _finished(read)
            way = _base_of(best, self.said.candidates(files))
            if way is None:
                return False
            self.notify(f"its tests fail there; tried at {commit.sha[:10]} ({commit.authored[:10]})")
            try:
                passing[commit.sha] = await self.working(files, read.others, ends, way)
            except NotTestable:
                return False
            except IndexUnreachable as unreachable:  # those of an older commit may be in the cache
                self.notify(f"that did not work: {unreachable}")
                return False
            return True

        found = (await nearest_passing(commits, passes, _TRIES)).commit
        if found is None:
            raise error
        moved = f"its tests fail at {newest.sha[:10]}, and pass at {found.sha[:10]} of {found.authored[:10]}: sessions begin there"
        begins = replace(selection, revisions=_since(commits[-1], found))
        return FoundTests(found.sha, passing[found.sha], begins, moved)

    async def working(
        self, files: Mapping[str, str], others: OtherFiles, ends: float | None = None, way: Candidate | None = None
    ) -> TestsOfCommits:
        """The way in which the tests of some files (path → text, and the `others`) pass, tried until `ends`, or as it is known from before.

        With a `way` no other one is tried, but for what mends it.

        Raises:
            NotTestable: there is none.

        """
        ways = list(self.said.candidates(files))
        place = self.folder / f"{self._key(files, others, ways)}.json"
        known = _read(place)
        if known is None:
            make_folder(self.folder)
            kept, likely = self._kept(files, others, ways), ways if way is None else [way]
            working = await self._tester(others).first_working(files, likely, kept, ends)
            known = _Known(working.candidate, working.result.wall_ms, working.result.passed)
            place.write_bytes(msgspec.json.encode(known.with_values({})))
        known = known.with_values(self.said.setup_env)
        base = _base_of(known.works, ways)
        assert base is not None  # what works is one of them, or mends one
        return TestsOfCommits(self.said, base, known.works, known.wall_ms, known.passed)

    def _tester(self, others: OtherFiles = NOTHING) -> WayTester:
        is_persons = self.said.origins.get("timeout_s", FILE) == FILE  # a flag, or the file of the current folder
        said_s = float(self.said.members.get("timeout_s") or 0) if is_persons else 0.0
        within_s = max(WITHIN_S, WITHIN_S / 2 + said_s)
        return WayTester(self.sandbox, cache_folder(), self.notify, within_s, named=self.said.also, others=others)

    def _kept(self, files: Mapping[str, str], others: OtherFiles, ways: list[Candidate]) -> KeptTrials:
        file = self.folder / f"{self._key(files, others, ways)}.failed.json"
        if self.again:
            file.unlink(missing_ok=True)
        return KeptTrials(file)

    def _key(self, files: Mapping[str, str], others: OtherFiles, ways: list[Candidate]) -> str:
        plain = [replace(each, plan=replace(each.plan, setup_env={})) for each in ways]
        whole = repr(
            (version(), self.sandbox.name, plain, sorted(self.said.setup_env), sorted(files.items()), others.digest)
        )
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _base_of(mended: Candidate, ways: Iterable[Candidate]) -> Candidate | None:
    """The way that another one mends, or is, also at another commit. Example: `pytest` for `pytest, with attrs>=23`."""
    bases = (each for each in ways if f"{mended.name}, ".startswith(f"{each.name}, "))
    return max(bases, key=lambda each: len(each.name), default=None)


def _since(oldest: Commit, newest: Commit) -> str:
    """The revisions after one commit up to another; where both are the same, that one."""
    return newest.sha if oldest == newest else f"{oldest.sha}..{newest.sha}"


def _finished(files: CommitFiles) -> dict[str, str]:
    """Path → text of the files of a commit, as a tape of it has them at its end."""
    return files.project | {document.path: document.new for document in files.documents}


def _read(place: Path) -> _Known | None:
    """What was found out before; None if nothing was, or if the file is of no use."""
    try:
        return msgspec.json.decode(place.read_bytes(), type=_Known)
    except (OSError, msgspec.DecodeError):
        return None
