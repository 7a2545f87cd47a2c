"""Which versions of its packages a JavaScript project has locked: `package-lock.json`, `pnpm-lock.yaml`, `yarn.lock`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from runners.environments.manifests import Files, at, json_of, string_in, table_in, yaml_of

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
