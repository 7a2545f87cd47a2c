"""A tree that came from an excerpt is the one of the whole text, whatever was parsed before."""

import random
from collections import Counter

import pytest

from syntax.excerpts import Excerpt, Excerpts
from syntax.languages import language_of
from syntax.parse import Tree, descendants
from tests.support.places import ROOT

SOURCES = {path.stem: path.read_text() for path in (ROOT / "tests").glob("server/repair/sources/*.code")}
PYTHON = language_of("python")
LONG = "".join(f"def f{number}(a):\n    b = a + {number}\n    return b\n\n\n" for number in range(200))
PIECES = [
    *"(){}[];:,.'\"`#@<>=+-&!\\x \n\té",
    "    ",
    "//",
    "/*",
    "*/",
    '"""',
    "${",
    "else:",
    "else {",
    "end\n",
    "if (a) {\n",
]
PIECES += [
    "return",
    "async ",
    "try:\n",
    "<<A\n",
    "#if A\n",
    "#endif\n",
    "->",
    "=>",
    "case 1:",
    "catch (e) {",
    "def f(a):\n",
]


def spans(tree):
    """What can be asked about each node: its kind, and where it stands in the whole text."""
    return [(node.kind_id, *tree.span(node), node.is_missing) for node in descendants(tree.root)]


def differences(found, whole):
    """The nodes that an excerpt shows differently: all that the whole text has and that do not lie in what it left out."""
    gaps, ends = found.gaps, {end: start for start, end in found.gaps}
    wanted = [
        span for span in spans(whole) if not any(start <= span[1] < end and span[2] <= end for start, end in gaps)
    ]
    shown = [
        (kind, start, end if end == right else ends.get(right, right))
        for kind, start, right, _ in spans(found)
        for end in [right]
    ]
    told = [(kind, start, end) for kind, start, end, _ in wanted]
    return [pair for pair in zip(told, shown, strict=True) if pair[0] != pair[1] and pair[0][2] != ends.get(pair[1][2])]


def edited(rng, text, other, place):
    """A text with one random change near a place."""
    at = min(len(text), max(0, place + int(rng.gauss(0, 100))))
    end = min(len(text), at + int(rng.expovariate(1 / 20)))
    piece = other[(start := rng.randrange(len(other))) : start + int(rng.expovariate(1 / 60))]
    lines, row = text.split("\n"), text.count("\n", 0, at)
    return rng.choice(
        [
            text[:at] + rng.choice(PIECES) + text[at:],
            text[:at] + rng.choice(PIECES) + text[at:],
            text[:at] + text[end:],
            text[:at] + piece + text[at:],
            text[:at] + piece + text[end:],
            "\n".join(lines[:row] + lines[row + rng.randrange(1, 4) :]),
            "\n".join(lines[: row + 2] + lines[row:]),
            "\n".join([*lines[:row], f"    {lines[row]}", *lines[row + 1 :]]),
            "\n".join([*lines[:row], lines[row][4:], *lines[row + 1 :]]),
        ]
    )


def session(rng, language, text, other, edits):
    """The texts of a person who changes a text in one place, and tries what does not parse as well."""
    place = rng.randrange(len(text))
    for _ in range(edits):
        new = edited(rng, text, other, place)
        yield new
        if rng.random() < 0.5 and not Tree(language, new).root.has_error:
            text = new


def checked(rng, language, text, others, edits):
    """How many of the edits of a session were parsed by an excerpt; each of them is compared with a parse of the whole text."""
    trees, count = Excerpts(small=0), 0
    trees.parse(language, text)
    for new in session(rng, language, text, rng.choice(others), edits):
        found = trees.parse(language, new)
        if isinstance(found, Excerpt):
            whole = Tree(language, new)
            assert not whole.root.has_error
            assert not differences(found, whole), new
            count += bool(found.gaps)
    return count


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_an_excerpt_has_the_nodes_of_the_whole_text_in_every_language(name):
    language, rng = language_of(name), random.Random(name)
    texts = [text for text in SOURCES.values() if not Tree(language, f"{text}\n{text}").root.has_error]
    source = f"{SOURCES[name]}\n{SOURCES[name]}"
    text = source if not Tree(language, source).root.has_error else SOURCES[name]
    assert sum(checked(rng, language, text, [*texts, *SOURCES.values()], 12) for _ in range(10)) > 5


