"""The ways in which a Python project may be tested, the likeliest first."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files as package_files
from pathlib import PurePosixPath
from shlex import quote
from typing import Any

from packaging.utils import canonicalize_name

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import (
    Files,
    at,
    ini_of,
    lines_of,
    readable,
    string_in,
    strings_in,
    table_in,
    toml_of,
    until_refused,
)
from runners.environments.python.automation import UNKNOWN, of_tox, of_workflows, tox_environments
from runners.environments.python.declared import (
    Declared,
    PackageReader,
    of_pipfile,
    of_poetry,
    of_pyproject,
    of_setup_cfg,
)
from runners.environments.python.source_code import (
    of_noxfile,
    of_requirement_files,
    of_setup_py,
    parsed,
    setup_arguments,
)
from runners.environments.python.versions import ChosenPython, chosen_python
from runners.project import ProjectPlan
from runners.toolchains import language_of
from runners.toolchains.interpreters import series_of

PYTEST_REQUIREMENT = "pytest>=8.3,<9"
_PYTEST_OF_3_7 = "pytest>=7.4,<8"
TIMEOUT_S = 60.0
_READERS: tuple[PackageReader, ...] = (
    of_pyproject,
    of_poetry,
    of_setup_cfg,
    of_setup_py,
    of_requirement_files,
    of_pipfile,
    of_tox,
    of_noxfile,
    of_workflows,
)
AS_GHOSTTAPE_RUNS = ", as ghosttape runs"
"""The end of the names of ways with the interpreter that runs ghosttape, where another one was chosen though an installer would take both."""
SITE = ".ghosttape-site"
"""The folder of the project into which a build puts what says that the project is installed."""


@dataclass(frozen=True)
class PythonProject:
    """A Python project with tests: its files (path → text), the folder that describes it, and the interpreter for it."""

    files: Files
    root: PurePosixPath
    python: ChosenPython

    @cached_property
    def declared(self) -> tuple[Declared, ...]:
        """All packages that its files name, but for itself; those of nearer sources come first."""
        own = str(canonicalize_name(project_name(self.files, self.root) or "-"))
        found = (each for reader in _READERS for each in until_refused(reader(self.files, self.root)))
        return tuple(each for each in found if each.name != own and each.is_for(self.python.version))

    @cached_property
    def imported(self) -> set[str]:
        """The modules that its tests import from elsewhere."""
        return imported_by_tests(self.files, self.root)

    @property
    def unnamed(self) -> list[str]:
        """The modules that its tests import, and that no package brings which a file names."""
        named = {each.name for each in self.declared} | {"pytest", "setuptools", "pip"}
        return sorted(name for name in self.imported if package_of(name) not in named)


def python_project(files: Files, toolchain: str = "") -> PythonProject | None:
    """The Python project of some files; None where they hold no tests of one. `toolchain`: the one that is asked for, as `python3.9`; empty: as the files say."""
    files = readable(files)
    tests = sorted((path for path in files if is_test(path) and _is_module(path)), key=_depth)
    if not tests:
        return None
    inside = [path for path in tests if not {"test", "tests"}.isdisjoint(PurePosixPath(path).parts[:-1])]
    root = project_root(files, PurePosixPath((inside or tests)[0]).parent)
    asked = toolchain if language_of(toolchain) == "python" else ""
    return PythonProject(files, root, chosen_python(files, root, asked))


def _is_module(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("test_") or name.endswith(("_test.py", "_tests.py")) or name in {"tests.py", "test.py"}


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def python_candidates(files: Files, toolchain: str = "") -> Iterator[Candidate]:
    """The ways to test a Python project; none where its files hold no tests. `toolchain`: the one that is asked for, as `python3.9`.

    First with what it runs with and what its tests import, then with all that is listed for tests; each with pytest, then as tox
    has it; then the same after the project was built. Where another interpreter than the one that runs ghosttape is chosen, though
    an installer would take both, all of it once more with the latter.
    """
    project = python_project(files, toolchain)
    if project is None:
        return
    yield from _candidates(project)
    if project.python.because is not None and not project.python.because.binding:
        own = replace(project, python=chosen_python(files, project.root, "python"))
        yield from (replace(each, name=each.name + AS_GHOSTTAPE_RUNS) for each in _candidates(own))


def _candidates(project: PythonProject) -> Iterator[Candidate]:
    ways = list(_ways(project))
    yield from (_candidate(project, way) for way in ways)
    why = needs_build(project.files, project.root) or "as an installer does"
    yield from (_candidate(project, way, why) for way in ways)


@dataclass(frozen=True, slots=True)
class _Way:
    """A command with the packages that it gets, and the file that names it."""

    name: str
    command: str
    source: str
    required: Mapping[str, Declared]


def _ways(project: PythonProject) -> Iterator[_Way]:
    imported = {package_of(name) for name in project.imported}
    narrow = requirements_of(project, _needed_by(project, imported))
    wide = requirements_of(project, lambda each: each.use != "other" and _keeps_order(each, imported))
    pytest = " ".join([PYTEST, *_unfound(project)])
    yield _Way("pytest", pytest, "", narrow)
    if set(wide) != set(narrow):
        yield _Way("pytest with all test packages", pytest, "", wide)
    for command, source in dict(tox_commands(project.files, project.root)).items():
        if command != PYTEST:
            yield _Way(f"tox: {command}", command, source, wide)


def _unfound(project: PythonProject) -> Iterator[str]:
    """The files of tests, where pytest finds none by their names."""
    below = (PurePosixPath(path) for path in project.files)
    tests = [
        path.relative_to(project.root) for path in below if path.is_relative_to(project.root) and is_test(str(path))
    ]
    named = [path for path in tests if path.name.startswith("test_") or path.name.endswith("_test.py")]
    if not named and "python_files" not in pytest_options(project.files, project.root):
        yield from (quote(str(path)) for path in sorted(tests) if path.name in {"test.py", "tests.py"})


def _needed_by(project: PythonProject, imported: Collection[str]) -> Callable[[Declared], bool]:
    """Whether a package is needed: by the project, or by its tests, as an import or as a plugin of pytest.

    A group for tests in random order brings plugins only where no plainer one has pytest.
    """
    shuffling = {each.source for each in project.declared if each.name in SHUFFLERS}
    is_plainer = any(
        each.name == "pytest" and each.use == "test" and each.source not in shuffling for each in project.declared
    )

    def is_needed(each: Declared) -> bool:
        if each.use == "run" or each.name in imported:
            return True
        return (
            each.name.startswith("pytest")
            and _keeps_order(each, imported)
            and not (is_plainer and each.source in shuffling)
        )

    return is_needed


def _keeps_order(each: Declared, imported: Collection[str]) -> bool:
    """Whether a package leaves the order of tests alone, or is imported by them: in another order each run, the same tests may end in other ways."""
    return each.name not in SHUFFLERS or each.name in imported


def requirements_of(project: PythonProject, wanted: Callable[[Declared], bool]) -> dict[str, Declared]:
    """Package → the first that is declared of it and wanted, with pytest, and the plugins that its settings need."""
    pytest = _PYTEST_OF_3_7 if series_of(project.python.version) == "3.7" else PYTEST_REQUIREMENT
    found: dict[str, Declared] = {"pytest": Declared(pytest, "test", "")}
    chosen: dict[str, Declared] = {}
    for each in project.declared:
        if wanted(each):
            chosen.setdefault(each.name, each)
    plugins = needed_plugins(project.files, project.root)
    named = {each.name: each for each in reversed(project.declared)}
    for package, why in plugins.items():
        chosen.setdefault(package, named.get(package) or Declared(package, "test", why))
    return found | chosen


def _candidate(project: PythonProject, way: _Way, built: str = "") -> Candidate:
    """A way as a candidate; with why it has to be built, after a build in the sandbox, without network: it can ask for its version then, and has its compiled parts."""
    folders = source_folders(project.files, project.root)
    needed = [each.requirement for each in way.required.values()]
    if built:
        needed += [name for name in build_requires(project.files, project.root) if name not in needed]
    path = [f"$PWD/{name}" for name in folders] + (["$PWD", f"$PWD/{SITE}"] if built else [])
    plan = ProjectPlan(
        toolchain=project.python.toolchain,
        requires=tuple(needed),
        setup=_BUILD if built else "",
        command=(f'PYTHONPATH="{":".join(path)}" ' if path else "") + way.command,
        cwd=str(project.root),
        timeout_s=TIMEOUT_S,
    )
    name = f"{way.name}, built" if built else way.name
    return Candidate(name, plan, tuple(_assumed(project.python, plan, way, folders, built)))


def _assumed(
    python: ChosenPython, plan: ProjectPlan, way: _Way, folders: Sequence[str], built: str
) -> Iterator[Assumption]:
    yield _runs(python)
    yield Assumption(f"its tests are run by: {plan.command}", way.source, "--test-command")
    if folders:
        yield Assumption(f"its packages lie in {', '.join(folders)}", "", "--test-command")
    if plan.cwd != ".":
        yield Assumption(f"the project is the folder {plan.cwd}", "", "--test-command")
    if built:
        yield Assumption(f"it is built first: {built}", "", "--setup")
    yield from _installed(way.required.values())


def _runs(python: ChosenPython) -> Assumption:
    """Which interpreter runs it, and why."""
    said = f"Python {series_of(python.version)} runs it"
    if python.because is not None:
        return Assumption(f"{said}, as it is for {python.because.said}", python.because.source, "--toolchain")
    return Assumption(f"{said}, as it runs ghosttape" if python.toolchain == "python" else said, "", "--toolchain")


def _installed(required: Iterable[Declared]) -> Iterator[Assumption]:
    """What is installed, by the place that names it."""
    by_source: dict[str, list[str]] = {}
    for each in required:
        by_source.setdefault(each.source, []).append(each.requirement)
    for source, names in by_source.items():
        yield Assumption(f"installed: {', '.join(names)}", source, "--requires")


_BUILD = (
    "export SETUPTOOLS_SCM_PRETEND_VERSION=0.0.1 PDM_BUILD_SCM_VERSION=0.0.1 POETRY_DYNAMIC_VERSIONING_BYPASS=0.0.1; "
    "python -m pip install --quiet --no-index --no-deps --no-build-isolation --disable-pip-version-check --no-input "
    f"--target {SITE} --editable ."
)


# The commands that may run the tests of a Python project.

PYTEST = "python -m pytest -q -p no:cacheprovider"
_MEASURES = re.compile(
    r"--cov\b|--cov[-=]|--cov-|--junit|--html|--durations|-n\b|--numprocesses|--verbose|-v+$|-q$|--color|--basetemp"
)
_VALUED = frozenset({"-n", "--cov", "--cov-report", "--cov-config", "--durations", "--basetemp", "--junitxml", "-k", "-m", "-p", "-c", "--ignore", "--deselect", "-o", "-W"})  # fmt: skip
SHUFFLERS = frozenset({"pytest-randomly", "pytest-random-order", "pytest-reverse"})
"""Plugins that change the order of tests as soon as they are installed, or whose only use that is."""
_PYTHON = re.compile(r"^python[\d.]*$")


def tox_commands(files: Files, root: PurePosixPath) -> Iterator[tuple[str, str]]:
    """Commands of tox for its tests, each with where it stands: pytest with its arguments, or any Python program."""
    for each in tox_environments(files, root):
        if each.use == "test":
            for line in each.commands:
                if command := _plain(line):
                    yield command, each.source


def _plain(line: str) -> str:
    """A command of tox as it can run here: without measuring coverage; empty where it runs no test."""
    try:
        words = [word for word in shlex.split(line) if UNKNOWN not in word]
    except ValueError:
        return ""
    if words[:2] == ["coverage", "run"]:
        words = ["python", *_after_options(words[2:])]
    if words and _PYTHON.match(words[0]) and words[1:2] != ["-m"]:
        return shlex.join(words) if any(word.endswith(".py") and "test" in word for word in words[1:3]) else ""
    if words[:1] == ["pytest"] or words[:1] == ["py.test"]:
        words = ["python", "-m", "pytest", *words[1:]]
    if words[1:3] == ["-m", "pytest"]:
        return " ".join([PYTEST, shlex.join(_test_words(words[3:]))]).strip()
    return shlex.join(words) if words[1:3] in (["-m", "unittest"], ["-m", "django"]) else ""


def _after_options(words: list[str]) -> list[str]:
    """The words of `coverage run` from the program on."""
    for index, word in enumerate(words):
        if word == "-m" or not word.startswith("-"):
            return words[index:]
    return []


def _test_words(words: list[str]) -> list[str]:
    """Which tests are meant, and how they are chosen; not what is measured or printed."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if _MEASURES.match(word):
            if word in _VALUED:
                next(rest, "")
        else:
            kept.append(word)
            if word in _VALUED:
                kept.append(next(rest, ""))
    return kept


