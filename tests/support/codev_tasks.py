"""Tasks that are gaps in a text of the tests' own."""

from __future__ import annotations

from corpora.tasks import Task
from replay.judge.states import ProjectState
from runners.programs import Programs, ReachedChecks
from runners.verdicts import Result

PYTHON = """\
def total(prices):
    found = 0
    for price in prices:
        if price > 1:
            found += price
    return found


def other(x):
    return x
"""


class NoTests:
    """The tests of a task that nobody runs."""

    timeout_s = 1.0
    requires = ()

    def program(self, state: ProjectState) -> str:
        return state.text

    code = key = program

    async def prepare(self, state: ProjectState, programs: Programs) -> None: ...

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        raise NotImplementedError

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> None: ...


def task(text: str, truth: str, type_: str = "STATEMENT", language: str = "python", **more: object) -> Task:
    """What stands in a text as a gap; the first place counts."""
    before, _, after = text.partition(truth)
    members = {"corpus": "c", "name": "n", "category": type_, "language": language, "path": "a", "tests": NoTests()}
    return Task(**(members | {"before": before, "after": after, "truth": truth} | more))  # type: ignore[arg-type]
