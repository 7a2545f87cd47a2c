"""The packages of a repository with a `package.json` each: which belong to a workspace, and which of them are meant."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath
from typing import Any

from runners.environments.manifests import Files, at, json_of, string_in, strings_in, table_in, yaml_of
from runners.environments.node.patterns import matches

KINDS = ("peerDependencies", "optionalDependencies", "dependencies", "devDependencies")
"""The tables of a `package.json` that name packages; a later one counts before an earlier one."""
_FOLDERS = frozenset({"file", "link", "portal"})
"""The kinds of ranges that name a folder."""
_MOST_MANIFESTS, _MOST_PATTERNS = 2_000, 100
"""So many packages and patterns are looked at: with more, matching each with each might take minutes."""
_AROUND = re.compile(r"^(?:\.\.\.\^?)?(.*?)(?:\^?\.\.\.)?$")
"""What stands around a selector of pnpm and turbo, and asks for the packages that need these, or that these need."""


@dataclass(frozen=True)
class Packages:
    """The packages in files (path → text)."""

    files: Files

    @cached_property
    def manifests(self) -> Mapping[PurePosixPath, dict[str, Any]]:
        """Folder → its `package.json`, the outermost first; of very many only these."""
        paths = [path for path in self.files if path.endswith("package.json") and "node_modules" not in path.split("/")]
        folders = {PurePosixPath(path).parent: path for path in paths if PurePosixPath(path).name == "package.json"}
        ranked = sorted(folders, key=lambda each: (len(each.parts), each))[:_MOST_MANIFESTS]
        return {folder: json_of(self.files[folders[folder]]) for folder in ranked}

    @cached_property
    def names(self) -> Mapping[str, PurePosixPath]:
        """Name → folder; of equal names the outermost."""
        return self._by_name([*self.manifests])

    def _by_name(self, folders: Sequence[PurePosixPath]) -> dict[str, PurePosixPath]:
        """Name → folder; of equal names the first."""
        found = {string_in(self.manifests.get(folder, {}), "name"): folder for folder in reversed(folders)}
        return {name: folder for name, folder in found.items() if name}

    def wanted(self, folder: PurePosixPath) -> dict[str, str]:
        """Package → range that a folder's `package.json` names."""
        found: dict[str, str] = {}
        for kind in KINDS:
            table = table_in(self.manifests.get(folder, {}), kind)
            found |= {name: self._of_catalog(name, said) for name, said in table.items() if isinstance(said, str)}
        return found

    def local(self, folder: PurePosixPath) -> dict[str, PurePosixPath]:
        """Package → folder, of those that a folder wants and that this repository has: the packages of its workspace, and what a range names (`workspace:`, `file:`, `link:`, `portal:`).

        Others of the same name, as in examples and fixtures, are not meant.
        """
        own, found = self._of_workspace(self.root(folder)), dict[str, PurePosixPath]()
        for name, said in self.wanted(folder).items():
            kind, _, place = said.partition(":")
            if kind in _FOLDERS:
                inside = PurePosixPath(posixpath.normpath(posixpath.join(str(folder), place)))
                found |= {name: inside} if inside in self.manifests else {}
            elif other := own.get(name) or (self.names.get(name) if kind == "workspace" else None):
                found[name] = other
        return found

    def _of_workspace(self, root: PurePosixPath) -> Mapping[str, PurePosixPath]:
        """Name → folder of the packages of a workspace and of its root; none where the root names no packages."""
        if root not in self._workspaces:
            self._workspaces[root] = self._by_name([root, *self.members(root)] if root in self._patterns else [])
        return self._workspaces[root]

    @cached_property
    def _workspaces(self) -> dict[PurePosixPath, Mapping[str, PurePosixPath]]:
        """What was asked for of `_of_workspace`."""
        return {}

    def _of_catalog(self, name: str, said: str) -> str:
        """A range, looked up where it is one of pnpm's catalogs. Example: `catalog:` or `catalog:react18`."""
        if not said.startswith("catalog:"):
            return said
        catalog = said.removeprefix("catalog:").strip() or "default"
        settings = yaml_of(self.files.get("pnpm-workspace.yaml", ""))
        own = table_in(settings, "catalogs", catalog) or (table_in(settings, "catalog") if catalog == "default" else {})
        return string_in(own, name)

    def root(self, folder: PurePosixPath) -> PurePosixPath:
        """The root of the workspace that a folder belongs to: the nearest at or above it that names packages, else the outermost of all."""
        above = (folder, *folder.parents)
        return next((each for each in above if each in self._patterns), above[-1])

    def members(self, root: PurePosixPath) -> list[PurePosixPath]:
        """The folders of the packages of a workspace, without its root: those that others need come first, where that is possible."""
        if root not in self._members:
            patterns = self._patterns.get(root, [])
            inside = [folder for folder in self.manifests if folder != root and folder.is_relative_to(root)]
            named = [folder for folder in inside if _is_named(str(folder.relative_to(root)), patterns)]
            self._members[root] = self._sorted(named)
        return self._members[root]

    @cached_property
    def _members(self) -> dict[PurePosixPath, list[PurePosixPath]]:
        """What was asked for of `members`: it is asked for once for each call of a script."""
        return {}

    @cached_property
    def _patterns(self) -> dict[PurePosixPath, list[str]]:
        """Root of a workspace → the patterns of folders by which it names its packages."""
        names = ("package.json", "pnpm-workspace.yaml", "lerna.json")
        folders = {PurePosixPath(path).parent for path in self.files if PurePosixPath(path).name in names}
        return {folder: found for folder in folders if (found := self._named(folder))}

    def _named(self, root: PurePosixPath) -> list[str]:
        """The patterns that the files of a folder name."""
        manifest = self.manifests.get(root, {})
        workspaces = manifest.get("workspaces")
        own = workspaces if isinstance(workspaces, dict) else {"packages": workspaces}
        pnpm = yaml_of(self.files.get(at(root, "pnpm-workspace.yaml"), ""))
        found = [*strings_in(own, "packages"), *strings_in(pnpm, "packages")]
        if not found and (lerna := at(root, "lerna.json")) in self.files:
            found = [*strings_in(json_of(self.files[lerna]), "packages")] or ["packages/*"]
        return found[:_MOST_PATTERNS]

    def _sorted(self, folders: Sequence[PurePosixPath]) -> list[PurePosixPath]:
        own = self._by_name(folders)
        needs = {
            folder: [own[name] for name in self.wanted(folder) if name in own and own[name] != folder]
            for folder in folders
        }
        try:
            return [*TopologicalSorter(needs).static_order()]
        except CycleError:
            return [*folders]

    def selected(self, root: PurePosixPath, selectors: Sequence[str]) -> list[PurePosixPath]:
        """The packages of a workspace that selectors of pnpm, npm, yarn, lerna, turbo or nx name; all where there is none. Those that begin with `!` take away.

        `@own/*` and `one` are names, `./packages/*`, `{packages}` and `packages/one` folders. Which packages others need, or have changed, does not count.
        """
        if (root, tuple(selectors)) not in self._selected:
            self._selected[root, tuple(selectors)] = self._meant(root, selectors)
        return self._selected[root, tuple(selectors)]

    @cached_property
    def _selected(self) -> dict[tuple[PurePosixPath, tuple[str, ...]], list[PurePosixPath]]:
        """What was asked for of `selected`."""
        return {}

    def _meant(self, root: PurePosixPath, selectors: Sequence[str]) -> list[PurePosixPath]:
        selectors = selectors[:_MOST_PATTERNS]
        wanted = [*map(_plain, (each for each in selectors if not each.startswith("!")))]
        unwanted = [*map(_plain, (each[1:] for each in selectors if each.startswith("!")))]
        every = not wanted or "" in wanted
        return [
            folder
            for folder in self.members(root)
            if (every or self._is_meant(root, folder, wanted)) and not self._is_meant(root, folder, unwanted)
        ]

    def _is_meant(self, root: PurePosixPath, folder: PurePosixPath, selectors: Iterable[str]) -> bool:
        name, place = string_in(self.manifests[folder], "name"), str(folder.relative_to(root))
        return any(
            matches(each, name)
            or matches(each, name.rpartition("/")[2])
            or matches(each, place)
            or place.startswith(f"{each}/")
            for each in selectors
        )

    def closure(self, folders: Iterable[PurePosixPath]) -> list[PurePosixPath]:
        """The folders of the other packages of this repository that some need, and those that these need, and so on."""
        found: dict[PurePosixPath, None] = {}
        start = dict.fromkeys(folders)
        queue = [*start]
        while queue:
            for other in self.local(queue.pop()).values():
                if other not in found and other not in start:
                    found[other] = None
                    queue.append(other)
        return [*found]


def _plain(selector: str) -> str:
    """A selector without what asks for others besides. Example: `...@own/one^...` is `@own/one`, `./{packages}[main]` is `packages`."""
    around = _AROUND.match(selector)
    named = re.sub(r"\[[^\]]*\]$", "", around[1] if around else selector)
    return named.strip("{}").removeprefix("./").rstrip("/")


def _is_named(folder: str, patterns: Iterable[str]) -> bool:
    """Whether a folder is among those that patterns name: a later one that begins with `!` takes away."""
    named = False
    for pattern in patterns:
        if matches(pattern.lstrip("!").removeprefix("./").rstrip("/"), folder):
            named = not pattern.startswith("!")
    return named
