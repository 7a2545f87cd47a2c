import pytest

from syntax.gaps import patch, surplus, unclosed, without
from syntax.languages import language_of
from syntax.parse import has_error


def taken_out(name, marked):
    """What stands in place of the part between two bars."""
    head, part, tail = marked.split("¦")
    return patch(language_of(name), head + part + tail, len(head), len(head + part))


@pytest.mark.parametrize(
    ("name", "marked", "expected"),
    [
        ("python", "if a:¦\n    b()¦\n", "\n    pass"),
        ("python", "x = ¦1¦\n", ""),
        ("python", "¦if a:¦\n    b()\n", ""),
        ("python", "f(¦1, (2))¦\n", ")"),
        ("javascript", "if (a) {¦ b(); }¦", " }"),
        ("javascript", "f(() => {¦\n  b(')');\n});¦\n", "\n});"),
        ("javascript", "if (a) ¦b();¦", ";"),
        ("javascript", "¦a();¦\n", ""),
        ("java", "class A { void f() { for (;;)¦ g();¦ } }", " ;"),
        ("go", "package a\nfunc f() {¦\n\tg()\n}¦\n", "\n}"),
        ("ruby", "if a¦\n  b if c\nend¦\n", "\nend"),
        ("ruby", "a do¦\n  b { c }\nend¦\n", "\nend"),
    ],
)
def test_the_least_that_grammar_demands_stands_in_place_of_a_part(name, marked, expected):
    assert taken_out(name, marked) == expected


@pytest.mark.parametrize(
    ("name", "marked", "expected"),
    [
        ("python", "y = ¦g(x)¦\nz = y\n", "pass\nz = y\n"),
        ("python", "tot¦al = 0¦\n", "pass\n"),
        ("python", "y = ¦g(x)¦.strip()\nz = 1\n", "pass\nz = 1\n"),
        ("python", "return ¦x¦\n", "pass\n"),
        ("python", "f(1, ¦2)¦\n", "f(1, )\n"),
        ("python", "y = {\n    1: 2,¦\n    3: 4,\n}¦\n", "y = {\n    1: 2,\n}\n"),
        ("python", "while¦ a < b¦:\n    c()\n", "while None :\n    c()\n"),
        ("python", "for a in¦ b¦:\n    c()\n", "for a in None :\n    c()\n"),
        ("python", "for a¦ in b¦:\n    c()\n", "pass\n"),
        (
            "java",
            "class A { void f() { while (¦a < b¦) { c(); } } }\n",
            "class A { void f() { while ( null ) { c(); } } }\n",
        ),
        ("cpp", "void f() { while (¦a < b¦) { c(); } }\n", "void f() { while ( 0 ) { c(); } }\n"),
        ("rust", "fn f() { for a in ¦b¦ { c(); } }\n", "fn f() { for a in  ()  { c(); } }\n"),
        (
            "go",
            "package a\nfunc f() {\n\tswitch a {\n\tcase ¦b¦:\n\t\tc()\n\t}\n}\n",
            "package a\nfunc f() {\n\tswitch a {\n\tcase  nil :\n\t\tc()\n\t}\n}\n",
        ),
        ("python", 'print("hello ¦world")¦\n', 'print("hello ")\n'),
        ("javascript", "const a¦ = f();¦\ng();\n", "\ng();\n"),
        ("javascript", "if (a) {\n  b(¦c);\n}¦\n", "if (a) {\n  b()}\n"),
        ("javascript", "for (const a¦ of b¦) {\n  c();\n}\nd();\n", "\nd();\n"),
        ("javascript", "a();\n/¦/ says something¦\nb();\n", "a();\n\nb();\n"),
    ],
)
def test_what_is_left_without_a_part_parses(name, marked, expected):
    head, part, tail = marked.split("¦")
    found = without(language_of(name), head + part + tail, len(head), len(head + part))
    assert found == expected
    assert not has_error(language_of(name), found)


def test_brackets_that_a_part_closes_beyond_its_own_are_counted():
    text = 'f(g(1), "))")\n'
    assert surplus(language_of("python"), text, 0, len(text)) == 0
    assert surplus(language_of("python"), text, 2, len(text)) == 1
    assert surplus(language_of("python"), text, 4, len(text)) == 2


def test_brackets_that_are_left_open_are_counted_and_closers_too_many_are_not():
    assert unclosed(language_of("javascript"), "f(() => {\n  a[0];\n") == 2
    assert unclosed(language_of("javascript"), "f('(');\n") == 0
    assert unclosed(language_of("javascript"), "a();\n}\n") == 0
