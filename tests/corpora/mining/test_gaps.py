"""Which gaps a text has, which of them are trivial, and what stands there when they are emptied."""

import pytest

from corpora.mining.gap_selection import constant, gaps, is_stub, logic
from syntax.languages import language_of
from syntax.parse import has_error

PYTHON = """def total(rows, least):
    found = []
    for row in rows:
        if row.size > least:
            found.append(row)
        else:
            continue
    while len(found) > 9:
        found.pop()
    return found
"""
SCRIPT = """const total = (rows, least) => {
  const found = [];
  for (const row of rows) {
    if (row.size > least) {
      found.push(row);
    }
  }
  return found;
};
"""


def found_in(language, text):
    return [
        (gap.category, gap.kind, text[gap.start : gap.end], gap.reason) for gap in gaps(language_of(language), text)
    ]


def test_bodies_conditions_and_what_is_left_of_a_body_are_gaps():
    found = found_in("python", PYTHON)
    whole = PYTHON[PYTHON.index("found = []") :].rstrip()
    rest, last = whole[whole.index("for row") :], whole[whole.index("while") :]
    branch = "if row.size > least:\n            found.append(row)\n        else:\n            continue"
    assert found == [
        ("infilling", "function-body", whole, ""),
        ("completion", "function-body", whole, ""),
        ("completion", "rest-of-function", rest, ""),
        ("infilling", "loop-body", branch, ""),
        ("completion", "loop-body", branch, ""),
        ("infilling", "if-condition", "row.size > least", ""),
        ("infilling", "if-body", "found.append(row)", ""),
        ("completion", "if-body", "found.append(row)", ""),
        ("infilling", "if-body", "continue", "trivial"),
        ("completion", "if-body", "continue", "trivial"),
        ("completion", "rest-of-function", last, ""),
        ("infilling", "loop-condition", "len(found) > 9", ""),
        ("infilling", "loop-body", "found.pop()", ""),
        ("completion", "loop-body", "found.pop()", ""),
    ]


def test_a_completion_closes_its_construct_and_an_infilling_does_not():
    by_category = {(category, kind): text for category, kind, text, _ in found_in("javascript", SCRIPT)}
    assert by_category["infilling", "function-body"].endswith("return found;")
    assert by_category["completion", "function-body"].endswith("return found;\n}")
    assert by_category["completion", "loop-body"].endswith("}\n  }")


@pytest.mark.parametrize(("language", "text"), [("python", PYTHON), ("javascript", SCRIPT)])
def test_an_emptied_text_parses(language, text):
    for gap in gaps(language_of(language), text):
        assert not has_error(language_of(language), text[: gap.start] + gap.emptied + text[gap.end :])


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return self._rows", "trivial"),
        ("self._rows = rows", "trivial"),
        ("return len(self._rows)", "trivial"),  # hands something on
        ("pass", "trivial"),
        ("...", "trivial"),
        ("raise NotImplementedError", "trivial"),
        ('raise NotImplementedError("later: " + self.name + str(1))', "trivial"),
        ("return sum(row.a * row.b for row in self.rows)", ""),
        ("return [row for row in self.rows if row.ok()]", ""),
        ("self.a = 1\n        self.b = 2", "trivial"),
        ("self.a = 1\n        self.b = read()", ""),
        ("if self.a:\n            self.b = 2", ""),
    ],
)
def test_a_function_without_logic_or_that_only_hands_something_on_is_trivial(body, reason):
    text = f'class A:\n    def f(self, rows):\n        """Doc."""\n        {body}\n'
    first = next(gap for gap in gaps(language_of("python"), text) if gap.kind == "function-body")
    assert (text[first.start : first.end], first.reason) == (body, reason)


@pytest.mark.parametrize(
    ("condition", "reason"),
    [("a", "trivial"), ("not a", "trivial"), ("True", "trivial"), ("a.b", "trivial"), ("a > 1", ""), ("f(a)", "")],
)
def test_a_condition_that_is_a_name_alone_is_trivial(condition, reason):
    text = f"if {condition}:\n    g(1)\n"
    found = next(gap for gap in gaps(language_of("python"), text) if gap.kind == "if-condition")
    assert (text[found.start : found.end], found.reason, found.emptied) == (condition, reason, "False")


def test_stubs_of_other_languages_are_trivial():
    for language, text in {
        "javascript": 'class A { m() { throw new Error("Not implemented" + 1 + 2); } }',
        "java": 'class A { int m() { throw new IllegalStateException("TODO" + 1 + 2); } }',
        "rust": "fn m() { todo!() }",
    }.items():
        found = [gap for gap in gaps(language_of(language), text) if gap.kind == "function-body"]
        assert found
        assert {gap.reason for gap in found} == {"trivial"}


def test_logic_counts_calls_operators_and_control_flow():
    python = language_of("python")
    for text, much in {
        "return len(self.rows)": 1,
        "return sum(a * b for a, b in rows)": 3,
        "x = 1": 0,
        "for a in b: c": 1,
    }.items():
        assert logic(python, text, 0, len(text)) == much
    assert not is_stub(python, "raise ValueError('no')", 0, 22)


def test_the_constants_of_a_condition_are_those_of_its_language():
    assert (constant("python", holds=True), constant("go", holds=False)) == ("True", "false")
    assert "isEmpty" in constant("java", holds=True)  # javac refuses statements behind a loop on a constant


@pytest.mark.parametrize(
    ("language", "text", "emptied"),
    [
        ("java", "class A { int f(int a) { return g(a) + 1; } }", "throw new UnsupportedOperationException();"),
        ("java", "class A { void f(int a) { g(a + 1); } }", ""),
        ("java", "class A { A(int a) { g(a + 1); } }", ""),
        ("csharp", "class A { int F(int a) { return G(a) + 1; } }", "throw new System.NotSupportedException();"),
        ("csharp", "class A { void F(int a) { G(a + 1); } }", ""),
        ("go", "package a\nfunc f(a int) int { return g(a) + 1 }\n", 'panic("emptied")'),
        ("go", "package a\nfunc f(a int) { g(a + 1) }\n", ""),
        ("rust", "fn f(a: i32) -> i32 { g(a) + 1 }", "unimplemented!()"),
        ("rust", "fn f(a: i32) { g(a + 1); }", ""),
        ("cpp", "int f(int a) { return g(a) + 1; }", ""),
        ("typescript", "function f(a: number): number { return g(a) + 1; }", ""),
    ],
)
def test_an_emptied_function_that_must_return_fails_when_it_runs_and_not_when_it_is_compiled(language, text, emptied):
    filling, completion = (gap for gap in gaps(language_of(language), text) if gap.kind == "function-body")
    if filling.category == "completion":
        filling, completion = completion, filling
    assert (filling.emptied, completion.emptied) == (emptied, f"{emptied} }}")
