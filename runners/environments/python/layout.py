"""Where the packages of a Python project lie, what its tests are called with, and whether it must be built."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from runners.environments.manifests import Files, at, ini_of, lines_of, string_in, strings_in, table_in, toml_of
from runners.environments.python.source_code import setup_arguments

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