def needed_plugins(files: Files, root: PurePosixPath) -> dict[str, str]:
    """Package → why, for each plugin that the settings of pytest need."""
    options = pytest_options(files, root)
    said = options.get("addopts", "")
    words = " ".join(map(str, said)) if isinstance(said, list) else str(said)
    found = {
        package: f"addopts has {flag}"
        for flag, package in _PLUGIN_FLAGS.items()
        if re.search(rf"(^|\s){flag}\b", words)
    }
    return found | {
        package: f"pytest's settings have {name}" for name, package in _PLUGIN_SETTINGS.items() if name in options
    }


_PLUGIN_FLAGS = {
    "--cov": "pytest-cov",
    "-n": "pytest-xdist",
    "--numprocesses": "pytest-xdist",
    "--benchmark": "pytest-benchmark",
    "--timeout": "pytest-timeout",
    "--reruns": "pytest-rerunfailures",
    "--mypy": "pytest-mypy",
    "--asyncio-mode": "pytest-asyncio",
    "--randomly": "pytest-randomly",
    "--random-order": "pytest-random-order",
    "--reverse": "pytest-reverse",
    "--snapshot": "syrupy",
}
_PLUGIN_SETTINGS = {"asyncio_mode": "pytest-asyncio", "timeout": "pytest-timeout", "DJANGO_SETTINGS_MODULE": "pytest-django", "env": "pytest-env", "mypy_paths": "pytest-mypy"}  # fmt: skip


