"""Every package that a room imports is one that `pyproject.toml` requires: what only comes along with another may be gone tomorrow."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

from tests.support.places import ROOT

SHIPPED = ("syntax", "server", "runners", "replay", "corpora", "tui")
ELSEWHERE = ("corpora/demo/ledger", "corpora/demo/router", "runners/warm/inside")
"""Programs of the bundled tapes, and what runs in a sandbox: ghosttape's process imports none of it."""
NOT_SHIPPED = {
    "helper_functions": "the benchmark's own script, in the sandbox",
    "coverage": "the tested project's, in the sandbox",
    "pytest": "the tested project's, in the sandbox",
}
"""Modules that ghosttape never imports in its own process, and where they come from."""


def imported(text):
    """The names of the modules that a file imports, anywhere in it, from the top."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                yield from (each.name.partition(".")[0] for each in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]


def required():
    """The normalised names of the packages that are required, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0].lower().replace("_", "-") for line in lines}


def unrequired(text, distributions, known):
    """The modules that a file imports and that no required package holds."""
    own = {name.lower().replace("_", "-") for name in known}
    for module in set(imported(text)) - sys.stdlib_module_names - set(SHIPPED) - set(NOT_SHIPPED):
        if not own.intersection(name.lower().replace("_", "-") for name in distributions.get(module, [module])):
            yield module


def test_rooms_import_only_what_is_required():
    distributions, known = packages_distributions(), required()
    files = [path for room in SHIPPED for path in sorted((ROOT / room).rglob("*.py"))]
    shipped = [path for path in files if not any(path.is_relative_to(ROOT / place) for place in ELSEWHERE)]
    found = {
        str(path.relative_to(ROOT)): sorted(unrequired(path.read_text(encoding="utf-8"), distributions, known))
        for path in shipped
    }
    assert {path: modules for path, modules in found.items() if modules} == {}


def test_what_comes_along_with_another_package_is_found():
    text = "import os, typer\ndef f():\n    from click.core import Option\n    import yaml.loader\n"
    distributions = {"typer": ["typer"], "click": ["click"], "yaml": ["PyYAML"]}
    assert list(unrequired(text, distributions, {"typer", "pyyaml"})) == ["click"]
