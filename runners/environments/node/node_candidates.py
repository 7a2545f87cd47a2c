"""The ways in which a JavaScript or TypeScript project may be tested, the likeliest first."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from runners.environments.candidate import LINKED, Assumption, Candidate
from runners.environments.manifests import Files, at, json_of, string_in, table_in, yaml_of
from runners.environments.node.packages import Packages
from runners.environments.node.runners import DEFAULTS, ScriptReader, plain_command, runner_command, settings_of
from runners.project import ProjectPlan

TIMEOUT_S = 60.0
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TEST = re.compile(r"(\.|^|-|_)(test|spec)s?\.[cm]?[jt]sx?$")
_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_RUNNER_CONFIG = re.compile(
    r"^(vitest|vite|jest|babel|ava|tap|wtr)\.(config|setup)\.|^tsconfig[\w.-]*\.json$|^\.(mocharc|taprc|babelrc|swcrc|c8rc|nycrc)"
)
_BUILD_CONFIG = re.compile(r"\.config\.[cm]?[jt]s$")
_QUOTED = re.compile(r"""["'`]((?:@[\w.-]+/)?[\w.-]+)(?:/[\w./-]*)?["'`]""")
_COMPARATOR = r"(?:[\^~]|[<>]=?|=)?v?\d+(?:\.(?:\d+|x|\*)){0,2}(?:[-+][\w.+-]+)?"
_SEMVER = re.compile(rf"\*|{_COMPARATOR}")
_SEVERAL = re.compile(rf"{_COMPARATOR}(?:\s*\|\|\s*{_COMPARATOR})+")
_TOGETHER = re.compile(rf"{_COMPARATOR}(?: +{_COMPARATOR})+")
_COMPILERS = (
    "typescript",
    "tsx",
    "tsm",
    "ts-node",
    "ts-jest",
    "esbuild",
    "esbuild-register",
    "@swc/core",
    "@swc/jest",
    "@swc/register",
)
"""Packages that run TypeScript, and that programs look for by themselves."""
_SCRIPTS = ("test", "test:unit", "unit", "test:node", "test:ci", "tests", "test:js", "mocha", "jest", "vitest")
_SHOWN = 3
"""So many linked packages are named."""
_MOST_PROJECTS = 20
"""So many packages are looked at for a way to test them; many fewer ways are tried."""
_NO_BUILD = frozenset({"husky", "is-ci", "npm", "install", "i", "ci", "add", "link", "true", "echo"})
_LONGEST = 20_000
"""Characters of a command at most: a shell takes no longer ones."""
_BUILDS = ("build", "prepare", "compile", "prebuild", "pretest", "build:dev")


@dataclass(frozen=True)
class NodeProject:
    """A folder with a `package.json` and tests, in a repository."""

    packages: Packages
    folder: PurePosixPath

    @property
    def files(self) -> Files:
        """Path → text of the repository."""
        return self.packages.files

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """Its `package.json`."""
        return self.packages.manifests.get(self.folder, {})

    @cached_property
    def root(self) -> PurePosixPath:
        """The root of the workspace that it belongs to."""
        return self.packages.root(self.folder)

    @cached_property
    def linked(self) -> list[PurePosixPath]:
        """The folders of the packages of this repository that are found by their names: of a root all in its workspace; else those that it needs, and that these need."""
        inside = self.packages.members(self.folder) if self.root == self.folder else []
        return [*inside, *self.packages.closure([self.folder, *inside])]

    @cached_property
    def declared(self) -> dict[str, str]:
        """Package → range that its manifest, those of the folders above it, and those of the linked packages want; the nearest wins. Those of this repository begin with `workspace:`."""
        found: dict[str, str] = {}
        for folder in [*reversed(self.linked), *reversed(self.folder.parents), self.folder]:
            local = self.packages.local(folder)
            wanted = self.packages.wanted(folder).items()
            found |= {name: f"workspace:{said}" if name in local else said for name, said in wanted}
        return found

    @property
    def below(self) -> Iterator[str]:
        """The paths of its files."""
        return (path for path in self.files if PurePosixPath(path).is_relative_to(self.folder))

    @property
    def sources(self) -> Iterator[str]:
        """The paths of its files, and of those of the linked packages."""
        folders = {self.folder, *self.linked}
        return (path for path in self.files if not folders.isdisjoint(PurePosixPath(path).parents))


@dataclass(frozen=True, slots=True)
class TestWay:
    """A command that runs tests, and the packages that bring its programs."""

    project: NodeProject
    command: str
    runners: frozenset[str]


def node_projects(files: Files) -> list[NodeProject]:
    """The folders with a `package.json` and tests, the outermost first, and of those beside each other the one with the most tests."""
    packages = Packages(files)
    tests = Counter(folder for path in files if is_test(path) for folder in PurePosixPath(path).parents)
    found = [folder for folder in packages.manifests if tests[folder]]
    ranked = sorted(found, key=lambda each: (len(each.parts), -tests[each], str(each)))
    return [NodeProject(packages, folder) for folder in ranked[:_MOST_PROJECTS]]


def is_test(path: str) -> bool:
    """Whether a file is a test: by its name, or as a script in a folder of tests."""
    parts = PurePosixPath(path).parts
    in_folder = not _FOLDERS.isdisjoint(parts[:-1]) and bool(_SCRIPT.search(path))
    in_folder = in_folder or parts[-1] in {"test.js", "test.mjs", "test.cjs", "test.ts"}
    return "node_modules" not in parts and (in_folder or bool(_TEST.search(parts[-1])))


def node_candidates(files: Files) -> Iterator[Candidate]:
    """The ways to test a JavaScript or TypeScript project; none where no `package.json` has a test script that is understood, or a known runner.

    Each command of the test script with the packages that it needs by name, then with all, then after the project's own build.
    """
    projects = node_projects(files)
    scripted = {(way.project.folder, way.command): way for project in projects for way in _scripted(project)}
    unsaid = [
        TestWay(project, command, frozenset({name}))
        for project in projects
        for name, command in DEFAULTS.items()
        if name in project.declared
    ]
    for way in scripted.values() or unsaid:
        project, command = way.project, way.command
        narrow, wide = _requires(project, _needed(way)), _requires(project, project.declared)
        yield _candidate(project, command, narrow)
        if set(wide) != set(narrow):
            yield _candidate(project, command, wide, "with all packages")
        if build := build_command(project):
            yield _candidate(project, command, wide, "built", build)


def _scripted(project: NodeProject) -> Iterator[TestWay]:
    """The commands of its scripts that run tests. Where a script runs those of several packages, that is one command, which runs one after the other."""
    for script in _SCRIPTS:
        parts = ScriptReader(project.packages).parts(project.folder, script)
        found = {(part.folder, command): None for part in parts if (command := runner_command(part.words))}
        folders = {folder for folder, _ in found}
        if len(folders) > 1:
            yield from _of_several(project, list(found))
        elif found:
            yield from (_way(project, folder, *command) for folder, command in found)
        if found:
            return


def _of_several(project: NodeProject, parts: Sequence[tuple[PurePosixPath, tuple[str, str]]]) -> Iterator[TestWay]:
    """The way to run commands in several folders, unless that is too long for a shell."""
    commands = [_in_folder(project.folder, folder, command) for folder, (command, _) in parts]
    whole = " && ".join(f"({each})" if each.startswith("cd ") else each for each in commands)
    if len(whole) <= _LONGEST:
        yield TestWay(project, whole, frozenset(runner for _, (_, runner) in parts))


def _way(project: NodeProject, folder: PurePosixPath, command: str, runner: str) -> TestWay:
    """The way to run a command: in the package of its folder, else from that of the script."""
    if folder in project.packages.manifests:
        return TestWay(replace(project, folder=folder), command, frozenset({runner}))
    return TestWay(project, _in_folder(project.folder, folder, command), frozenset({runner}))


def _in_folder(start: PurePosixPath, folder: PurePosixPath, command: str) -> str:
    place = posixpath.relpath(str(folder), str(start))
    return command if place == "." else f"cd {shlex.quote(place)} && {command}"


def build_command(project: NodeProject) -> str:
    """The project's own build, as far as it is made of commands of packages; empty where it has none."""
    for script in _BUILDS:
        parts = [
            part
            for part in ScriptReader(project.packages).parts(project.folder, script)
            if settings_of(part.words)[1][:1] and settings_of(part.words)[1][0] not in _NO_BUILD
        ]
        commands = [_in_folder(project.folder, part.folder, plain_command(part.words)) for part in parts]
        whole = " && ".join(f"({each})" if each.startswith("cd ") else each for each in commands)
        if whole and len(whole) <= _LONGEST:
            return whole
    return ""


def _needed(way: TestWay) -> set[str]:
    """The packages that tests need: the runners, types, and each that a source, a test or the settings of a runner name."""
    project = way.project
    named = {*way.runners, *_COMPILERS, *_named(project), *_QUOTED.findall(_in_quotes(shlex.split(way.command)))}
    return {name for name in project.declared if name in named or name.startswith("@types/")}


def _in_quotes(words: Iterable[str]) -> str:
    return " ".join(f'"{part}"' for word in words for part in re.split(r"[=,]", word))


def _named(project: NodeProject) -> Iterator[str]:
    for path in project.sources:
        name = PurePosixPath(path).name
        if _RUNNER_CONFIG.match(name) or (_SCRIPT.search(name) and not _BUILD_CONFIG.search(name)):
            yield from _QUOTED.findall(project.files[path])
    settings = [project.manifest.get(name) for name in ("jest", "babel", "ava", "mocha", "tap", "c8")]
    try:
        yield from _QUOTED.findall(json.dumps(settings).replace("--import=", '"').replace("--loader=", '"'))
    except RecursionError:
        return


def _requires(project: NodeProject, wanted: Iterable[str]) -> tuple[str, ...]:
    """`name@version` of some packages: as locked, else as the manifest wants them. Other than plain ranges cannot be installed from the registry, and are left out."""
    declared = {name: project.declared[name] for name in sorted(wanted)}
    ranges = {name: said for name, said in declared.items() if not said.startswith("workspace:")}
    pinned = locked(project.files, project.folder, ranges, reversed(project.linked))
    found = {name: pinned.get(name) or _range(said) for name, said in ranges.items()}
    return tuple(f"{name}@{said}" for name, said in found.items() if said)


def _range(said: str) -> str:
    """A range that the registry can serve: of alternatives the last."""
    if _SEMVER.fullmatch(said) or _TOGETHER.fullmatch(said) or said in {"latest", "next"}:
        return said
    return said.rsplit("||", maxsplit=1)[-1].strip() if _SEVERAL.fullmatch(said) else ""


def _candidate(
    project: NodeProject, command: str, requires: Sequence[str], name: str = "", build: str = ""
) -> Candidate:
    links = _links(project)
    plan = ProjectPlan(
        toolchain="node",
        requires=tuple(requires),
        setup=" && ".join(filter(None, (links, build))),
        command=command,
        cwd=str(project.folder),
        timeout_s=TIMEOUT_S,
    )
    title = f"{project.folder}: {command}" if str(project.folder) != "." else command
    return Candidate(f"{title} {name}".strip(), plan, tuple(_assumed(project, plan, build, bool(links))), links)


def _links(project: NodeProject) -> str:
    """The command that shows the other packages of the repository under their names at the root of the workspace, and makes their programs executable, as the installer does."""
    modules = PurePosixPath(posixpath.relpath(str(project.root / "node_modules"), str(project.folder)))
    commands: dict[str, None] = {}
    for folder in project.linked:
        name = string_in(project.packages.manifests[folder], "name")
        link = modules / name
        if not name or ".." in PurePosixPath(name).parts or name.startswith("/"):
            continue
        inside = PurePosixPath("node_modules", name).parent
        commands[f"mkdir -p {shlex.quote(str(link.parent))}"] = None
        target = posixpath.relpath(str(folder), str(project.root) if str(inside) == "." else str(project.root / inside))
        commands[f"ln -sfn {shlex.quote(target)} {shlex.quote(str(link))}"] = None
        commands |= dict.fromkeys(_programs(project, folder, modules))
    return " && ".join(commands)


def _programs(project: NodeProject, folder: PurePosixPath, modules: PurePosixPath) -> Iterator[str]:
    """The commands that make the programs of a package executable, and show them where programs of packages are."""
    manifest = project.packages.manifests[folder]
    own = manifest.get("bin")
    named = own if isinstance(own, dict) else {string_in(manifest, "name").rpartition("/")[2]: own}
    for name, path in named.items():
        file = posixpath.normpath(str(folder / path)) if isinstance(path, str) else ""
        if file in project.files and re.fullmatch(r"[\w.-]+", name):
            place = shlex.quote(posixpath.relpath(file, str(project.folder)))
            yield f"chmod +x {place}"
            yield f"mkdir -p {shlex.quote(str(modules / '.bin'))}"
            yield f"ln -sfn {shlex.quote(posixpath.relpath(file, str(project.root / 'node_modules/.bin')))} {shlex.quote(str(modules / '.bin' / name))}"


def _assumed(project: NodeProject, plan: ProjectPlan, build: str, linked: bool) -> Iterator[Assumption]:
    where = at(project.folder, "package.json")
    yield Assumption(f"its tests are run by: {plan.command}", f"{where} scripts", "--test-command")
    if plan.cwd != ".":
        yield Assumption(f"the package is the folder {plan.cwd}", "", "--test-command")
    if linked:
        found = [string_in(project.packages.manifests[folder], "name") for folder in project.linked]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        yield Assumption(f"{LINKED}{', '.join(found[:_SHOWN])}{more}", at(project.root, "package.json"), "")
    if build:
        yield Assumption(f"it is built first: {build}", f"{where} scripts", "--setup")
    lock, manager = lock_of(project.files, project.folder)
    if plan.requires:
        names = ", ".join(plan.requires)
        yield Assumption(
            f"installed: {names}", f"{where}, with the versions of {lock} ({manager})" if lock else where, "--requires"
        )


# Which versions of its packages a JavaScript project has locked: `package-lock.json`, `pnpm-lock.yaml`,
# `yarn.lock`.

LOCKS = {
    "npm-shrinkwrap.json": "npm",
    "package-lock.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
}
"""File → the package manager that writes it."""
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:-[\w.]+)?")
_YARN_VERSION = re.compile(r'[ \t]+version:? "?([^"\n]+)"?')


