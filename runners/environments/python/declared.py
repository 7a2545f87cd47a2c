"""The packages that the files of a Python project name, each with where it stands and what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Literal, TypeAlias

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion

from runners.environments.manifests import Files, at, ini_of, lines_of, strings_in, table_in, toml_of

Use: TypeAlias = Literal["run", "test", "other"]
"""What a package is for: running the project, testing it, or any other work on it."""
_LONGEST = 1_000
"""Characters of a requirement at most: no person writes longer ones, and Python reads no numbers of thousands of digits."""
_TESTS = re.compile(r"(^|[-_.])(unit)?tests?([-_.]|$)|^(testing|pytest|check|ci)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Declared:
    """A package with the versions that a file asks for."""

    requirement: str
    """As PEP 508 has it, without an address."""
    use: Use
    source: str
    """The file, and the place in it. Example: `pyproject.toml [dependency-groups] test`."""

    @property
    def name(self) -> str:
        """The normalised name of the package."""
        return str(canonicalize_name(Requirement(self.requirement).name))

    def is_for(self, version: str) -> bool:
        """Whether it is for this version of Python (three numbers) and this system, as far as it says so."""
        marker = Requirement(self.requirement).marker
        numbers = {"python_version": ".".join(version.split(".")[:2]), "python_full_version": version}
        try:
            return marker is None or marker.evaluate({"extra": "", **numbers})
        except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
            return False


PackageReader: TypeAlias = Callable[[Files, PurePosixPath], Iterator[Declared]]


def requirement_of(item: str) -> Requirement | None:
    """A text as a requirement that a package index can serve; None if it is not one, or longer than any that a person writes."""
    said = item.partition(" --hash")[0].strip()
    try:
        requirement = Requirement(said if len(said) <= _LONGEST else "")
    except InvalidRequirement:
        return None
    return None if requirement.url else requirement


def declared_as(items: Iterable[str], use: Use, source: str) -> Iterator[Declared]:
    """Those of some texts that are requirements."""
    for item in items:
        if requirement := requirement_of(item):
            yield Declared(str(requirement), use, source)


def use_of(group: str) -> Use:
    """What a group of packages, a section or a file is for, by its name."""
    return "test" if _TESTS.search(group) else "other"


def of_pyproject(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """Standard tables (PEP 621, PEP 735), and those of hatch, pdm, uv and flit."""
    manifest = toml_of(files.get(at(root, "pyproject.toml"), ""))
    project, tool = table_in(manifest, "project"), table_in(manifest, "tool")
    extras = table_in(project, "optional-dependencies")
    yield from declared_as(strings_in(project, "dependencies"), "run", "pyproject.toml [project]")
    for name in extras:
        own = _extra(str(project.get("name", "")), extras, name, set())
        yield from declared_as(own, use_of(name), f"pyproject.toml [project.optional-dependencies] {name}")
    groups = table_in(manifest, "dependency-groups")
    for name in groups:
        yield from declared_as(_group(groups, name, set()), use_of(name), f"pyproject.toml [dependency-groups] {name}")
    yield from _of_tools(tool)


def _of_tools(tool: Mapping[str, Any]) -> Iterator[Declared]:
    for name, group in table_in(tool, "pdm", "dev-dependencies").items():
        yield from declared_as(strings_in({"": group}, ""), use_of(name), f"pyproject.toml [tool.pdm] {name}")
    for name, group in table_in(tool, "hatch", "envs").items():
        own = group if isinstance(group, dict) else {}
        items = [*strings_in(own, "dependencies"), *strings_in(own, "extra-dependencies")]
        use: Use = "test" if name in {"default", "hatch-test"} else use_of(name)
        yield from declared_as(items, use, f"pyproject.toml [tool.hatch.envs.{name}]")
    yield from declared_as(strings_in(table_in(tool, "uv"), "dev-dependencies"), "other", "pyproject.toml [tool.uv]")
    flit = table_in(tool, "flit", "metadata")
    yield from declared_as(strings_in(flit, "requires"), "run", "pyproject.toml [tool.flit.metadata]")
    for name in table_in(flit, "requires-extra"):
        items = list(strings_in(table_in(flit, "requires-extra"), name))
        yield from declared_as(items, use_of(name), f"pyproject.toml [tool.flit.metadata] {name}")


def _extra(project: str, extras: Mapping[str, Any], name: str, seen: set[str]) -> Iterator[str]:
    """The members of an extra; where it names extras of the project itself, their members, each extra once."""
    seen.add(name)
    for item in strings_in(extras, name):
        requirement = requirement_of(item)
        if requirement is None or canonicalize_name(requirement.name) != canonicalize_name(project):
            yield item
            continue
        for other in sorted(requirement.extras):
            if other not in seen:
                yield from _extra(project, extras, other, seen)


def _group(groups: Mapping[str, Any], name: str, seen: set[str]) -> Iterator[str]:
    """The members of a dependency group, with those of the groups that it includes, each group once."""
    seen.add(name)
    members = groups.get(name)
    for item in members if isinstance(members, list) else ():
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict) and isinstance(other := item.get("include-group"), str) and other not in seen:
            yield from _group(groups, other, seen)


def of_poetry(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """Poetry's tables, with its versions in the words of PEP 440."""
    poetry = table_in(toml_of(files.get(at(root, "pyproject.toml"), "")), "tool", "poetry")
    groups: list[tuple[str, Use, dict[str, Any]]] = [
        ("dependencies", "run", table_in(poetry, "dependencies")),
        ("dev-dependencies", "test", table_in(poetry, "dev-dependencies")),
    ]
    for name in table_in(poetry, "group"):
        own = table_in(poetry, "group", name, "dependencies")
        groups.append((f"group.{name}", "test" if name == "dev" else use_of(name), own))
    for title, use, own in groups:
        yield from declared_as(_of_poetry_table(own), use, f"pyproject.toml [tool.poetry.{title}]")


