"""Sessions of random edits in which each tree that came from an excerpt is compared with a parse of the whole text."""

import random
from collections import Counter

from syntax.excerpts import Excerpt, Excerpts
from syntax.parse import Tree, descendants
from tools.repair_tables import golden_answers

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


def checked_on_devbench(data):
    """How many edits were parsed by an excerpt, by language, in sessions in 60 programs of DevBench."""
    rng, seen = random.Random(1), Counter()
    programs = [(answer.syntax, answer.before + answer.text + answer.after) for answer in golden_answers(data)]
    clean = [(language, text) for language, text in programs if not Tree(language, text).root.has_error]
    for language, text in rng.sample(clean, 60):
        others = [other for its, other in programs if its == language]
        seen[language.id] += checked(rng, language, text, others, 10)
    return seen
