"""Local and global variables of real files, beside Python's own table of symbols (`symtable`)."""

import ast
import random
import symtable

import pytest

from corpora.labels.labels import labels_of
from syntax.languages import language_of
from tests.support.places import ROOT
from tests.support.scale import SCALE

FILES = sorted(path for room in ("server", "replay", "runners", "tui") for path in (ROOT / room).rglob("*.py"))
INNER = (
    ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.FunctionDef | ast.AsyncFunctionDef
)
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree):
    """Functions that hold no other scope, so that each name in their bodies is theirs."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and not any(
            isinstance(below, INNER) for part in node.body for below in ast.walk(part)
        ):
            yield node


def tables(table):
    """The table of symbols of each function, by its name and line."""
    for child in table.get_children():
        if child.get_type() == "function":
            yield (child.get_name(), child.get_lineno()), child
        yield from tables(child)


def bound_at_top(tree, text):
    """The variables of a module, with the lines on which they are bound; functions, classes and imports are none."""
    top = symtable.symtable(text, "a.py", "exec")
    others = {node.name for node in tree.body if isinstance(node, FUNCTIONS | ast.ClassDef)}
    names = {name.get_name() for name in top.get_symbols() if name.is_assigned() and not name.is_imported()} - others
    inside = {
        id(below) for node in ast.walk(tree) if isinstance(node, INNER | ast.ClassDef) for below in ast.walk(node)
    }
    at_top = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in inside]
    stored = [node for node in at_top if isinstance(node.ctx, ast.Store)]
    return {name: [node.lineno for node in stored if node.id == name] for name in names}


def captured(node):
    """The names that a pattern of `match` binds."""
    bound = {ast.MatchAs: "name", ast.MatchStar: "name", ast.MatchMapping: "rest"}.get(type(node))
    return [name] if bound and (name := getattr(node, bound)) else []


def expected(function, table, top, first, last):
    """Whether lines of a function use its variables from above, and those of the file; None where branches, annotations or functions around it decide."""
    nodes = [node for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)]
    args = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    stored = [(node.id, node.lineno) for node in nodes if not isinstance(node.ctx, ast.Load)]
    stored += [(name, node.lineno) for part in function.body for node in ast.walk(part) for name in captured(node)]
    changed = {id(node.target) for part in function.body for node in ast.walk(part) if isinstance(node, ast.AugAssign)}
    found = {"local variable": False, "global variable": False}
    for node in nodes:
        if not first <= node.lineno <= last:
            continue
        if isinstance(node.ctx, ast.Del) or id(node) in changed:
            return None
        if isinstance(node.ctx, ast.Store):
            continue
        if any(name == node.id and first <= line <= last for name, line in stored):
            return None
        if node.id not in table.get_identifiers():  # in an annotation, which is not evaluated
            return None
        symbol = table.lookup(node.id)
        if symbol.is_free():
            return None
        caught = (one for part in function.body for one in ast.walk(part) if isinstance(one, ast.ExceptHandler))
        if any(one.name == node.id for one in caught):
            return None
        above = node.id in args or any(name == node.id and line < first for name, line in stored)
        found["local variable"] |= symbol.is_local() and above
        found["global variable"] |= symbol.is_global() and any(line < first for line in top.get(node.id, ()))
    return found


@pytest.mark.sampled
def test_variables_of_real_functions_are_those_of_pythons_own_table_of_symbols():
    drawn, seen = random.Random(1), {"local variable": 0, "global variable": 0, "neither": 0}
    for path in drawn.sample(FILES, 30 * SCALE):
        text = path.read_text(encoding="utf-8")
        tree, lines = ast.parse(text), text.splitlines(keepends=True)
        known, top = dict(tables(symtable.symtable(text, "a.py", "exec"))), bound_at_top(tree, text)
        for function in functions(tree):
            table = known.get((function.name, min([function.lineno, *(one.lineno for one in function.decorator_list)])))
            if function.body[0].lineno == function.lineno:
                continue
            start, end = function.body[0].lineno, function.body[-1].end_lineno
            first = drawn.randint(start, end)
            last = min(end, first + drawn.randrange(4))
            wanted = expected(function, table, top, first, last) if table is not None else None
            if wanted is None or not "".join(lines[first - 1 : last]).strip():
                continue
            parts = (lines[: first - 1], lines[first - 1 : last], lines[last:])
            constructs = labels_of(language_of("python"), *map("".join, parts)).constructs
            found = {construct: construct in constructs for construct in wanted}
            assert found == wanted, (path, first, last)
            for one in [construct for construct, holds in found.items() if holds] or ["neither"]:
                seen[one] += 1
    assert min(seen.values()) > 5 * SCALE, seen
