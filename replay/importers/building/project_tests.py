"""How a project is tested, according to its own files. Members of any shape are accepted; unusable ones are ignored."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from replay.tapes.tape import Tests

_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_NODE_TEST = re.compile(r"(\.|^)(test|spec)\.[cm]?[jt]sx?$")
_RUNNER_CONFIG = re.compile(r"^(vitest|vite|jest|babel)\.config\.")
_BUILD_CONFIG = re.compile(r"\.config\.[cm]?[jt]s$")
_QUOTED = re.compile(r"""["'`]((?:@[\w.-]+/)?[\w.-]+)(?:/[\w./-]*)?["'`]""")
_COMPARATOR = r"(?:[\^~]|[<>]=?|=)?v?\d+(?:\.(?:\d+|x|\*)){0,2}(?:[-+][\w.+-]+)?"
_SEMVER = re.compile(rf"\*|{_COMPARATOR}")
_PYTHON_TEST = re.compile(r"^(test_.*|.*_test)\.py$")
_PYTHON_ROOTS = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "requirements.txt")
_REQUIREMENT_FILES = ("requirements.txt", "requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt")
_PYTEST = "pytest>=8.3,<9"


def detect_tests(files: Mapping[str, str]) -> Tests | None:
    """The tests of a project with these files (path → text); None if the files do not show how it is tested.

    If a `package.json` has a test script that calls vitest, jest or `node --test`, and its folder has test files, that script
    is the command. Else pytest runs the Python test files. Packages that tests do not need (bundlers, linters, publishing
    tools) are left out: see `_node_requires`.
    """
    return _node(files) or _python(files)


def _node(files: Mapping[str, str]) -> Tests | None:
    manifests = sorted((path for path in files if PurePosixPath(path).name == "package.json"), key=_depth)
    for path in manifests:
        folder = PurePosixPath(path).parent
        command = _node_command(_manifest(files[path]))
        if command and any(_is_node_test(name) for name in _below(files, folder)):
            requires = tuple(_node_requires(files, folder, command))
            return Tests("node", command, requires=requires, cwd=str(folder))
    return None


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _manifest(text: str) -> dict[str, Any]:
    try:
        return table_in({"manifest": json.loads(text)}, "manifest")
    except (ValueError, RecursionError):
        return {}


def _node_command(manifest: Mapping[str, Any]) -> str | None:
    """The part of the test script that runs the tests, without options that keep it running."""
    script = table_in(manifest, "scripts").get("test")
    for part in re.split(r"&&|;", script if isinstance(script, str) else ""):
        words = part.split()
        if words[:1] == ["vitest"]:
            return " ".join(["vitest", "run", *(word for word in words[1:] if word not in {"run", "watch", "--watch"})])
        if words[:1] == ["jest"] or (words[:1] == ["node"] and "--test" in words):
            return " ".join(word for word in words if word not in {"--watch", "--watchAll"})
    return None


def _below(files: Iterable[str], folder: PurePosixPath) -> Iterator[str]:
    return (path for path in files if PurePosixPath(path).is_relative_to(folder))


def _is_node_test(path: str) -> bool:
    parts = PurePosixPath(path).parts
    in_folder = bool({"test", "__tests__"} & set(parts[:-1])) and bool(_SCRIPT.search(path))
    return "node_modules" not in parts and (in_folder or bool(_NODE_TEST.search(parts[-1])))


def _node_requires(files: Mapping[str, str], folder: PurePosixPath, command: str) -> Iterator[str]:
    """`name@range` of what the tests need.

    These are the runner itself, `typescript`, `@types/*`, and each package whose name is quoted in a source, test or runner
    configuration file of the folder. Packages that only the build configuration names are not needed. Ranges other than
    plain semver (workspaces, URLs, git) cannot be installed from the registry and are left out.
    """
    named = {command.split(maxsplit=1)[0], "typescript", *_named(files, folder)}
    for name, wanted in sorted(_declared(files, folder).items()):
        if (name in named or name.startswith("@types/")) and _SEMVER.fullmatch(wanted):
            yield f"{name}@{wanted}"


def _named(files: Mapping[str, str], folder: PurePosixPath) -> Iterator[str]:
    for path in _below(files, folder):
        name = PurePosixPath(path).name
        if _RUNNER_CONFIG.match(name) or (_SCRIPT.search(name) and not _BUILD_CONFIG.search(name)):
            yield from _QUOTED.findall(files[path])
    own = _manifest(files[str(folder / "package.json")])
    yield from _QUOTED.findall(json.dumps([own.get("jest"), own.get("babel")]))


def _declared(files: Mapping[str, str], folder: PurePosixPath) -> dict[str, str]:
    """Name → range in the folder's manifest and in those of the folders above it; the nearest wins."""
    declared: dict[str, str] = {}
    for above in [*reversed(folder.parents), folder]:
        manifest = _manifest(files.get(str(above / "package.json"), ""))
        for kind in ("dependencies", "devDependencies"):
            declared |= {name: v for name, v in table_in(manifest, kind).items() if isinstance(v, str)}
    return declared


def _python(files: Mapping[str, str]) -> Tests | None:
    tests = sorted((path for path in files if _PYTHON_TEST.match(PurePosixPath(path).name)), key=_depth)
    if not tests:
        return None
    root = _python_root(files, PurePosixPath(tests[0]).parent)
    requires = tuple(_python_requires(files, root))
    return Tests("python", "python -m pytest -q -p no:cacheprovider", requires=requires, cwd=str(root))


def _python_root(files: Mapping[str, str], folder: PurePosixPath) -> PurePosixPath:
    above = (folder, *folder.parents)
    return next((root for root in above if any(str(root / name) in files for name in _PYTHON_ROOTS)), above[-1])


def _python_requires(files: Mapping[str, str], root: PurePosixPath) -> Iterator[str]:
    """The project's requirements, and those members of its groups whose names begin with `pytest`."""
    manifest = toml_of(files.get(str(root / "pyproject.toml"), ""))
    needed = list(strings_in(table_in(manifest, "project"), "dependencies"))
    for name in _REQUIREMENT_FILES:
        needed += [line.partition(" #")[0].strip() for line in files.get(str(root / name), "").splitlines()]
    optional = table_in(table_in(manifest, "project"), "optional-dependencies")
    groups = {**optional, **table_in(manifest, "dependency-groups")}
    needed += [item for name in groups for item in strings_in(groups, name) if item.startswith("pytest")]
    found = {requirement.name.lower(): str(requirement) for item in needed if (requirement := requirement_of(item))}
    yield from {"pytest": _PYTEST, **found}.values()


def toml_of(text: str) -> dict[str, Any]:
    """A TOML file; an empty table if it cannot be read."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def table_in(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A member that should be a table; an empty table if it is missing or something else."""
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def strings_in(table: Mapping[str, Any], name: str) -> Iterator[str]:
    """The texts of a member that should be a list of texts; none if it is missing or something else."""
    value = table.get(name)
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())


def requirement_of(item: str) -> Requirement | None:
    """The member as a requirement that a package index can serve; None if it is not one."""
    try:
        requirement = Requirement(item)
    except InvalidRequirement:
        return None
    return None if requirement.url else requirement
