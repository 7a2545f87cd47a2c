"""Finding out, from a project's own files, how it is tested."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from replay.tape import Tests

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


def detect(files: Mapping[str, str]) -> Tests | None:
    """Say how the project with these files (path → text) is tested; None if they do not tell.

    A folder with a `package.json` whose test script calls vitest, jest or `node --test`, and with test files below
    it, is tested by that script. Else Python test files are run by pytest. Packages that tests do not need (bundlers,
    linters, publishing tools) are left out: see `_node_requires`.
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
        manifest = json.loads(text)
    except ValueError:
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _node_command(manifest: Mapping[str, Any]) -> str | None:
    """The part of the test script that runs the tests, as a run that ends by itself."""
    scripts = manifest.get("scripts")
    script = scripts.get("test") if isinstance(scripts, dict) else None
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

    That is: the runner itself, `typescript` and `@types/*`, and what a source, test or runner configuration file of
    the folder names in quotes. What only the build's configuration names is not needed. Ranges that are no plain
    semver (workspaces, URLs, git) cannot be installed from the registry and are left out.
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
            wanted = manifest.get(kind)
            declared |= {k: v for k, v in wanted.items() if isinstance(v, str)} if isinstance(wanted, dict) else {}
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
    """The project's own requirements, and of its groups those that are pytest or plug into it."""
    project = _toml(files.get(str(root / "pyproject.toml"), ""))
    needed = list(_strings(project.get("project", {}).get("dependencies")))
    for name in _REQUIREMENT_FILES:
        needed += [line.partition(" #")[0].strip() for line in files.get(str(root / name), "").splitlines()]
    groups = {**project.get("project", {}).get("optional-dependencies", {}), **project.get("dependency-groups", {})}
    for group in groups.values():
        needed += [item for item in _strings(group) if item.startswith("pytest")]
    found = {requirement.name.lower(): str(requirement) for item in needed if (requirement := _plain(item))}
    yield from {"pytest": _PYTEST, **found}.values()


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _strings(value: Any) -> Iterator[str]:
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())


def _plain(item: str) -> Requirement | None:
    try:
        requirement = Requirement(item)
    except InvalidRequirement:
        return None
    return None if requirement.url else requirement
