"""Programs of one file with their own tests, as in benchmarks: built and run; a pass counts only if the program comes to its end.

Status 0 is not enough: a completion that says `exit(0)` would pass every assertion behind it. A program passes if it ends with status 0
and either comes to its end (`runners/witness/`) or is left by a line that no model wrote.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Protocol

import tree_sitter

from runners import witness
from runners.errors import SandboxFailed, ToolchainMissing
from runners.files import remove_tree, write_all
from runners.limits.processes import in_thread
from runners.programs import probes
from runners.programs.checks import Check
from runners.project import ProjectPlan, is_file_name_error, with_one_retry
from runners.protocol import Completed, Job, Limits, Mount, Sandbox
from runners.temporary import TemporaryFolder, temporary_folder
from runners.toolchains import Layer, toolchain
from runners.verdicts import Result, classify, classify_ending, infrastructure
from syntax.languages import language_of
from syntax.parse import Tree, descendants

SAYS_END = '\n;typeof __ghosttape_end__ === "function" && __ghosttape_end__()'
"""What follows a JavaScript program, on a line of its own: a `return` could leave the file before it.

A child that runs the same file has no driver, and nothing to call.
"""

TSC = (
    "--target es2022 --module commonjs --moduleResolution node10 --lib es2022,dom,dom.iterable --esModuleInterop "
    "--resolveJsonModule --skipLibCheck --types node --typeRoots /node_modules/@types --inlineSourceMap --pretty false"
)
"""Options of `tsc` for checking one file and writing the JavaScript beside it."""

JAVAC = "-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-Xss64m -nowarn -g -encoding UTF-8 -proc:none"
"""The stack is so large that deeply nested code always compiles: with the default stack, that depends on what javac did before."""

JAVA = "-XX:+UseSerialGC -ea"
DRIVE = "ghosttape.witness.Drive"
"""The class that calls a Java program's main. It is in a package, because a program's own classes can have any name outside of packages."""
CXX = "g++ -std=c++17 -pthread"
CXX_OPTIONS = ("-O0",)
"""Options of C++ programs that name none."""
WRAPPED = ",".join(f"--wrap={name}" for name in ("main", "exit", "_exit", "_Exit", "quick_exit"))
"""What the linker puts the driver's functions in the place of."""

_LEAVES = re.compile(r"exit|quit|halt|kill|eval|syscall|dlsym|asm|exec[lv]", re.IGNORECASE)
"""Words in code that can leave a program, unless the code hides them on purpose."""
_SWALLOWS = re.compile(r"uncaught|unhandled|eval|Function|process\s*(?:\[|\?\.)|['\"`/:]domain['\"`]", re.IGNORECASE)
"""Words in code that installs a handler for uncaught errors, which can hide a failed assertion."""

_MEANT = re.compile(r"(meant|harmless) (-?[0-9]{1,9})")
_EXITS = re.compile(r"exit|process|eval|Function|globalThis")
"""Words in code that can put something in the place of `process.exit`."""
_HALTS = re.compile(r"halt|_exit|invoke|eval", re.IGNORECASE)
"""Words in code that can end a program while it is on its way out."""

_BEGIN = 'echo "\n$GHOSTTAPE_BEGIN begin" >&2'
HIDE = f"read -r witness <{witness.FILE} && rm {witness.FILE} && "
"""What comes before a compiler that can be made to read any file (`#include`): the shell keeps the number meanwhile."""
SHOW = f'echo "$witness" >{witness.FILE}'
"""What comes before a program whose number the shell has kept."""
_CSPROJ = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework><ImplicitUsings>enable</ImplicitUsings>
<UseAppHost>false</UseAppHost></PropertyGroup></Project>
"""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of one file that is its own test: it passes if it is built, comes to its end, and has status 0."""

    language: str
    """One of `LANGUAGES`."""
    text: str
    name: str = ""
    """The name of the file; "": that of the language, and for Java that of the public class."""
    requires: tuple[str, ...] = ()
    """Packages of its toolchain."""
    options: tuple[str, ...] = ()
    """Words for g++ and its linker (`-O2`, `-lcrypto`), in the place of `CXX_OPTIONS`, or for tsc, behind `TSC`; () in other languages."""
    written: tuple[int, int] | None = None
    """The first and the last line (from 1) that a model wrote; None: all of them.

    A program that leaves by `exit(0)` in these lines does not pass, nor by a `return` of `main` with other lines behind it. An
    `exit(0)` in the other lines passes. With None a `return` of `main` passes.
    """
    probes: Mapping[int, Check] = field(default_factory=dict, hash=False)
    """Statements of `text` to be recorded, by numbers of the caller's: `Result.reached` tells which were executed."""