def _of_poetry_table(table: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in table.items():
        if name != "python" and (said := _poetry_requirement(name, wanted)):
            yield said


def _poetry_requirement(name: str, wanted: Any) -> str:
    """A dependency of Poetry's as PEP 508 has it; empty if it is from elsewhere than the index."""
    if isinstance(wanted, list):
        return _poetry_requirement(name, wanted[-1]) if wanted else ""
    if isinstance(wanted, str):
        return name + pep440(wanted)
    if not isinstance(wanted, dict) or {"git", "path", "url"} & wanted.keys():
        return ""
    extras = ",".join(strings_in(wanted, "extras"))
    marker = wanted.get("markers")
    return f"{name}{f'[{extras}]' if extras else ''}{pep440(str(wanted.get('version', '*')))}" + (
        f"; {marker}" if isinstance(marker, str) else ""
    )


def pep440(wanted: str) -> str:
    """A version of Poetry's as PEP 440 has it. Examples: `^1.2` is `>=1.2,<2`, `~1.2` is `>=1.2,<1.3`, `1.2` is `==1.2`, `*` is empty."""
    return ",".join(filter(None, (_one_pep440(part.strip()) for part in wanted.split(","))))


def _one_pep440(part: str) -> str:
    if part in {"", "*"} or "||" in part:
        return ""
    if not part.startswith(("^", "~")) or part.startswith("~="):
        return part if part[0] in "<>=!~" else f"=={part}"
    numbers = [int(number) for number in re.findall(r"\d{1,9}", part)][:3]
    if not numbers:
        return ""
    kept = _kept_by_caret(numbers) if part[0] == "^" else max(0, min(1, len(numbers) - 1))
    above = [*numbers[:kept], numbers[kept] + 1]
    return f">={part[1:].strip()},<{'.'.join(map(str, above))}"


def _kept_by_caret(numbers: list[int]) -> int:
    """The index of the first number that is not 0; of the last one where all are."""
    return next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)


def of_setup_cfg(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """`setup.cfg` of setuptools."""
    sections = ini_of(files.get(at(root, "setup.cfg"), ""))
    options = sections.get("options", {})
    yield from declared_as(lines_of(options.get("install_requires", "")), "run", "setup.cfg [options]")
    yield from declared_as(lines_of(options.get("tests_require", "")), "test", "setup.cfg [options] tests_require")
    for name, items in sections.get("options.extras_require", {}).items():
        yield from declared_as(lines_of(items), use_of(name), f"setup.cfg [options.extras_require] {name}")


def of_pipfile(files: Files, root: PurePosixPath) -> Iterator[Declared]:
    """`Pipfile` of Pipenv."""
    manifest = toml_of(files.get(at(root, "Pipfile"), ""))
    for title, use in (("packages", "run"), ("dev-packages", "test")):
        own = table_in(manifest, title)
        yield from declared_as(_of_poetry_table(own), use, f"Pipfile [{title}]")  # type: ignore[arg-type]
