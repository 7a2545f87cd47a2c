"""How a project is tested at each of its commits, once that was found out and tried at one of them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

from replay.importers.building.project_tests import detect_tests, tests_of_plan
from replay.tapes.tape import Tests
from runners.environments import LINKED, Assumption, Candidate, candidates, package_name
from runners.project import ProjectPlan

PATIENCE = 6.0
"""The limit of a run of the tests: so many times what they took, but at least `SHORTEST_S`."""
SHORTEST_S, LONGEST_S = 30.0, 900.0
_FLAGS = {"toolchain": "--toolchain", "command": "--test-command", "requires": "--requires", "setup": "--setup"}
_WORDS = {
    "toolchain": "its toolchain",
    "command": "its tests are run by",
    "requires": "installed",
    "setup": "it is set up by",
    "cwd": "the folder of the project",
    "timeout_s": "seconds that its tests may take",
}


@dataclass(frozen=True, slots=True)
class Said:
    """What a person says of how a project is tested: each member that is given takes the place of what its files show; packages of `also` are added, each in the place of the same one with other versions."""

    members: Mapping[str, Any] = field(default_factory=dict)
    """Members of `Tests` by name."""
    also: tuple[str, ...] = ()
    network: bool = False
    """Whether the set-up has the network."""
    setup_env: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    """Member → where it is said, where a file says it. Example: `command` → `ghosttape.toml`."""
    walled: bool = True
    """Whether a sandbox is around it. Without one nothing that a project's files name is run or installed."""

    def candidates(self, files: Mapping[str, str]) -> Iterator[Candidate]:
        """The ways to test a project with these files (path → text), with what is said over each."""
        asked = str(self.members.get("toolchain", ""))
        found = list(candidates(files, asked)) or [Candidate("as it is said", ProjectPlan("system"))]
        if "toolchain" in self.members:
            named = self.members["toolchain"]
            wanted = "system" if named == "none" else named  # as tapes call it, and as runners do
            found = [each for each in found if each.plan.toolchain == wanted] or [
                Candidate("as it is said", ProjectPlan(wanted))
            ]
        if "command" in self.members:
            found = found[:1]
        for each in found:
            if "command" in self.members or each.plan.command:
                yield self._over(each)

    def _over(self, candidate: Candidate) -> Candidate:
        known = {
            name: value for name, value in self.members.items() if name in {"command", "setup", "cwd", "timeout_s"}
        }
        shown = candidate.plan if self.walled else replace(candidate.plan, requires=(), setup="")
        named = {package_name(item) for item in self.also}
        found = (item for item in self.members.get("requires", shown.requires) if package_name(item) not in named)
        requires = tuple(dict.fromkeys((*found, *self.also)))
        links = candidate.links if self.walled else ""
        known["setup"] = _after_links(links, shown, **known)
        plan = replace(shown, **known, requires=requires, network=self.network, setup_env=self.setup_env)
        kept = (each for each in candidate.assumptions if each.flag not in {_FLAGS.get(name) for name in self.members})
        linked = (each for each in kept if links or not each.said.startswith(LINKED))
        return Candidate(candidate.name, plan, (*linked, *self._assumptions()), links)

    def _assumptions(self) -> Iterator[Assumption]:
        """What is said, in the place of what files show."""
        for name, value in self.members.items():
            shown = ", ".join(value) if name == "requires" else value
            source = f"as {self.origins[name]} says" if name in self.origins else "as you say"
            yield Assumption(f"{_WORDS[name]}: {shown}", source, "")
        if self.also:
            yield Assumption(f"installed besides: {', '.join(self.also)}", "as you say", "")


def _after_links(links: str, shown: ProjectPlan, *, setup: str | None = None, cwd: str | None = None, **_: Any) -> str:
    """A set-up, as it is said or else shown, after the links of a workspace, which are made in the folder that the files show."""
    rest = shown.setup.removeprefix(links).removeprefix(" && ") if setup is None else setup
    if links and cwd is not None and (place := posixpath.relpath(shown.cwd, cwd)) != ".":
        links = f"(cd {quote(place)} && {links})"
    return " && ".join(filter(None, (links, rest)))


@dataclass(frozen=True, slots=True)
class TestsOfCommits:
    """How a project is tested at each commit: as its files there show, with what it took to make the tests pass at the commit that was tried."""

    said: Said
    tried: Candidate
    """The way as the files show it at the commit that was tried."""
    works: Candidate
    """The way in which the tests passed there."""
    wall_ms: float
    """How long the tests took there."""
    passed: int | None
    """How many passed there; None where their runner does not say it."""

    @property
    def found(self) -> Tests:
        """The tests at the commit that was tried."""
        return tests_of_plan(self.works.plan, self._limit_s)

    @property
    def _limit_s(self) -> float:
        """The limit of a run of the tests (s): as it is said, else by what they took."""
        return float(self.said.members.get("timeout_s") or limit_s(self.wall_ms))

    def plan_of(self, files: Mapping[str, str]) -> ProjectPlan | None:
        """The plan that the files (path → text) of another commit show for the same way; None where they do not show it."""
        return next((each.plan for each in self.said.candidates(files) if each.name == self.tried.name), None)

    def holds_for(self, files: Mapping[str, str]) -> bool:
        """Whether the files of another commit show the very plan that was tried."""
        return self.plan_of(files) == self.tried.plan

    def tests_of(self, files: Mapping[str, str]) -> Tests | None:
        """The tests at another commit with these files (path → text), untried where `holds_for` says no."""
        at = self.plan_of(files)
        if at is None:
            return detect_tests(files)
        before, after = self.tried.plan, self.works.plan
        command = at.command + after.command.removeprefix(before.command)
        plan = replace(
            at,
            requires=_moved(before.requires, after.requires, at.requires),
            command=command if after.command.startswith(before.command) else after.command,
        )
        return tests_of_plan(plan, self._limit_s)


def _moved(before: Sequence[str], after: Sequence[str], at: Sequence[str]) -> tuple[str, ...]:
    """What is required elsewhere, with the same taken out and added as between two lists. Example: (a, b), (a, c), (a, b, d) gives (a, d, c)."""
    gone = set(before) - set(after)
    return tuple(
        dict.fromkeys([*(item for item in at if item not in gone), *(item for item in after if item not in before)])
    )


def limit_s(wall_ms: float) -> float:
    """How long a run of tests may take (s) that took so long (ms) once."""
    return round(min(LONGEST_S, max(SHORTEST_S, PATIENCE * wall_ms / 1000)))
