"""Bodies and conditions of constructs: where they begin, where they end, and what closes them."""

import pytest

from syntax.bodies import bodies, conditions
from syntax.languages import LANGUAGES, language_of

PYTHON = '''def total(rows):
    """Add up."""
    # of all rows
    found = 0
    for row in rows:
        if row > 1:
            found += row
        elif (row < 0):
            found -= row
        else:
            found = 0
    return found
'''
SCRIPT = """function total(rows) {
  let found = 0;
  for (const row of rows) {
    if (row > 1) { found += row; } else if (row < 0) { found -= row; } else { found = 0; }
  }
  while (found > 9) { found = halve(found); } // the last
  return found;
}
"""
SAME = {
    "java": "class A { int total(int[] rows) { int f = 0; for (int r : rows) { if (r > 1) { f += r; } else { f = 0; } } while (f > 9) { f = h(f); } return f; } }",
    "cpp": "int total(int n) { int f = 0; for (int r = 0; r < n; r++) { if (r > 1) { f += r; } else { f = 0; } } while (f > 9) { f = h(f); } return f; }",
    "csharp": "class A { int T(int[] rows) { int f = 0; foreach (var r in rows) { if (r > 1) { f += r; } else { f = 0; } } while (f > 9) { f = H(f); } return f; } }",
    "rust": "fn total(n: i32) -> i32 { let mut f = 0; for r in 0..n { if r > 1 { f += r; } else { f = 0; } } while f > 9 { f = h(f); } f }",
    "javascript": "function total(rows) { let f = 0; for (const r of rows) { if (r > 1) { f += r; } else { f = 0; } } while (f > 9) { f = h(f); } return f; }",
}


def found_in(language, text):
    """Kind, text and what closes it of each body."""
    made = bodies(language_of(language), text)
    return [(body.kind, text[body.start : body.inner], text[body.inner : body.end]) for body in made]


def test_a_body_of_python_begins_behind_the_docstring_and_has_no_closer():
    function, loop, *branches = found_in("python", PYTHON)
    assert function[1].startswith("found = 0\n    for row")
    assert function[1].endswith("return found")
    assert function[2] == ""
    assert loop[0] == "for"
    assert branches == [("if", "found += row", ""), ("if", "found -= row", ""), ("if", "found = 0", "")]


def test_a_body_in_braces_ends_before_its_brace_and_the_construct_behind_it():
    function, loop, *rest = found_in("javascript", SCRIPT)
    assert (function[0], function[2]) == ("function", "\n}")
    assert function[1].endswith("// the last\n  return found;")
    assert loop[2] == "\n  }"
    assert rest == [
        ("if", "found += row;", " }"),
        ("if", "found -= row;", " }"),
        ("if", "found = 0;", " }"),
        ("while", "found = halve(found);", " }"),
    ]


def test_conditions_stand_without_their_parentheses():
    texts = {"python": PYTHON, "javascript": SCRIPT}
    found = {
        name: [(one.kind, text[one.start : one.end]) for one in conditions(language_of(name), text)]
        for name, text in texts.items()
    }
    assert found["python"] == [("if", "row > 1"), ("if", "row < 0")]
    assert found["javascript"] == [("if", "row > 1"), ("if", "row < 0"), ("while", "found > 9")]


def test_a_condition_of_cpp_does_not_hold_what_is_declared_before_it():
    text = "int f(int a) { if (int b = twice(a) + 1; b > 9) { return b; } while (int c = g(a)) { h(c); } if (a > 3) { h(a); } return 0; }"
    found = [(one.kind, text[one.start : one.end]) for one in conditions(language_of("cpp"), text)]
    assert found == [("if", "b > 9"), ("while", "int c = g(a)"), ("if", "a > 3")]


@pytest.mark.parametrize("language", SAME)
def test_each_language_has_the_same_bodies_and_conditions(language):
    made, text = list(bodies(language_of(language), SAME[language])), SAME[language]
    assert [body.kind for body in made] == ["function", "for", "if", "if", "while"]
    assert [text[body.inner : body.end].strip() for body in made] == ["}"] * 5
    assert [kind for kind, _ in made[0].statements] == ["", "for", "while", ""]
    assert [one.kind for one in conditions(language_of(language), text)] == ["if", "while"]


def test_go_has_its_statements_in_a_list_and_ruby_a_word_that_closes():
    go = "package a\nfunc f(n int) int {\n\tt := 0\n\tfor i := 0; i < n; i++ { t += g(i) }\n\treturn t\n}\n"
    (function, _) = bodies(language_of("go"), go)
    assert [kind for kind, _ in function.statements] == ["", "for", ""]
    ruby = "def f(n)\n  t = 0\n  while t < n\n    t = g(t)\n  end\n  t\nend\n"
    assert found_in("ruby", ruby) == [
        ("function", "t = 0\n  while t < n\n    t = g(t)\n  end\n  t", "\nend"),
        ("while", "t = g(t)", "\n  end"),
    ]


def test_a_body_of_ruby_that_nothing_closes_ends_with_its_last_statement():
    text = (
        "def f(a)\n  if a > 2\n    x = g(a) + backend\n  elsif a > 1\n    x = g(a).map { |q| q + 1 }\n"
        "  elsif a > 0\n    while a > 2\n      a = h(a)\n    end\n  else\n    g(a)\n  end\nend\n"
    )
    assert [body[1:] for body in found_in("ruby", text)[1:]] == [
        ("x = g(a) + backend", ""),
        ("x = g(a).map { |q| q + 1 }", ""),
        ("while a > 2\n      a = h(a)\n    end", ""),
        ("g(a)", "\n  end"),
        ("a = h(a)", "\n    end"),
    ]


def test_a_loop_of_ruby_at_the_end_of_a_function_has_one_word_that_closes_it():
    text = "def f(a)\n  while a > 1\n    a = g(a)\n  end\nend\n"
    assert found_in("ruby", text) == [
        ("function", "while a > 1\n    a = g(a)\n  end", "\nend"),
        ("while", "a = g(a)", "\n  end"),
    ]


def test_an_empty_text_and_a_broken_one_have_no_bodies_that_lie_outside():
    for language in LANGUAGES.values():
        assert list(bodies(language, "")) == []
        for text in (SCRIPT[:60], PYTHON[:70]):
            assert all(0 <= body.start <= body.inner <= body.end <= len(text) for body in bodies(language, text))
