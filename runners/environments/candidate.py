"""A way in which a project may be tested, with what it takes for granted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runners.project import ProjectPlan

LINKED = "linked in node_modules, before it is set up: "
"""So begins the assumption that packages of a workspace find each other."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something that is taken for granted about a project, and what changes it."""

    said: str
    """One line for a person. Example: `pytest runs the tests in tests/`."""
    source: str
    """The file that says so, with the place in it; empty where nothing does. Example: `tox.ini [testenv]`."""
    flag: str
    """The flag that changes it. Example: `--test-command`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan that may work. `name` tells the way apart from the others of the same project, also at another commit of it."""

    name: str
    plan: ProjectPlan
    assumptions: tuple[Assumption, ...] = ()
    links: str = ""
    """The command at the beginning of the plan's set-up with which the packages of a workspace find each other; whoever says another set-up keeps it. Empty where there is none."""

    def changed(
        self, name: str, assumption: Assumption, *, requires: tuple[str, ...] | None = None, command: str = ""
    ) -> Candidate:
        """The same with other packages or another command, and with what is taken for granted beyond it."""
        plan = replace(
            self.plan,
            requires=self.plan.requires if requires is None else requires,
            command=command or self.plan.command,
        )
        return replace(self, name=f"{self.name}, {name}", plan=plan, assumptions=(*self.assumptions, assumption))
