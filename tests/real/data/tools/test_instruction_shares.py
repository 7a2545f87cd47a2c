"""The table of the instructions in the docs: two of its rows are counted anew over DevBench by other means."""

import ast

import pytest

from corpora.codealign.catalogue import instruction
from tests.support.places import ROOT
from tools.instruction_shares import devbench, share

PAGE = (ROOT / "docs" / "codealign.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip(" *"): [cell.strip() for cell in cells[1:]]
    for line in PAGE.splitlines()
    if len(cells := line.strip("|").split("|")) == 6
}


@pytest.fixture(scope="module")
def python(shared):
    return devbench(shared, "python")


def test_rows_are_as_counted_by_pythons_own_syntax_tree(python):
    trees = []
    for code in python:
        try:
            trees.append(ast.parse(code))
        except SyntaxError:
            continue
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for id_, types in {"avoid-ternary": ast.IfExp, "avoid-comprehensions": comprehensions}.items():
        found = sum(any(isinstance(node, types) for node in ast.walk(tree)) for tree in trees)
        assert (
            share(instruction(id_), "python", python)
            == ROWS[id_][2]
            == f"{found / len(python):.1%}".replace("%", "\u00a0%")
        )