# Where the packages of a Python project lie, what its tests are called with, and whether it must be built.

_PYTEST_TABLES = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
_ROOTS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt", "Pipfile")
_ASKS_FOR_ITSELF = re.compile(r"importlib[._]metadata|pkg_resources|get_distribution\(|entry_points\(")
_COMPILED = (".pyx", ".c", ".cpp", ".cc", ".pxd")


_TO_EDIT = {"setuptools": "wheel", "hatchling": "editables", "pdm-backend": "editables"}
"""Backend → what it needs beside itself to install a project that can be edited."""


def project_root(files: Files, folder: PurePosixPath) -> PurePosixPath:
    """The nearest folder at or above another that describes a project; the outermost one where none does."""
    above = (folder, *folder.parents)
    return next((root for root in above if any(at(root, name) in files for name in _roots(root))), above[-1])


def _roots(folder: PurePosixPath) -> tuple[str, ...]:
    """The files of which one describes a project in a folder; in a folder of tests a list of packages does not."""
    return tuple(name for name in _ROOTS if name != "requirements.txt" or "test" not in folder.name)


def pytest_options(files: Files, root: PurePosixPath) -> Mapping[str, Any]:
    """The settings of pytest, from whichever file has them."""
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    own = [ini_of(files.get(at(root, file), "")).get(section, {}) for file, section in _PYTEST_TABLES]
    tables = table_in(manifest, "tool", "pytest", "ini_options"), table_in(manifest, "tool", "pytest")
    return next((table for table in (*own[:2], *tables, *own[2:]) if table), {})