def test_an_excerpt_has_the_nodes_of_the_whole_text_in_the_programs_of_devbench(shared):
    from tools.repair_tables import golden_answers

    rng, seen = random.Random(1), Counter()
    programs = [(answer.syntax, answer.before + answer.text + answer.after) for answer in golden_answers(shared)]
    clean = [(language, text) for language, text in programs if not Tree(language, text).root.has_error]
    for language, text in rng.sample(clean, 60):
        others = [other for its, other in programs if its == language]
        seen[language.id] += checked(rng, language, text, others, 10)
    assert min(seen.values()) > 3, seen
    assert len(seen) == 6


def test_a_change_in_a_long_text_is_parsed_by_an_excerpt():
    trees, at = Excerpts(), LONG.index("    return b\n\n\ndef f101")
    trees.parse(PYTHON, LONG)
    tree = trees.parse(PYTHON, f"{LONG[:at]}    c = 1\n{LONG[at:]}")
    assert isinstance(tree, Excerpt)
    assert tree.size < 300
    node = tree.root.descendant_for_byte_range(tree.byte(at + 4), tree.byte(at + 5))
    assert tree.text[slice(*tree.span(node))] == "c"


def test_a_question_about_what_an_excerpt_left_out_is_answered_by_the_whole_text():
    trees, at = Excerpts(), LONG.index("    return b\n\n\ndef f101")
    trees.parse(PYTHON, LONG)
    tree = trees.parse(PYTHON, f"{LONG[:at]}    c = 1\n{LONG[at:]}")
    for name in ("f50", "f150"):
        start = tree.text.index(name)
        byte = tree.byte(start)
        node = tree.root.descendant_for_byte_range(byte, byte + 1)
        assert tree.text[slice(*tree.span(node))] == name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return b\n\n\ndef f101", '    """\n    return b\n\n\ndef f101'),
        ("    return b\n\n\ndef f101", "    return (b\n\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\n@a\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\nif a:\n\ndef f101"),
        ("    return b\n\n\ndef f101", "    return b\n\n\nelse:\n    pass\n\ndef f101"),
    ],
)
def test_what_changes_the_text_behind_it_is_parsed_whole(old, new):
    trees = Excerpts()
    trees.parse(PYTHON, LONG)
    text = LONG.replace(old, new)
    found, whole = trees.parse(PYTHON, text), Tree(PYTHON, text)
    assert found.root.has_error == whole.root.has_error
    assert not (differences(found, whole) if isinstance(found, Excerpt) else spans(found) != spans(whole))


def test_a_javascript_statement_that_takes_in_the_next_line_is_parsed_whole():
    language = language_of("javascript")
    text = "".join(f"const a{number} = b{number};\n" for number in range(200)) + "(function () {})();\n" * 3
    trees = Excerpts()
    trees.parse(language, text)
    changed = text.replace("b199;", "b199")
    found = trees.parse(language, changed)
    assert not isinstance(found, Excerpt)
    assert spans(found) == spans(Tree(language, changed))


def test_a_statement_that_would_take_in_the_last_one_of_its_block_is_parsed_whole():
    body = "        a = 1\n        b = 2\n        c = 3\n        d = 4\n\n"
    methods = "".join(f"    def f{number}(self):\n{body}" for number in range(40))
    text = f"class A:\n{methods}    def last(self): e = 5\n\n        if e:\n            f = 6\n"
    trees, whole = (
        Excerpts(),
        Tree(PYTHON, text.replace("def f5(self):\n        a = 1", "def f5(self):\n        a = 10")),
    )
    assert not whole.root.has_error
    trees.parse(PYTHON, text)
    found = trees.parse(PYTHON, whole.text)
    assert not (differences(found, whole) if isinstance(found, Excerpt) else spans(found) != spans(whole))