def lock_of(files: Files, folder: PurePosixPath) -> tuple[str, str]:
    """The path of the nearest lock file at or above a folder, and its package manager; two empty texts where there is none."""
    for above in (folder, *folder.parents):
        for name, manager in LOCKS.items():
            if at(above, name) in files:
                return at(above, name), manager
    return "", ""


def locked(
    files: Files, folder: PurePosixPath, wanted: Mapping[str, str], others: Iterable[PurePosixPath] = ()
) -> dict[str, str]:
    """Package → the locked version, of those packages that a folder wants (package → range), or that `others` of its workspace want; what no lock file names is left out."""
    path, _ = lock_of(files, folder)
    name = PurePosixPath(path).name
    if name in {"package-lock.json", "npm-shrinkwrap.json"}:
        return _of_npm(json_of(files[path]), wanted)
    if name == "pnpm-lock.yaml":
        above = PurePosixPath(path).parent
        inside = [each for each in (*others, folder) if each.is_relative_to(above)]
        tables = [_of_pnpm(yaml_of(files[path]), str(each.relative_to(above)), wanted) for each in inside]
        return {name: version for table in tables for name, version in table.items()}
    return _of_yarn(files[path], wanted) if name == "yarn.lock" else {}


def _of_npm(lock: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, str]:
    found = {
        name: string_in(table_in(lock, "packages", f"node_modules/{name}"), "version")
        or string_in(table_in(lock, "dependencies", name), "version")
        for name in wanted
    }
    return _plain(found)