def source_folders(files: Files, root: PurePosixPath) -> list[str]:
    """The folders, relative to the root, in which packages lie that tests import; none where they lie at the root."""
    manifest, setup = toml_of(files.get(at(root, "pyproject.toml"), "")), files.get(at(root, "setup.py"), "")
    named = [*_named(manifest), *_of_setuptools(ini_of(files.get(at(root, "setup.cfg"), "")), setup_arguments(setup))]
    on_path = pytest_options(files, root).get("pythonpath", ())
    known = set(on_path.split() if isinstance(on_path, str) else strings_in({"": on_path}, ""))
    found = dict.fromkeys(name.strip("/") for name in [*named, "src"])
    return [name for name in found if name not in {"", "."} and name not in known and _holds_python(files, root, name)]


def _named(manifest: Mapping[str, Any]) -> Iterator[str]:
    tool = table_in(manifest, "tool")
    yield from strings_in(table_in(tool, "setuptools", "packages", "find"), "where")
    yield string_in(table_in(tool, "setuptools", "package-dir"), "")
    packages = table_in(tool, "poetry").get("packages")
    for package in packages if isinstance(packages, list) else ():
        if isinstance(package, dict):
            yield string_in(package, "from")
    for name in strings_in(table_in(tool, "hatch", "build", "targets", "wheel"), "packages"):
        yield str(PurePosixPath(name).parent)
    for name in strings_in(table_in(tool, "hatch", "build", "targets", "wheel"), "sources"):
        yield name
    yield string_in(table_in(tool, "pdm", "build"), "package-dir")


