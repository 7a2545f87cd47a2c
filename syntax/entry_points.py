"""Parts of ghosttape that packages register: `[project.entry-points."ghosttape.GROUP"]` in their pyproject.toml (docs/extending.md).

The module is in the lowest room so that every room can import it. Nothing of a package is imported before its part is loaded by name.
"""

from __future__ import annotations

import importlib.metadata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from syntax.errors import ExtensionBroken

ExtensionGroup: TypeAlias = Literal[
    "chats", "corpora", "importers", "policies", "providers", "repairs", "rules", "sandboxes"
]
"""What can be registered; an entry point's group is `ghosttape.` and one of these. docs/extending.md says what each names."""


@dataclass(frozen=True, slots=True)
class Extension:
    """One registered part. It is known by what its package's metadata says, and imported by `load`."""

    group: ExtensionGroup
    name: str
    points: tuple[importlib.metadata.EntryPoint, ...]
    """One, or several if packages claim the same name: then none of them is used. What ghosttape itself registers wins."""

    @property
    def origin(self) -> str:
        """The packages that register it, as `shop-bench 1.0`."""
        found = (point.dist for point in self.points)
        return " and ".join(f"{one.name} {one.version}" if one else "an unknown package" for one in found)

    def load_or(self, error: type[Exception]) -> Any:
        """As `load`, with an error of the room that wants the part."""
        try:
            return self.load()
        except ExtensionBroken as broken:
            raise error(str(broken)) from broken

    def load(self) -> Any:
        """Import the module, and return what the entry point names.

        Raises:
            ExtensionBroken: it cannot be imported, or several packages register it; the message names the entry point and the package.

        """
        place = f"{self.name!r} of the entry points ghosttape.{self.group}"
        if len(self.points) > 1:
            raise ExtensionBroken(f"{place} is registered by {self.origin}: uninstall all but one")
        try:
            return self.points[0].load()
        except Exception as error:  # a package may raise anything while it is imported
            what = f"{self.points[0].value!r} of {self.origin} cannot be imported: {type(error).__name__}: {error}"
            raise ExtensionBroken(f"{place} is broken: {what}") from error


@cache
def extensions(group: ExtensionGroup) -> Mapping[str, Extension]:
    """What the installed packages register in a group, by name in alphabetical order. The metadata is read once in a process."""
    named = defaultdict[str, list[importlib.metadata.EntryPoint]](list)
    for point in importlib.metadata.entry_points(group=f"ghosttape.{group}"):
        named[point.name].append(point)
    return MappingProxyType({name: Extension(group, name, _winners(named[name])) for name in sorted(named)})


def _winners(points: Sequence[importlib.metadata.EntryPoint]) -> tuple[importlib.metadata.EntryPoint, ...]:
    own = [point for point in points if point.dist and point.dist.name == "ghosttape"]
    return tuple(own[:1] or points)


def broken_extensions() -> Sequence[ExtensionBroken]:
    """Load everything that is registered, and return the error of each that cannot be loaded."""
    return [
        error for group in get_args(ExtensionGroup) for each in extensions(group).values() for error in _error(each)
    ]


def _error(extension: Extension) -> Sequence[ExtensionBroken]:
    try:
        extension.load()
    except ExtensionBroken as error:
        return [error]
    return []
