"""The table of the instructions in the docs: it names all of them, and shares are counted anew by other means."""

import ast
import json
import re

import pytest

from corpora.codealign.catalogue import instruction, instructions
from tests.support.places import ROOT
from tools.instruction_shares import devbench, share, table

PAGE = (ROOT / "docs" / "codealign.md").read_text(encoding="utf-8")
ROWS = {
    cells[0].strip(" *"): [cell.strip() for cell in cells[1:]]
    for line in PAGE.splitlines()
    if len(cells := line.strip("|").split("|")) == 6
}


@pytest.fixture(scope="module")
def python(shared):
    return devbench(shared, "python")


def test_the_page_names_all_instructions():
    assert ROWS.keys() >= {each.id for each in instructions() if each.by_rule}
    assert all(f"{each.id}* (" in PAGE or f"{each.id} (" in PAGE for each in instructions() if not each.by_rule)
    numbers = re.search(r"\| HumanEval, Python \((\d+)\) \| DevBench, Python \((\d+)\)", PAGE)
    assert numbers.groups() == ("164", "300")


def test_shares_are_as_counted_by_pythons_own_syntax_tree(python):
    trees = []
    for code in python:
        try:
            trees.append(ast.parse(code))
        except SyntaxError:
            continue
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for id_, types in {"avoid-ternary": ast.IfExp, "avoid-comprehensions": comprehensions}.items():
        found = sum(any(isinstance(node, types) for node in ast.walk(tree)) for tree in trees)
        assert share(instruction(id_), "python", python) == f"{found / len(python):.1%}".replace("%", "\u00a0%")


def test_shares_are_of_programs_that_parse_and_break_the_instruction(tmp_path):
    folder = tmp_path / "devbench/benchmark/python/syntax"
    folder.mkdir(parents=True)
    rows = [("x = 1", "y = x if x else 2"), ("x = 1", "y = 2"), ("x = (", "y = 1 if x else 2"), ("", "z = 1")]
    row = {"suffix": "", "assertions": "assert True"}
    lines = [json.dumps({"prefix": one, "golden_completion": other, **row}) for one, other in rows]
    (folder / "syntax.jsonl").write_text("\n".join(lines))
    programs = devbench(tmp_path, "python")
    assert share(instruction("avoid-ternary"), "python", programs) == "25.0\u00a0%"
    assert share(instruction("always-use-braces"), "python", programs) == ""
    assert "| *avoid-recursion* | algorithm | 0.0\u00a0% |" in table({("DevBench", "python"): programs}, "2026-01-01")
