"""The ways in which a Python project may be tested, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from shlex import quote

from packaging.utils import canonicalize_name

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import Files, readable, until_refused
from runners.environments.python.automation import of_tox, of_workflows
from runners.environments.python.commands import PYTEST, SHUFFLERS, needed_plugins, tox_commands
from runners.environments.python.declared import (
    Declared,
    PackageReader,
    of_pipfile,
    of_poetry,
    of_pyproject,
    of_setup_cfg,
)
from runners.environments.python.imports import imported_by_tests, is_test, package_of
from runners.environments.python.layout import (
    build_requires,
    needs_build,
    project_name,
    project_root,
    pytest_options,
    source_folders,
)
from runners.environments.python.requirement_files import of_requirement_files
from runners.environments.python.source_code import of_noxfile, of_setup_py
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
