"""Programs of one file that are their own tests, as benchmarks have them: built, run, and believed only if they end.

Status 0 is not enough: a completion that says `exit(0)` would pass every assertion behind it. A program has passed if it
ended with status 0 and came to its end (`runners/witness/`), or was left by a line that no model wrote.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Protocol

from runners import witness
from runners.errors import SandboxFailed, ToolchainMissing
from runners.files import remove_tree, write_all
from runners.java_names import java_file, main_class
from runners.project import Plan, is_of_a_name, once_more
from runners.protocol import Completed, Job, Limits, Sandbox
from runners.returns import returns_early
from runners.toolchains import Layer, toolchain
from runners.verdicts import Result, classify, infrastructure
from runners.workspace import Workspace, create

SAYS_END = '\n;typeof __ghosttape_end__ === "function" && __ghosttape_end__()'
"""What follows a JavaScript program, on a line of its own: a `return` could leave the file before it.

A child that runs the same file has no driver, and nothing to call.
"""

TSC = (
    "--target es2022 --module commonjs --moduleResolution node10 --lib es2022,dom,dom.iterable --esModuleInterop "
    "--resolveJsonModule --skipLibCheck --types node --typeRoots /node_modules/@types --inlineSourceMap --pretty false"
)
"""How one TypeScript file is type-checked and emitted beside itself."""

JAVAC = "-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-Xss64m -nowarn -g -encoding UTF-8 -proc:none"
"""Its stack is so large that what nests deeply compiles each time: with its own, that depends on what javac did before."""

JAVA = "-XX:+UseSerialGC -ea"
DRIVE = "ghosttape.witness.Drive"
"""The class that runs a Java program's main: in a package, as programs have classes of any name in none."""
CXX = "g++ -std=c++17 -O0 -pthread"

_LEAVES = re.compile(r"exit|quit|halt|kill|eval|syscall|dlsym|asm|exec[lv]", re.IGNORECASE)
"""What a text that leaves a program must say, unless it was written to hide it."""
_SWALLOWS = re.compile(r"uncaught|unhandled|eval|Function|process\s*(?:\[|\?\.)", re.IGNORECASE)
"""What a text says that installs a handler for what nothing caught, in which an assertion that fails would vanish."""

_BEGIN = 'echo "\n$GHOSTTAPE_WITNESS begin" >&2'
_CSPROJ = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework><ImplicitUsings>enable</ImplicitUsings>
<UseAppHost>false</UseAppHost></PropertyGroup></Project>
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of one file that is its own test: it passes if it is built and ends with status 0, having come to its end.

    `language` is python, javascript, typescript, java, cpp or csharp; `name` the file's name (empty: the language's own,
    for Java that of the public class); `requires` packages of its toolchain. `written` are the first and last line
    (from 1) that a model wrote: a call of `exit(0)` there does not pass, nor does a `return` of `main` before what others
    wrote behind it; a call of `exit(0)` in the lines around it does. None: all, and returns of `main` pass.
    """

    language: str
    text: str
    name: str = ""
    requires: tuple[str, ...] = ()
    written: tuple[int, int] | None = None


class Programs(Protocol):
    """Something that runs programs."""

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Build and run the program, both within the time; what the machine is to blame for is "infrastructure"."""
        ...

    async def close(self) -> None:
        """Stop what runs and remove what was made."""
        ...


@dataclass(frozen=True, slots=True)
class Way:
    """How the programs of a language run: its toolchain, its file, the files beside it, and the command to build and run."""

    toolchain: str
    file: str
    command: str
    beside: Mapping[str, str] = field(default_factory=dict)


_NODE = 'node --enable-source-maps --require "$GHOSTTAPE/drive.cjs" {stem}.js'
_WAYS = {
    "python": Way("python", "program.py", 'python "$GHOSTTAPE/drive.py" {file}'),
    "javascript": Way("node", "program.js", 'node --require "$GHOSTTAPE/drive.cjs" {file}'),
    "typescript": Way(
        "typescript",
        "program.ts",
        f"tsc {TSC} {{file}} && {_BEGIN} && cat .end.js >>{{stem}}.js && rm .end.js && exec {_NODE}",
        {".end.js": SAYS_END},
    ),
    "java": Way(
        "java",
        "Main.java",
        f'javac {JAVAC} -d /tmp/out {{file}} && {_BEGIN} && exec java {JAVA} -cp "/tmp/out:$DRIVE_JAVA" {DRIVE} {{main}}',
    ),
    "cpp": Way(
        "cpp",
        "program.cpp",
        f'{CXX} {{file}} "$DRIVE_CPP/drive.o" -ldl -Wl,--wrap=main -o /tmp/program && {_BEGIN} && exec /tmp/program',
    ),
    "csharp": Way(
        "csharp",
        "Program.cs",
        f"dotnet build -nologo -v q -o /tmp/out program.csproj && {_BEGIN} && exec dotnet /tmp/out/program.dll",
        {"program.csproj": _CSPROJ},
    ),
}
LANGUAGES = tuple(_WAYS)
WITNESSED = frozenset(LANGUAGES) - {"csharp"}
"""The languages whose programs say that they came to their end; of the others only the status is known."""


def way_of(language: str) -> Way:
    """Return how programs of the language run. Raises `ToolchainMissing` if there is no way."""
    if language not in _WAYS:
        raise ToolchainMissing(f"programs in {language!r} cannot be run: choose one of {', '.join(_WAYS)}")
    return _WAYS[language]