def _of_pnpm(lock: Mapping[str, Any], folder: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """The importer of the folder; the tables at the top are those of a lock file without workspaces."""
    own = table_in(lock, "importers", folder) or table_in(lock, "importers", ".") or lock
    found = {}
    for kind in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, entry in table_in(own, kind).items():
            said = entry.get("version") if isinstance(entry, dict) else entry
            found[name] = said if isinstance(said, str) else ""
    return _plain({name: found.get(name, "") for name in wanted})


def _of_yarn(text: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """Both forms of the file: entries are named by `package@range`, several with commas between."""
    versions: dict[str, str] = {}
    names = ""
    for line in text.splitlines():
        if line and not line[0].isspace():
            names = line[:-1] if line.endswith(":") else ""
        elif names and (found := _YARN_VERSION.match(line)):
            versions |= {name.strip().strip('"'): found[1] for name in names.split(",")}
            names = ""
    own = {
        name: versions.get(f"{name}@{wanted[name]}") or versions.get(f"{name}@npm:{wanted[name]}") or ""
        for name in wanted
    }
    return _plain(own)


def _plain(found: Mapping[str, str]) -> dict[str, str]:
    """Only versions of the registry, without the names of peers behind them."""
    matches = {name: _VERSION.match(version.removeprefix("/")) for name, version in found.items()}
    return {name: match[0] for name, match in matches.items() if match}
