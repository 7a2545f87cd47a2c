"""What `is_applicable` and `verify` say beyond the cases of the catalogue."""

import ast
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.codealign.catalogue import instruction, instructions
from corpora.codealign.finders.shapes import SHAPES
from corpora.codealign.instruction import RuleWords
from tests.support.scale import examples

RECURSIVE = "def f(n):\n    return n and f(n - 1)\n"


def test_what_does_not_parse_or_holds_no_code_follows_nothing_and_nothing_applies_to_it():
    for each in instructions():
        for language in each.rules:
            broken = {"python": "def f(:\n", "java": "class {", "javascript": "function ("}[language]
            comment = {"python": "# a", "java": "// a", "javascript": "// a"}[language]
            for code in (broken, comment, "", "\n"):
                assert not each.verify(code, language), (each.id, code)
                assert not each.is_applicable(code, language), (each.id, code)


def test_no_rule_fails_on_cut_off_programs():
    codes = [
        (language, code) for each in instructions() for language, cases in each.cases.items() for code in cases.breaks
    ]
    drawn = random.Random(1).sample(codes, 40)
    for each in instructions():
        for language, code in drawn:
            if each.knows(language):
                each.rules[language].rule()
                each.problems(code[: len(code) * 2 // 3], language)


def test_lines_of_problems_count_from_zero_and_stand_once():
    assert instruction("avoid-recursion").problems("x = 1\n" + RECURSIVE, "python") == [1]
    assert instruction("remove-trailing-whitespace").problems("a = 1 \nb = 2\nc = 3\t\n", "python") == [0, 2]
    assert instruction("use-symbolic-constants").problems("a = 7 + 8\n", "python") == [0]


def test_fewer_comments_than_before_are_enough_where_the_earlier_program_is_known():
    before = "# one\na = 1\n# two\nb = 2\n"
    after = "a = 1\n# two\nb = 2\n"
    reduce = instruction("reduce-comments")
    assert not reduce.verify(after, "python")
    assert reduce.verify(after, "python", before)
    assert not reduce.verify(before, "python", before)


def test_an_earlier_program_changes_nothing_for_other_rules():
    rule = instruction("avoid-recursion")
    assert not rule.verify(RECURSIVE, "python", RECURSIVE)
    assert rule.verify("def f(n):\n    return n\n", "python", RECURSIVE)


def test_several_finders_find_what_any_of_them_finds():
    rule = RuleWords("long-lines 10 | trailing-space").rule()
    from syntax.languages import LANGUAGES
    from syntax.parse import parse

    assert rule.problems(parse(LANGUAGES["python"], "a = 1 \nb = 'a long line'\nc = 1\n")) == [0, 1]


LINES = st.lists(
    st.sampled_from(["a = 1", "b = a", "import os", "print(b)", "def f(n):\n    return n", "f(2)", "os.sep"]),
    max_size=8,
)


@settings(max_examples=examples(60), deadline=None)
@given(LINES)
def test_unused_imports_are_those_that_the_syntax_tree_of_python_shows(lines):
    code = "x = 0\n" + "\n".join(lines) + "\n"
    tree = ast.parse(code)
    imports = any(isinstance(node, ast.Import) for node in ast.walk(tree))
    read = any(isinstance(node, ast.Name) and node.id == "os" for node in ast.walk(tree))
    assert instruction("remove-unused-imports").verify(code, "python") == (read or not imports)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=8))
def test_recursion_is_a_cycle_in_the_graph_of_calls(calls):
    bodies = {caller: [called for who, called in calls if who == caller] for caller in range(5)}
    code = "".join(
        f"def f{n}():\n    pass\n" + "".join(f"    f{c}()\n" for c in called) for n, called in bodies.items()
    )
    reach = {(a, b) for a, b in calls}
    for middle in range(5):
        reach |= {(a, b) for a in range(5) for b in range(5) if (a, middle) in reach and (middle, b) in reach}
    found = instruction("avoid-recursion").problems(code, "python")
    starts = [row for row, line in enumerate(code.splitlines()) if line.startswith("def")]
    assert found == [starts[n] for n in range(5) if (n, n) in reach]


def test_a_java_method_that_calls_another_of_its_name_is_not_recursive():
    code = "int f(int a) { return f(a, 0); }\nint f(int a, int b) { return a + b; }\n"
    assert instruction("avoid-recursion").verify(code, "java")


def test_each_language_has_rules_of_each_type():
    for language in SHAPES:
        assert {each.type for each in instructions() if each.knows(language)} == {
            "cosmetic",
            "structural",
            "algorithm",
            "performance",
            "correctness",
        }


def test_a_name_is_read_in_the_scope_in_which_it_is_known():
    rule = instruction("remove-redundant-code-and-comments")
    twice = "function f(a) { let sum = 0; sum += a; return sum; }\nfunction g(a) { const sum = f(a); return %s; }\n"
    assert rule.verify(twice % "sum", "javascript")
    assert rule.problems(twice % "a", "javascript") == [1]
    counted = "def f(n):\n    tries = 0\n    while tries < n:\n        tries += 1\n"
    assert rule.verify(counted, "python")
    assert not rule.verify("def f(n):\n    tries = 0\n    while n:\n        tries += 1\n", "python")
    assert rule.verify("function f(a) { const b = a.c; b.d = 1; b[0] += 1; }\n", "javascript")


def test_a_parameter_of_the_same_name_is_no_use_of_an_import():
    code = 'const path = require("path");\nconst f = (path) => path;\n'
    assert instruction("remove-unused-imports").problems(code, "javascript") == [0]


def test_callbacks_and_members_of_objects_are_no_functions_inside_functions():
    code = "function f() { on('x', function handle() { }); return { go: () => 1 }; }\n"
    assert instruction("remove-unused-function").verify(code, "javascript")
    assert (
        instruction("avoid-nested-functions").problems("function f() { return { go: () => 1 }; }\n", "javascript") == []
    )
