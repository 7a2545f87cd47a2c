"""Tests of a program by what it writes: it is run with each test case, and its output compared with the expected one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from corpora.fetching import digest
from corpora.simcopilot.simcopilot_files import EXTENSIONS, OutputCase, decoded, difference
from replay.judge.states import ProjectState
from runners.errors import SandboxFailed
from runners.programs import JAVAC, Command, Program, Programs, ReachedChecks
from runners.protocol import Completed, Mount
from runners.verdicts import Result, classify, first_line, infrastructure

_BESIDE, _JUNIT = "/beside", "/junit"
_LINKS = 'IFS=:; for file in $BESIDE; do ln -s "$file" .; done; unset IFS; '
"""The program finds the files beside it under their own names, as in the script (`eval_code.symlink_supporting_files`)."""
_BUILT = "ghosttape: built"
"""What is written between building and running, where no line of the program has run."""
_LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
JUNIT_JARS = "junit-platform-console-standalone-*.jar"
_LEAST_S = 0.1


@lru_cache(maxsize=64)
def _digest(folder: Path) -> str:
    return digest(folder, "**/*")


@dataclass(frozen=True, slots=True)
class OutputTests:
    """Run the program that the document is the upper part of: it passes if it ends with status 0 and writes what is expected, in each test case."""

    language: str
    path: Path
    """The program in the data; the files beside it are there when it runs, but for programs and expected outputs."""
    cases: tuple[OutputCase, ...]
    whole: bool
    """Whether the whole output is compared, or its last line."""
    below: str = ""
    """What stands in the program below the document."""
    junit: Path | None = None
    """The jar that runs a Java program's tests."""
    jars_first: bool = False
    """Whether a class of a Java program gives way to one of that name in a jar beside it, as in the script: then no test looks at it."""
    requires: tuple[str, ...] = ()
    timeout_s: float = 25.0
    """For building and running all test cases."""

    def program(self, state: ProjectState) -> str:
        """The program, and what its test cases append to it."""
        return "\n".join((state.text + self.below, *(case.appended for case in self._cases)))

    def code(self, state: ProjectState) -> str:
        """The same."""
        return self.program(state)

    def key(self, state: ProjectState) -> str:
        """The program with its test cases, the files beside it, its packages and its limit."""
        known = (self.language, self.path.name, state.text + self.below, self.cases, self.whole)
        junit = self.junit.name if self.junit else ""
        beside = (_digest(self.path.parent), junit, self.jars_first)
        return repr((*known, *beside, self.requires, self.timeout_s))

    async def prepare(self, state: ProjectState, programs: Programs) -> None:
        """Make ready what the program needs."""
        del state
        await programs.prepare(Program(self.language, "", requires=self.requires))

    async def run(
        self,
        state: ProjectState,
        programs: Programs,
        reached: ReachedChecks | None = None,
        *,
        within_s: float | None = None,
    ) -> Result:
        """Run the test cases one after the other, until one fails."""
        del reached
        limit_s, took_ms, result = within_s or self.timeout_s, 0.0, infrastructure("there is no test case")
        for case in self._cases:
            left_s = max(_LEAST_S, limit_s - took_ms / 1000)
            result = await self._tested(state, case, programs, left_s)
            took_ms += result.wall_ms
            if result.verdict_class != "passed":
                break
        return replace(result, wall_ms=took_ms)

    def reached(self, finished: ProjectState, hole: tuple[int, int]) -> None:
        """Nothing: the tests are no statements of the program."""

    @property
    def _cases(self) -> tuple[OutputCase, ...]:
        """The test cases; the tests of a Java program are in it, and nothing is appended."""
        return tuple(replace(case, appended="") for case in self.cases) if self.junit else self.cases

    async def _tested(self, state: ProjectState, case: OutputCase, programs: Programs, timeout_s: float) -> Result:
        try:
            done = await programs.execute(self._command(state, case), timeout_s=timeout_s)
        except (SandboxFailed, OSError) as error:
            return infrastructure(f"{type(error).__name__}: {error}")
        return self._judged(done, case)

    def _command(self, state: ProjectState, case: OutputCase) -> Command:
        text = state.text + self.below
        files = {self.path.name: text if self.junit else f"{text}\n{case.appended}"}
        beside = [Mount(file, f"{_BESIDE}/{file.name}") for file in self._beside()]
        env = {"BESIDE": ":".join(mount.target for mount in beside)}
        if self.junit is None:
            line = f"{_LINKS}exec python {shlex.quote(self.path.name)}"
            return Command(self.language, line, files, self.requires, tuple(beside), env)
        junit = Mount(self.junit, f"{_JUNIT}/{self.junit.name}")
        jars = [junit.target, *(mount.target for mount in beside if mount.target.endswith(".jar"))]
        env["CLASSPATH"] = ":".join(jars)
        return Command(self.language, self._java(), files, self.requires, (*beside, junit), env)

    def _java(self) -> str:
        """The words that build a Java program beside its jars, and run its JUnit tests."""
        file, name = shlex.quote(self.path.name), shlex.quote(self.path.stem)
        path = "$CLASSPATH:." if self.jars_first else ".:$CLASSPATH"
        build = f'export CLASSPATH="{path}"; javac {JAVAC} {file} && echo "{_BUILT}"'
        return f"{_LINKS}{build} && exec java -XX:+UseSerialGC {_LAUNCHER} --select-class {name}"

    def _beside(self) -> list[Path]:
        """The files beside the program that it may use."""
        files = sorted(path for path in self.path.parent.iterdir() if path.suffix not in EXTENSIONS.values())
        hidden = self.path.with_suffix(".json").name
        return [
            path for path in files if path.name != hidden and not path.name.startswith(".") and ":" not in path.name
        ]

    def _judged(self, done: Completed, case: OutputCase) -> Result:
        """The verdict on one run. Status and output decide; what JUnit counts only says why a program failed."""
        began, done = self._begun(done)
        if done.exit != 0 and self.junit and began:
            return classify(done, "junit")
        result = classify(done, "", self.language, began=began)
        if result.verdict_class != "passed":
            return result
        differs = difference(done.stdout, decoded(case.expected), whole=self.whole)
        return replace(result, verdict_class="failed", message=first_line(differs)) if differs else result

    def _begun(self, done: Completed) -> tuple[bool, Completed]:
        """Whether the program was built, and what was written after that."""
        if self.junit is None:
            return True, done
        head, mark, rest = done.stdout.partition(f"{_BUILT}\n")
        return bool(mark), replace(done, stdout=rest if mark else head)