def _of_setuptools(sections: Mapping[str, Mapping[str, str]], given: Mapping[str, Any]) -> Iterator[str]:
    for line in lines_of(sections.get("options", {}).get("package_dir", "")):
        package, _, folder = line.partition("=")
        if not package.strip():
            yield folder.strip()
    yield sections.get("options.packages.find", {}).get("where", "").strip()
    folders = given.get("package_dir")
    yield string_in(folders, "") if isinstance(folders, dict) else ""


def _holds_python(files: Files, root: PurePosixPath, name: str) -> bool:
    folder = PurePosixPath(at(root, name))
    return any(path.endswith((".py", ".pyi")) and PurePosixPath(path).is_relative_to(folder) for path in files)


def project_name(files: Files, root: PurePosixPath) -> str:
    """The name under which the project is published; empty where no file says it."""
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    sections = ini_of(files.get(at(root, "setup.cfg"), ""))
    found = (
        string_in(table_in(manifest, "project"), "name"),
        string_in(table_in(manifest, "tool", "poetry"), "name"),
        sections.get("metadata", {}).get("name", ""),
        string_in(setup_arguments(files.get(at(root, "setup.py"), "")), "name"),
    )
    return next(filter(None, found), "")


def needs_build(files: Files, root: PurePosixPath) -> str:
    """Why a project has to be built before its tests can run; empty where nothing shows that.

    It may ask for its own version or entry points, have compiled parts, or files that only a build writes.
    """
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    given = setup_arguments(files.get(at(root, "setup.py"), ""))
    if given.get("ext_modules") is not None or "ext_modules" in files.get(at(root, "setup.py"), ""):
        return "it has compiled parts"
    if _entry_points(manifest, given):
        return "pytest finds it by its entry point"
    tool = table_in(manifest, "tool")
    if table_in(tool, "setuptools_scm") or table_in(tool, "hatch", "build", "hooks", "vcs"):
        return "a build writes its version"
    inside = [path for path in files if path.endswith(".py") and PurePosixPath(path).is_relative_to(root)]
    asks = next((path for path in inside if _ASKS_FOR_ITSELF.search(files[path])), "")
    return f"{asks} may ask for what is installed" if asks else ""