class Programs(Protocol):
    """Something that runs programs."""

    async def prepare(self, program: Program) -> None:
        """Make ready what the program needs (its toolchain with its packages), without running it.

        Raises `ToolchainMissing`, `RequirementRefused`, `SetupFailed`.
        """
        ...

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Build and run the program, both within the time; what the machine is to blame for is "infrastructure"."""
        ...

    async def execute(self, command: Command, *, timeout_s: float) -> Completed:
        """Run a command in a fresh sandbox. Raises `SandboxFailed` or `OSError` if the machine fails, twice in a row."""
        ...

    async def close(self) -> None:
        """Stop what runs and remove what was made."""
        ...


@dataclass(frozen=True, slots=True)
class Way:
    """How programs of a language run: the toolchain, the file's name, the command to build and run, and the files beside it."""

    toolchain: str
    file: str
    command: str
    beside: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    """Words for the compiler of a program that names none."""


_NODE = 'node --enable-source-maps --require "$GHOSTTAPE/drive.cjs" {stem}.js'
_WAYS = {
    "python": Way("python", "program.py", 'python "$GHOSTTAPE/drive.py" {file}'),
    "javascript": Way("node", "program.js", 'node --require "$GHOSTTAPE/drive.cjs" {file}'),
    "typescript": Way(
        "typescript",
        "program.ts",
        f"tsc {TSC} {{options}} {{file}} && {_BEGIN} && cat .end.js >>{{stem}}.js && rm .end.js && exec {_NODE}",
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
        f'{HIDE}{CXX} {{options}} {{file}} {{libraries}} "$DRIVE_CPP/drive.o" -ldl -Wl,{WRAPPED} -o /tmp/program && {_BEGIN} && {SHOW} && exec /tmp/program',
        options=CXX_OPTIONS,
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
"""The languages whose programs report that they came to their end; for other languages only the status is known."""


def way_of(language: str) -> Way:
    """Return how programs of the language run. Raises `ToolchainMissing` if there is no way."""
    if language not in _WAYS:
        raise ToolchainMissing(f"programs in {language!r} cannot be run: choose one of {', '.join(_WAYS)}")
    return _WAYS[language]


def plan_of(program: Program) -> ProjectPlan:
    """Return the toolchain and the command that build and run the program."""
    way, file = way_of(program.language), _file(program)
    main = main_class(program.text) if program.language == "java" else ""
    names = {"file": file, "stem": Path(file).stem, "main": main}
    quoted = {key: shlex.quote(name) for key, name in names.items()}  # the name of a Java class can contain a $
    command = way.command.format_map(quoted | _words(program.options or way.options))
    return ProjectPlan(way.toolchain, program.requires, command=command)


def _words(options: Sequence[str]) -> dict[str, str]:
    """What stands before a file and behind it on its compiler's line: a library counts only for what stands before it."""
    libraries = [word for word in options if word.startswith("-l")]
    return {
        "options": shlex.join(word for word in options if word not in libraries),
        "libraries": shlex.join(libraries),
    }


def files_of(program: Program) -> dict[str, str]:
    """Return the files that the command of `plan_of` finds in its folder."""
    text = probes.with_probes(program.language, program.text, program.probes)
    text = text + SAYS_END if program.language == "javascript" else text
    return {_file(program): text, **way_of(program.language).beside}


def witness_files(program: Program, nonce: str) -> dict[str, str]:
    """Return the file by which its driver gets this run's number."""
    return {witness.FILE: f"{nonce}\n"} if program.language in WITNESSED else {}


def variables_of(program: Program, nonce: str) -> dict[str, str]:
    """Return the variables that its command and its driver read."""
    return {**witness.program_environment(nonce), **probes.variables(program.language, program.text, program.probes)}


def _file(program: Program) -> str:
    own = java_file(program.text) if program.language == "java" else way_of(program.language).file
    return program.name or own


def verdict(done: Completed, program: Program, nonce: str) -> Result:
    """Return the verdict on a program that was run by the command of `plan_of`, with this witness."""
    began, stderr = witness.split_words(done.stderr, witness.begin_number(nonce))
    said, stderr = witness.split_words(stderr, nonce)
    done, built = replace(done, stderr=stderr), _BEGIN in way_of(program.language).command
    result = classify(done, "", program.language, began="begin" in began or not built)
    result = replace(result, reached=probes.reached(said))
    if result.verdict_class != "passed" or program.language not in WITNESSED:
        return result
    return classify_ending(
        result, left=_left(said, program), swallowed=_swallowed(said, program), meant=_meant(said, program)
    )


def _meant(said: list[str], program: Program) -> int:
    """Return the status that the program was about to end with when something replaced it by 0; 0 if nothing did.

    A `process.exit` that does nothing counts where the model's lines may have made it so: tests of others may put one there.
    """
    found = [(found[1], int(found[2])) for word in said if (found := _MEANT.fullmatch(word))]
    own = program.written is not None and _names(_EXITS, program.text, program.written)
    return next((status for kind, status in found if kind == "meant" or own), 0)


def _left(said: list[str], program: Program) -> str | None:
    """Return the place, for a message, at which the program was left before its end; None if it came to its end."""
    if not _came_to_its_end(said, program):
        line = next((word.removeprefix("exit ") for word in said if word.startswith("exit ")), "")
        return f" in line {line}" if line.strip("0") else ""
    if _swallowed(said, program) or not program.written:
        return None
    line_of_return = returns_early(program.language, program.text, program.written)
    return f" by the return in line {line_of_return}" if line_of_return else None


def _swallowed(said: list[str], program: Program) -> bool:
    """Return whether a handler that the model may have installed took an uncaught error."""
    return "caught" in said and program.written is not None and _names(_SWALLOWS, program.text, program.written)


def _came_to_its_end(said: list[str], program: Program) -> bool:
    if "end" in said:
        return True
    lines = [int(word.removeprefix("exit ")) for word in said if re.fullmatch(r"exit [0-9]{1,9}", word)]
    if not lines or program.written is None:
        return False
    if program.language == "java" and _names(_HALTS, program.text, program.written):
        return False  # the JVM tells nobody the status that a hook of the model's replaced
    return all(_is_believed(line, program.text, program.written) for line in lines)


def _is_believed(line: int, text: str, written: tuple[int, int]) -> bool:
    """Return whether a line that no model wrote left the program. For line 0 (unknown), the words in the model's lines decide."""
    first, last = written
    if line:
        return not first <= line <= last
    return not _names(_LEAVES, text, written)


def _names(words: re.Pattern[str], text: str, written: tuple[int, int]) -> bool:
    """Return whether the model's lines contain one of these words."""
    first, last = written
    return any(words.search(own) for own in text.splitlines()[first - 1 : last])


@dataclass(frozen=True, slots=True)
class Cold:
    """Runs each program in a fresh sandbox."""

    sandbox: Sandbox
    cache: Path
    progress: Callable[[str], None]
    workspace: TemporaryFolder
    _layers: dict[tuple[str, tuple[str, ...]], asyncio.Task[Layer]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    async def prepare(self, program: Program) -> None:
        """Make the layer of the program's toolchain, or find it."""
        await self.layer(plan_of(program))

    async def run(self, program: Program, *, timeout_s: float) -> Result:
        """Run the program; after a failure of the machine, try once more in a fresh folder.

        If the file system refuses a file name that comes from the program's text, the verdict is "failed".
        Raises `ToolchainMissing`, `RequirementRefused`, `SetupFailed`, `PathRefused`.
        """
        plan = plan_of(program)
        layer = await self.layer(plan)
        try:
            return await with_one_retry(lambda: self._run(program, plan, layer, timeout_s))
        except (SandboxFailed, OSError) as error:
            result = infrastructure(f"{type(error).__name__}: {error}")
            named = _file(program) != way_of(program.language).file and is_file_name_error(error)
            return replace(result, verdict_class="failed") if named else result

    async def _run(self, program: Program, plan: ProjectPlan, layer: Layer, timeout_s: float) -> Result:
        nonce = witness.new_nonce()
        files = {**files_of(program), **witness_files(program, nonce)}
        env, mounts = variables_of(program, nonce), (witness.MOUNT,)
        command = Command(program.language, plan.command, files, plan.requires, mounts, env)
        return verdict(await self._in_a_folder(command, layer, timeout_s), program, nonce)

    async def execute(self, command: Command, *, timeout_s: float) -> Completed:
        """Run a command; after a failure of the machine, try once more in a fresh folder."""
        layer = await self.layer(ProjectPlan(way_of(command.language).toolchain, command.requires))
        return await with_one_retry(lambda: self._in_a_folder(command, layer, timeout_s))

    async def _in_a_folder(self, command: Command, layer: Layer, timeout_s: float) -> Completed:
        folder = self.workspace.folder / f"program-{next(self._numbers)}"
        env, mounts = {**layer.env, **command.env}, (*layer.mounts, *command.mounts)
        try:
            folder.mkdir()
            await in_thread(write_all, folder, command.files)
            job = Job(folder, command.line, env=env, mounts=mounts, limits=replace(Limits(), wall_s=timeout_s))
            return await self.sandbox.run(job)
        finally:
            await in_thread(remove_tree, folder)

    async def layer(self, plan: ProjectPlan) -> Layer:
        """Return the layer of the plan's toolchain; it is made on first use."""
        key = (plan.toolchain, plan.requires)
        if key not in self._layers:
            made = toolchain(plan.toolchain).layer(plan.requires, self.cache, self.progress)
            self._layers[key] = asyncio.ensure_future(made)
        return await asyncio.shield(self._layers[key])

    async def close(self) -> None:
        """Remove everything that was made."""
        for task in self._layers.values():
            task.cancel()
        await asyncio.gather(*self._layers.values(), return_exceptions=True)
        await in_thread(self.workspace.close)


async def cold(sandbox: Sandbox, cache: Path, progress: Callable[[str], None]) -> Programs:
    """Return a runner that uses a fresh sandbox for each program; a toolchain's layer is made on first use."""
    return Cold(sandbox, cache, progress, await in_thread(temporary_folder))


# Returns of a program's `main` that leave it before what others wrote behind them: no driver can see those.

_SILENT = {"comment", "line_comment", "block_comment"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a language's tree names functions, and what has returns of its own inside of them."""

    function: str
    inner: frozenset[str]


_SHAPES = {
    "cpp": _Shape("function_definition", frozenset({"lambda_expression", "class_specifier", "struct_specifier"})),
    "java": _Shape("method_declaration", frozenset({"lambda_expression", "class_body", "record_declaration"})),
}


def returns_early(language: str, text: str, written: tuple[int, int]) -> int:
    """Return the line of a `return` of `main` in these lines (from 1) that has statements of other lines behind it.

    0 if there is none, and for languages whose programs have no `main`. A return of a number other than 0 does not count:
    a program that ended with status 0 has not come by it. Whether one that stands under a condition was executed is not
    known: it counts.
    """
    shape, parsed = _SHAPES.get(language), language_of(language)
    if shape is None or parsed is None:
        return 0
    for body in _mains(Tree(parsed, text).root, shape):
        for node in _returns(body, shape):
            if written[0] <= _line(node) <= written[1] and _has_more(body, node, written[1]):
                return _line(node)
    return 0


def _mains(root: tree_sitter.Node, shape: _Shape) -> Iterator[tree_sitter.Node]:
    for node in descendants(root):
        body = node.child_by_field_name("body")
        if node.type == shape.function and body and _function_name(node) == b"main":
            yield body


def _function_name(function: tree_sitter.Node) -> bytes | None:
    named = function.child_by_field_name("name") or function.child_by_field_name("declarator")
    while named and (inner := named.child_by_field_name("declarator")):
        named = inner
    return named.text if named else None


def _returns(body: tree_sitter.Node, shape: _Shape) -> Iterator[tree_sitter.Node]:
    """The returns in the order of the text; by a stack of our own, as a model may nest as deep as it likes."""
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == "return_statement" and not _fails(node):
            yield node
        elif node is body or node.type not in shape.inner:
            stack.extend(reversed(node.named_children))


def _fails(statement: tree_sitter.Node) -> bool:
    value = next((child.text or b"" for child in statement.named_children if child.type not in _SILENT), b"")
    return value == b"EXIT_FAILURE" or (value.lstrip(b"-").isdigit() and value.strip(b"-0") != b"")


def _has_more(body: tree_sitter.Node, left: tree_sitter.Node, last: int) -> bool:
    """Tell whether `main` goes on behind the return, in lines that others wrote or on the very line of the return."""
    behind = [node for node in body.named_children if node.type not in _SILENT and node.start_byte >= left.end_byte]
    return any(_line(node) > last or _line(node) == _line(left) for node in behind)


def _line(node: tree_sitter.Node) -> int:
    return node.start_point[0] + 1


# The names that javac and java need of a program: that of its file, and that of the class with `main`.

_LONGEST_NAME, _LONGEST_PATH = 255, 4095
"""How many bytes the name of a file and a path have at most on Linux."""

_STRINGS = re.compile(r"\bString\b.*(?:\[|\.\.\.)", re.DOTALL)


def java_file(text: str) -> str:
    """Return the name that javac wants for the file: that of its public type.

    `Main.java` if no file can have that name, or that of its class: javac then says what is wrong.
    """
    public = next((_name(node) for node in _types(text) if "public" in _modifiers(node)), "Main")
    return f"{public}.java" if _size(f"{public}.class") <= _LONGEST_NAME else "Main.java"


def main_class(text: str) -> str:
    """Return the full name of the Java type that has `main`, with its package; that of the first type if none has.

    `Main` if it is so long that javac cannot write the class: a command line has its limits too.
    """
    types = list(_types(text))
    name = next((_name(node) for node in types if _has_main(node)), _name(types[0]) if types else "Main")
    package = next((node for node in _tree(text).root.children if node.type == "package_declaration"), None)
    full = ".".join([*(_parts(package) if package else ()), name])
    return full if _size(full) <= _LONGEST_PATH else "Main"


def _parts(package: tree_sitter.Node) -> Iterator[str]:
    """The words of a package's name, without the comments and line ends that may stand between them."""
    names = [node for node in package.named_children if node.type.endswith("identifier")]
    return (_text(node) for name in names for node in descendants(name) if node.type == "identifier")


def _size(name: str) -> int:
    return len(name.encode())


def _tree(text: str) -> Tree:
    language = language_of("java")
    assert language is not None
    return Tree(language, text)


def _types(text: str) -> Iterator[tree_sitter.Node]:
    """The types of the file itself, also of one that does not quite parse."""
    for node in _tree(text).root.children:
        if node.type.endswith("_declaration") and node.child_by_field_name("body"):
            yield node


def _has_main(node: tree_sitter.Node) -> bool:
    body = node.child_by_field_name("body")
    return any(_is_main(child) for child in body.children) if body else False


def _is_main(node: tree_sitter.Node) -> bool:
    """Tell a `main` that can be started from others of its name, by what it takes: `String[]` or `String...`."""
    taken = node.child_by_field_name("parameters") if node.type == "method_declaration" else None
    if taken is None or _name(node) != "main" or "static" not in _modifiers(node):
        return False
    return len(taken.named_children) == 1 and _STRINGS.search(_text(taken)) is not None


def _modifiers(node: tree_sitter.Node) -> list[str]:
    return [_text(word) for child in node.children if child.type == "modifiers" for word in child.children]


def _name(node: tree_sitter.Node) -> str:
    name = node.child_by_field_name("name")
    return _text(name) if name else "Main"


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


# A command over some files, with others of this machine beside them: for programs whose tests are in what
# they write.


@dataclass(frozen=True, slots=True)
class Command:
    """A command line in a folder of its own. Unlike a `Program` it says nothing of itself: who asks for it judges how it ends."""

    language: str
    """One of `runners.programs.LANGUAGES`; it names the toolchain."""
    line: str
    """A command line for `sh`."""
    files: Mapping[str, str]
    """The folder: path → text."""
    requires: tuple[str, ...] = ()
    """Packages of its toolchain."""
    mounts: tuple[Mount, ...] = ()
    """Files and folders of this machine that it may read."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables; a path below the target of a mount is right in every sandbox only here, not in the line."""
