"""The ways in which a JavaScript or TypeScript project may be tested, the likeliest first."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from runners.environments.candidate import Assumption, Candidate
from runners.environments.manifests import Files, at, json_of, string_in, table_in
from runners.environments.node.locks import lock_of, locked
from runners.environments.node.scripts import DEFAULTS, runner_command, script_parts
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
_BUILDS = ("build", "prepare", "compile", "prebuild", "pretest", "build:dev")


@dataclass(frozen=True)
class NodeProject:
    """A folder with a `package.json` and tests, in a project of these files (path → text)."""

    files: Files
    folder: PurePosixPath

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Its `package.json`."""
        return json_of(self.files.get(at(self.folder, "package.json"), ""))

    @cached_property
    def declared(self) -> dict[str, str]:
        """Package → range that its manifest, those of the folders above it, and those of the workspaces in it want; the nearest wins."""
        found: dict[str, str] = {}
        for folder in [*self._inside, *reversed(self.folder.parents), self.folder]:
            manifest = json_of(self.files.get(at(folder, "package.json"), ""))
            for kind in ("peerDependencies", "optionalDependencies", "dependencies", "devDependencies"):
                found |= {name: said for name, said in table_in(manifest, kind).items() if isinstance(said, str)}
        return found

    @property
    def linked(self) -> dict[str, PurePosixPath]:
        """Name → folder of the packages of this repository that it finds by their names: those in it, and those that it wants."""
        return {
            name: where for name, where in self.workspaces.items() if where in self._inside or name in self.declared
        }

    @cached_property
    def _inside(self) -> list[PurePosixPath]:
        """The folders of the packages that it holds, if it is the root of workspaces."""
        manifest, own = self.manifest, at(self.folder, "pnpm-workspace.yaml")
        if "workspaces" not in manifest and own not in self.files:
            return []
        return [
            where for where in self.workspaces.values() if where != self.folder and where.is_relative_to(self.folder)
        ]

    @cached_property
    def workspaces(self) -> dict[str, PurePosixPath]:
        """Name → folder of the other packages of this repository."""
        found = {}
        for path, text in self.files.items():
            folder = PurePosixPath(path).parent
            is_package = PurePosixPath(path).name == "package.json" and "node_modules" not in folder.parts
            if is_package and (name := string_in(json_of(text), "name")):
                found[name] = folder
        return found

    @property
    def below(self) -> Iterator[str]:
        """The paths of its files."""
        return (path for path in self.files if PurePosixPath(path).is_relative_to(self.folder))


def node_projects(files: Files) -> list[NodeProject]:
    """The folders with a test script and tests, the outermost first, and of those beside each other the one with the most tests."""
    folders = [PurePosixPath(path).parent for path in files if PurePosixPath(path).name == "package.json"]
    projects = [NodeProject(files, folder) for folder in folders if "node_modules" not in folder.parts]
    counted = [(project, sum(map(is_test, project.below))) for project in projects]
    ranked = sorted(counted, key=lambda each: (len(each[0].folder.parts), -each[1], str(each[0].folder)))
    return [project for project, number in ranked if number]


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
    scripted = [(project, *way) for project in projects for way in _scripted(project).items()]
    unsaid = [
        (project, command, name)
        for project in projects
        for name, command in DEFAULTS.items()
        if name in project.declared
    ]
    for project, command, runner in scripted or unsaid:
        narrow, wide = _requires(project, _needed(project, command, runner)), _requires(project, project.declared)
        yield _candidate(project, command, narrow)
        if set(wide) != set(narrow):
            yield _candidate(project, command, wide, "with all packages")
        if build := build_command(project):
            yield _candidate(project, command, wide, "built", build)


def _scripted(project: NodeProject) -> dict[str, str]:
    """The commands of its scripts that run tests, with the packages of their programs."""
    found: dict[str, str] = {}
    for script in _SCRIPTS:
        for words in script_parts(project.manifest, script):
            if command := runner_command(words):
                found.setdefault(*command)
        if found:
            break
    return found


def build_command(project: NodeProject) -> str:
    """The project's own build, as far as it is one command of a package; empty where it has none."""
    for script in _BUILDS:
        parts = [words for words in script_parts(project.manifest, script) if words[0] not in {"husky", "is-ci", "npm"}]
        if parts:
            return " && ".join(shlex.join(words) for words in parts)
    return ""


def _needed(project: NodeProject, command: str, runner: str) -> set[str]:
    """The packages that tests need: the runner, types, and each that a source, a test or the settings of a runner name."""
    named = {runner, *_COMPILERS, *_named(project), *_QUOTED.findall(_in_quotes(shlex.split(command)))}
    return {name for name in project.declared if name in named or name.startswith("@types/")}


def _in_quotes(words: Iterable[str]) -> str:
    return " ".join(f'"{part}"' for word in words for part in re.split(r"[=,]", word))


def _named(project: NodeProject) -> Iterator[str]:
    for path in project.below:
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
    ranges = {name: project.declared[name] for name in sorted(wanted)}
    pinned = locked(project.files, project.folder, ranges)
    found = {name: pinned.get(name) or _range(said) for name, said in ranges.items() if name not in project.workspaces}
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
    return Candidate(f"{title} {name}".strip(), plan, tuple(_assumed(project, plan, build)))


def _links(project: NodeProject) -> str:
    """The command that shows the other packages of the repository under their names, where this one wants them."""
    up = "/".join([".."] * len(project.folder.parts)) or "."
    parts = []
    for name, where in project.linked.items():
        link = PurePosixPath("node_modules", name)
        target = "/".join([*[".."] * (len(link.parts) - 1), up, str(where)])
        parts += [
            f"mkdir -p {shlex.quote(str(link.parent))}",
            f"ln -sfn {shlex.quote(target)} {shlex.quote(str(link))}",
        ]
    return " && ".join(parts)


def _assumed(project: NodeProject, plan: ProjectPlan, build: str) -> Iterator[Assumption]:
    where = at(project.folder, "package.json")
    yield Assumption(f"its tests are run by: {plan.command}", f"{where} scripts", "--test-command")
    if plan.cwd != ".":
        yield Assumption(f"the package is the folder {plan.cwd}", "", "--test-command")
    if build:
        yield Assumption(f"it is built first: {build}", f"{where} scripts", "--setup")
    lock, manager = lock_of(project.files, project.folder)
    if plan.requires:
        names = ", ".join(plan.requires)
        yield Assumption(
            f"installed: {names}", f"{where}, with the versions of {lock} ({manager})" if lock else where, "--requires"
        )
