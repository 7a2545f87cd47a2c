"""Which functions each test enters, of `node --test` and mocha, as V8 itself counts the calls: the second way beside the probes of `runners.coverage.node`.

V8 counts in the text that it was given. So every place that it names must be a function of the file; where one is none, the text was transpiled or changed, and nothing is
said. V8 does not say who called. vitest and jest always transpile: of them the probes say what is called.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

import msgspec
import tree_sitter

from runners.coverage.entered import CallsOfTests, EnteredFunction
from runners.coverage.function_spans import SCRIPTS
from runners.coverage.line_coverage import unpacked
from runners.project import Project
from runners.protocol import PROJECT
from runners.verdicts import Result
from syntax.languages import language_of
from syntax.parse import Tree, parse
from syntax.text import index_of

VARIABLES = {"GHOSTTAPE_ENTERED": "new"}
_DEPTH = re.compile(r"(?= (\d+) )")
"""What may stand between file and name of a test of `node --test`, as its witness names it; names, too, have numbers in them."""
_AGAIN = re.compile(r" #\d+$")
"""Stands behind a name that repeats."""
_CLASSES = frozenset({"class_declaration", "class", "abstract_class_declaration"})
_OF_CLASSES = ("field_definition", "static_block")
_Key: TypeAlias = tuple[str | None, str | None]
"""A file of tests, and a test by its name; None: there is no file, or all of its tests are meant."""


class _Own(msgspec.Struct, frozen=True):
    """What `witness/node/entered.cjs` found out of a test."""

    unseen: bool
    """Whether it starts processes."""
    called: dict[str, list[tuple[int, int]]]
    """Path → the places that were called: start and end, in UTF-16 code units."""


async def record_calls(project: Project, files: Mapping[str, str]) -> tuple[Result, CallsOfTests | None]:
    """Test a finished project (`files`: path → text) while V8 counts; None where it counts nothing, or not in the project's own text."""
    result, said = await project.run_witnessed({}, VARIABLES)
    is_passed = result.verdict_class == "passed"
    return result, read(said, files, result.tests or frozenset()) if is_passed else None


def read(said: list[str], files: Mapping[str, str], passed: frozenset[str]) -> CallsOfTests | None:
    """The calls that the witnesses report, of tests that `passed`; None if they report nothing that can be trusted."""
    text = unpacked(said, "entered")
    try:
        found = {} if text is None else msgspec.json.decode(text, type=dict[str, _Own])
    except msgspec.DecodeError:
        return None
    tests_of = _by_key(passed)
    calls: dict[str, set[tuple[EnteredFunction, None]]] = defaultdict(set)
    starting = set[str]()
    for key, own in found.items():
        entered = _entered(own, files)
        if entered is None:
            return None
        for test in tests_of.get(msgspec.json.decode(key, type=_Key), ()):
            calls[test].update((function, None) for function in entered)
            starting |= {test} if own.unseen else set()
    unseen = starting | (passed - calls.keys())
    return CallsOfTests({test: frozenset(some) for test, some in calls.items()}, frozenset(unseen)) if calls else None


def _by_key(passed: frozenset[str]) -> Mapping[_Key, set[str]]:
    """What the witness calls a test → the tests that are meant: by its whole name (mocha), by its file and its name, or all of a file (`node --test`)."""
    found: dict[_Key, set[str]] = defaultdict(set)
    for test in passed:
        found[None, test].add(test)
        for depth in _DEPTH.finditer(test):  # only the right one of them names a file
            file, whole = test[: depth.start()], test[depth.end(1) + 1 :]
            for name in {_AGAIN.sub("", whole), whole, None}:
                found[file, name].add(test)
    return found


def _entered(own: _Own, files: Mapping[str, str]) -> set[EnteredFunction] | None:
    """The functions of the project at the places that V8 names; None if something else stands there."""
    found = set[EnteredFunction]()
    for where, places in own.called.items():
        path = where.removeprefix(f"{PROJECT}/")
        if (text := files.get(path)) is None:
            continue
        known = places_of(path, text)
        for start, end in places:
            place = index_of(text, start), index_of(text, end)
            if place not in known:
                return None
            if (function := known[place]) is not None:
                found.add(function)
    return found


@lru_cache(maxsize=64)
def places_of(path: str, text: str) -> Mapping[tuple[int, int], EnteredFunction | None]:
    """Where V8 counts in a script (start and end, as indices) → the function there.

    None is for what it counts too and is no function: the whole file, classes (for a constructor that is not written), and what their fields begin with. Modifiers belong to a
    function here, and V8 sees it begin behind `static`.
    """
    language = language_of(path)
    if language is None or language.id not in SCRIPTS:
        return {}
    tree = parse(language, text)
    found: dict[tuple[int, int], EnteredFunction | None] = {(0, len(text)): None}
    for node in tree.nodes():
        start, end = tree.span(node)
        if language.kinds.get(node.type) == "function":
            function = EnteredFunction(path, node.start_point.row + 1, _name(tree, node))
            found |= {(place, end): function for place in (start, *_behind_modifiers(tree, node))}
        elif node.type in _CLASSES or node.type.endswith(_OF_CLASSES):
            found[start, end] = None
    return found


def _behind_modifiers(tree: Tree, node: tree_sitter.Node) -> Iterator[int]:
    """Where the parts of a function begin that stand before its body."""
    body = node.child_by_field_name("body")
    ends = node.end_byte if body is None else body.start_byte
    return (tree.index(child.start_byte) for child in node.children if child.start_byte < ends)


def _name(tree: Tree, node: tree_sitter.Node) -> str:
    found = node.child_by_field_name("name")
    return "<function>" if found is None else tree.text[slice(*tree.span(found))]
