"""Mutants, their draw, the tests that execute them, and what becomes of a mutant that is set against tests."""

import msgspec
import pytest

from tools.mutants.__main__ import MutantResult, table, within
from tools.mutants.mutant_trials import MutantTrial, MutantVerdict
from tools.mutants.mutations import OPERATORS, draw, is_valid, mutants_of

PLACES = '''"""A docstring."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import b
LIMIT = 3
"""What no mutant may change."""

@decorated(1)
class Span(Base, frozen=True):
    kind: Literal["one"] = "ä"

    def holds(self, at: int, most: int = LIMIT) -> bool:
        """Say whether."""
        assert at > 0, "never"
        return self.start <= at
'''


@pytest.mark.parametrize(
    ("operator", "code", "mutated"),
    [
        ("comparison", "a < b >= c", {"a <= b >= c", "a < b > c"}),
        ("comparison", "a is not b", {"a is b"}),
        ("comparison", "(a) in (b)", {"(a) not in (b)"}),
        ("arithmetic", "a - b // c", {"a + b // c", "a - b / c"}),
        ("arithmetic", "a += 'ä'", {"a -= 'ä'"}),
        ("logic", "a and b and c", {"a or b and c", "a and b or c"}),
        ("logic", "f(not a, -b)", {"f(a, -b)", "f(not a, b)"}),
        ("condition", "a if f(b) else c", {"a if not (f(b)) else c"}),
        ("condition", "[a for a in b if a or c]", {"[a for a in b if not (a or c)]"}),
        ("condition", "a if b == c else d", set()),
        ("number", "a[1] + 0.5", {"a[2] + 0.5", "a[1] + 1.5"}),
        ("text", "'ä' + b''", {"'XXäXX' + b''", "'ä' + b'XXXX'"}),
        ("text", "f'{a} b'", set()),
        ("truth", "f(True, a=False)", {"f(False, a=False)", "f(True, a=True)"}),
        ("returned", "def f():\n    return a + b", {"def f():\n    return None"}),
        ("loop", "while a:\n    break", {"while a:\n    continue"}),
        ("call", "min(a.find(b), c)", {"max(a.find(b), c)", "min(a.rfind(b), c)"}),
        ("removed", "a.append(b)", {"pass"}),
        ("bound", "a[b:c]", {"a[:c]", "a[b:]"}),
    ],
)
def test_an_operator_makes_these_mutants(operator, code, mutated):
    found = [mutant for mutant in mutants_of("a.py", code) if mutant.operator == operator]
    assert {mutant.apply(code) for mutant in found} == mutated
    assert all(is_valid(mutant, code) for mutant in found)
    assert operator in OPERATORS


def test_annotations_docstrings_decorators_and_assertions_have_no_mutants():
    found = {(mutant.function, mutant.before, mutant.line, mutant.at_import) for mutant in mutants_of("a.py", PLACES)}
    assert found == {
        ("", "3", 5, True),
        ("Span", '"ä"', 10, True),
        ("Span.holds", "<=", 15, False),
        ("Span.holds", "self.start <= at", 15, False),
    }


def test_a_default_acts_at_import_and_a_head_of_several_lines_is_one_statement():
    code = "def f(a=1):\n    if (a and\n            b):\n        return 2\n"
    found = {mutant.before: (mutant.lines, mutant.at_import) for mutant in mutants_of("a.py", code)}
    assert found["1"] == ((1, 1), True)
    assert found["and"] == ((2, 3), False)
    assert found["2"] == ((4, 4), False)


def test_a_draw_is_determined_by_its_seed():
    texts = {"a.py": PLACES, "b.py": "A = [1, 2, 3, 4, 5, 6, 7, 8]\n"}
    assert draw(texts, 5, 1) == draw(dict(reversed(texts.items())), 5, 1)
    assert len({mutant.identity for mutant in draw(texts, 12, 1)[0]}) == 12
    assert draw(texts, 5, 1) != draw(texts, 5, 2)


def test_listed_mutants_are_found_again_where_their_lines_moved_and_those_gone_are_drawn_anew():
    old = "def f(a):\n    return a + 1\ndef g(a):\n    return a < 2\n"
    new = "import b\n\ndef f(a):\n    return a + 1\ndef g(a):\n    return a < 3\n"
    listed, _ = draw({"a.py": old}, 6, 0)
    found, gone = draw({"a.py": new}, 6, 0, listed)
    kept = {mutant.identity for mutant in listed} & {mutant.identity for mutant in found}
    assert {mutant[1] for mutant in kept} == {"f"}
    assert gone == 3
    assert len(found) == 6
    assert all(is_valid(mutant, new) and new[mutant.offset :].startswith(mutant.before) for mutant in found)


def test_tests_are_taken_until_their_time_is_used_up():
    assert within(["a", "b", "c"], {"a": 1.0, "b": 2.0, "c": 3.0}, 3.5) == {"a": 1.0, "b": 2.0}


def test_the_table_counts_a_timeout_as_a_kill_and_shows_survivors():
    code = "def f():\n    return 1\n"
    mutant = msgspec.structs.replace(mutants_of("syntax/a.py", code)[0], function="")
    results = [
        MutantResult(mutant, MutantTrial(verdict), tests, 0.1, mutant.diff(code))
        for verdict, tests in ((MutantVerdict.KILLED, 3), (MutantVerdict.TIMEOUT, 3), (MutantVerdict.SURVIVED, 0))
    ]
    lines = table(results).splitlines()
    assert "| syntax | 3 | 1 | 1 | 1 | 66.7% (20.8% to 93.9%) |" in lines
    assert lines[-3:] == ["syntax/a.py:2 (no test executes it)", "-    return 1", "+    return 2"]