def _entry_points(manifest: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    points = given.get("entry_points")
    return bool(table_in(manifest, "project", "entry-points", "pytest11")) or (
        isinstance(points, dict) and "pytest11" in points
    )


def build_requires(files: Files, root: PurePosixPath) -> tuple[str, ...]:
    """What the project's build needs, by PEP 518; setuptools where nothing is said."""
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    named = tuple(strings_in(table_in(manifest, "build-system"), "requires"))
    more = [extra for backend, extra in _TO_EDIT.items() if any(name.startswith(backend) for name in named)]
    return (*named, *more) if named else ("setuptools", "wheel")


# What the tests of a Python project import, and which packages bring that.

_TEST_FILE = re.compile(r"(^|/)(conftest|test_?\w*|\w+_tests?)\.py$")
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_FORGIVEN = frozenset({"ImportError", "ModuleNotFoundError", "Exception"})


def is_test(path: str) -> bool:
    """Whether a file of a project belongs to its tests: by its name, or by the folder that it lies in."""
    parts = PurePosixPath(path).parts
    return path.endswith(".py") and bool(_TEST_FILE.search(path) or not _TEST_FOLDERS.isdisjoint(parts[:-1]))


def imported_by_tests(files: Files, root: PurePosixPath) -> set[str]:
    """The outermost packages that tests import, but for Python's own, those of the project, and those that a test does without."""
    own = _own_modules(files, root)
    tests = (text for path, text in files.items() if is_test(path) and PurePosixPath(path).is_relative_to(root))
    found = {name for text in tests for name in _imported(parsed(text).body)}
    return found - own - sys.stdlib_module_names - {"__future__"}


def _own_modules(files: Files, root: PurePosixPath) -> set[str]:
    """The names of all folders and modules of the project: any of them may be on the path when it is tested."""
    own = [PurePosixPath(path) for path in files if path.endswith((".py", ".pyi", ".pyx", ".c"))]
    inside = [path.relative_to(root) for path in own if path.is_relative_to(root)]
    return {part for path in inside for part in path.parts[:-1]} | {path.name.partition(".")[0] for path in inside}


def _imported(body: Iterable[ast.stmt]) -> Iterator[str]:
    """What some statements import when they run, but for what is asked for in a `try` that does without it."""
    for node in body:
        match node:
            case ast.Import(names=names):
                yield from (name.name.partition(".")[0] for name in names)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0]
            case ast.Try() if any(_forgives(handler) for handler in node.handlers):
                yield from _imported([*node.orelse, *node.finalbody])
            case ast.If(test=test) if _is_type_checking(test):
                yield from _imported(node.orelse)
            case _:
                guarded = _guarded(node)
                yield from _imported(child for child in ast.walk(node) if child is not node and isinstance(child, ast.Import | ast.ImportFrom) and id(child) not in guarded)  # fmt: skip


def _guarded(node: ast.stmt) -> set[int]:
    """The identities of what stands in a `try` that does without it, inside of a statement."""
    tries = (each for each in ast.walk(node) if isinstance(each, ast.Try) and any(map(_forgives, each.handlers)))
    return {id(found) for each in tries for part in each.body for found in ast.walk(part)}


def _forgives(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or getattr(kind, "id", "") in _FORGIVEN for kind in kinds)


def _is_type_checking(test: ast.expr) -> bool:
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


@cache
def _packages() -> dict[str, str]:
    """Module → package, where the names differ (`import_names.toml`)."""
    text = package_files("runners.environments.python").joinpath("import_names.toml").read_text("utf-8")
    return {str(module): str(package) for module, package in toml_of(text).items()}


def package_of(module: str) -> str:
    """The normalised name of the package that brings a module; the module's own name where nothing else is known. Example: `yaml` is in `pyyaml`."""
    return str(canonicalize_name(_packages().get(module, module)))
