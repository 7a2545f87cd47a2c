"""Whether two texts are the same code, beside Python's own tokenizer and parser."""

import ast
import io
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as some

from corpora.history.commit_plan import same_code
from syntax.languages import language_named


def python_tokens(text):
    """The tokens that Python sees; None if the text does not parse. An indentation counts, and not how wide it is."""
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    found = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in {tokenize.COMMENT, tokenize.NL}
    ]
    return [(token.type, "" if token.type in {tokenize.INDENT, tokenize.NEWLINE} else token.string) for token in found]


SIMPLE = some.sampled_from([["f", "(", "a", ",", "b", ")"], ["x", "=", "'a  b'"], ["x", "=", "'a b'"], ["pass"]])
BLOCKS = some.recursive(
    some.lists(SIMPLE, min_size=1, max_size=2),
    lambda inner: some.lists(
        SIMPLE | some.tuples(some.sampled_from(["if a", "while a"]), inner), min_size=1, max_size=2
    ),
    max_leaves=3,
)


@some.composite
def written(draw, block, indent=""):
    """A block of statements in some layout."""
    inside, text = indent + draw(some.sampled_from([" ", "    ", "\t"])), ""
    for statement in block:
        text += draw(some.sampled_from(["", "\n", "  # note\n", f"{indent}# note\n"]))
        if isinstance(statement, tuple):
            head, body = statement
            text += f"{indent}{head}{draw(some.sampled_from([':', ' :', ':  # note']))}\n{draw(written(body, inside))}"
        else:
            gaps = some.sampled_from(["", " ", "  "] + ["\n  # note\n"] * ("(" in statement))
            text += indent + statement[0] + "".join(draw(gaps) * (part != "(") + part for part in statement[1:]) + "\n"
    return text


PAIRS = some.one_of(
    BLOCKS.flatmap(lambda block: some.tuples(written(block), written(block))),
    some.tuples(*[BLOCKS.flatmap(written)] * 2),
)


@given(PAIRS)
def test_python_is_told_apart_as_by_its_tokenizer(pair):
    tokens = [python_tokens(text) for text in pair]
    assert None not in tokens
    assert same_code(language_named("python"), *pair) == (tokens[0] == tokens[1])


SAME = {
    "python": [("def f():\n    '''One.'''\n    g()\n", "def f():\n  g()\n"), ("a = 1 + \\\n  2\n", "a = 1 + 2\n"), ("class A:\n    x = 1\n", 'class A:\n    """A."""\n\n    x = 1\n')],
    "javascript": [("f(a,b);", "f(\n  a, // the first\n  b\n);"), ("/** doc */ let a = 1;", "let a = 1;")],
    "typescript": [("type A = {a: 1}", "type A = { a: 1 }")],
    "typescriptreact": [("<a b={1}/>", "<a b={ 1 } />")],
    "java": [("class A { int f() { return 1; } }", "/** A */\nclass A {\n  int f() {\n    return 1;\n  }\n}\n")],
    "cpp": [("int f(){return 1;}", "int f()\n{\n  return 1; // one\n}\n")],
    "csharp": [("class A { int F() => 1; }", "/// <summary/>\nclass A\n{\n    int F() => 1;\n}")],
    "go": [("package a\nfunc f() {\n\tg()\n}\n", "package a\n\n// f\nfunc f() {\n  g()\n\n}\n")],
    "rust": [("fn f(){g();}", "// f\nfn f() {\n    g();\n}\n")],
}  # fmt: skip
OTHER = {
    "python": [("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"), ("x = 'a  b'", "x = 'a b'"), ("x = '''a\n b'''", "x = '''a\nb'''"), ("f(a", "f( a"), ("x = 1", "x = 2"), ("f('a')", "f()"), ("x = f'{a}  b'", "x = f'{a} b'")],
    "javascript": [("function f() { return x }", "function f() { return\nx }"), ("`a  ${b}`", "`a ${b}`"), ("/a  b/", "/a b/"), ("let a = 1", "let a = 1;"), ("'a'", '"a"')],
    "typescriptreact": [("<a>b  c</a>", "<a>b c</a>")],
    "java": [('class A { String a = "a  b"; }', 'class A { String a = "a b"; }')],
    "cpp": [('auto a = "a  b";', 'auto a = "a b";'), ('auto a = R"(a\n)";', 'auto a = R"(a)";'), ("#define A 1 2\n", "#define A 12\n")],
    "csharp": [('class A { string a = @"a  b"; }', 'class A { string a = @"a b"; }'), ('class A { string a = $"a  {b}"; }', 'class A { string a = $"a {b}"; }')],
    "go": [("package a\nvar b = `c  d`\n", "package a\nvar b = `c d`\n")],
    "rust": [('const A: &str = "a  b";', 'const A: &str = "a b";'), ('const A: &str = r"a  b";', 'const A: &str = r"a b";')],
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "one", "other"), [(name, *pair) for name, pairs in SAME.items() for pair in pairs]
)
def test_white_space_and_comments_are_no_code(language, one, other):
    assert same_code(language_named(language), one, other)


@pytest.mark.parametrize(
    ("language", "one", "other"), [(name, *pair) for name, pairs in OTHER.items() for pair in pairs]
)
def test_white_space_that_means_something_is_code(language, one, other):
    assert not same_code(language_named(language), one, other)