def plan_of(program: Program) -> Plan:
    """Return the toolchain and the command that build and run the program."""
    way, file = way_of(program.language), _file(program)
    main = main_class(program.text) if program.language == "java" else ""
    names = {"file": file, "stem": Path(file).stem, "main": main}
    command = way.command.format_map({key: shlex.quote(name) for key, name in names.items()})  # Java's may have a $
    return Plan(way.toolchain, program.requires, command=command)


def files_of(program: Program) -> dict[str, str]:
    """Return the files that the command of `plan_of` finds in its folder."""
    text = program.text + SAYS_END if program.language == "javascript" else program.text
    return {_file(program): text, **way_of(program.language).beside}


def _file(program: Program) -> str:
    own = java_file(program.text) if program.language == "java" else way_of(program.language).file
    return program.name or own


def verdict(done: Completed, program: Program, nonce: str) -> Result:
    """Return the verdict on a program that was run by the command of `plan_of`, with this witness."""
    said, stderr = witness.heard(done.stderr, nonce)
    done, built = replace(done, stderr=stderr), _BEGIN in way_of(program.language).command
    result = classify(done, "", program.language, began="begin" in said or not built)
    if result.klass != "passed" or program.language not in WITNESSED:
        return result
    if not _came_to_its_end(said, program):
        left = next((word.removeprefix("exit ") for word in said if word.startswith("exit ")), "")
        return _left(result, f" in line {left}" if left.strip("0") else "")
    if "caught" in said and program.written and _names(_SWALLOWS, program.text, program.written):
        return replace(
            result, klass="exception", message="an error that nothing caught went to a handler for such errors"
        )
    if program.written and (line := returns_early(program.language, program.text, program.written)):
        return _left(result, f" by the return in line {line}")
    return result


def _left(result: Result, where: str) -> Result:
    return replace(result, klass="failed", message=f"left with status 0{where} before it came to its end")


def _came_to_its_end(said: list[str], program: Program) -> bool:
    if "end" in said:
        return True
    lines = [int(word.removeprefix("exit ")) for word in said if re.fullmatch(r"exit [0-9]{1,9}", word)]
    if not lines or program.written is None:
        return False
    return all(_is_believed(line, program.text, program.written) for line in lines)


def _is_believed(line: int, text: str, written: tuple[int, int]) -> bool:
    """Tell whether others than a model left the program there; of line 0, where it is not known, by what the model says."""
    first, last = written
    if line:
        return not first <= line <= last
    return not _names(_LEAVES, text, written)


def _names(words: re.Pattern[str], text: str, written: tuple[int, int]) -> bool:
    """Tell whether the model's lines name one of some words."""
    first, last = written
    return any(words.search(own) for own in text.splitlines()[first - 1 : last])


@dataclass(frozen=True, slots=True)
class Cold:
    """Runs each program in a fresh sandbox."""

    sandbox: Sandbox
    cache: Path
    progress: Callable[[str], None]
    workspace: Workspace
    _layers: dict[tuple[str, tuple[str, ...]], asyncio.Task[Layer]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Run the program; one more try in a fresh folder where the machine did not let it run.

        One whose text names its file, and so that this file system cannot have it, has "failed": nothing else is to blame.
        Raises `ToolchainMissing`, `RequirementRefused`, `SetupFailed`, `PathRefused`.
        """
        plan = plan_of(program)
        layer = await self.layer(plan)
        try:
            return await once_more(lambda: self._run(program, plan, layer, timeout_s))
        except (SandboxFailed, OSError) as error:
            result = infrastructure(f"{type(error).__name__}: {error}")
            named = _file(program) != way_of(program.language).file and is_of_a_name(error)
            return replace(result, klass="failed") if named else result

    async def _run(self, program: Program, plan: Plan, layer: Layer, timeout_s: float) -> Result:
        nonce = witness.fresh()
        folder = self.workspace.folder / f"program-{next(self._numbers)}"
        env = {**layer.env, **witness.environment(nonce)}
        mounts = (*layer.mounts, witness.MOUNT)
        try:
            folder.mkdir()
            await asyncio.to_thread(write_all, folder, files_of(program))
            job = Job(folder, plan.command, env=env, mounts=mounts, limits=replace(Limits(), wall_s=timeout_s))
            return verdict(await self.sandbox.run(job), program, nonce)
        finally:
            await asyncio.to_thread(remove_tree, folder)

    async def layer(self, plan: Plan) -> Layer:
        """Return the layer of the plan's toolchain, made when it is first asked for."""
        key = (plan.toolchain, plan.requires)
        if key not in self._layers:
            made = toolchain(plan.toolchain).layer(plan.requires, self.cache, self.progress)
            self._layers[key] = asyncio.ensure_future(made)
        return await asyncio.shield(self._layers[key])

    async def close(self) -> None:
        """Remove what was made."""
        for task in self._layers.values():
            task.cancel()
        await asyncio.gather(*self._layers.values(), return_exceptions=True)
        await asyncio.to_thread(self.workspace.close)


async def cold(sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> Programs:
    """Return what runs each program in a fresh sandbox; a toolchain's layer is made when it is first needed."""
    return Cold(sandbox, cache, progress, await asyncio.to_thread(create))
