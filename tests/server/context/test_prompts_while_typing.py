"""How prompts follow each other while one types: what a model has read already, it should not have to read again."""

from __future__ import annotations

import random
from itertools import pairwise

from server.context import Budget, RecentEdits, Snippet, Surroundings, choose
from server.prompt import TEMPLATES, middle, plain

BUDGET = Budget(before=400, after=150, snippets=200, edits=80, opened=80)
NAMES = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "order",
    "price",
    "total",
    "count",
    "items",
    "tax",
    "rate",
    "user",
    "email",
    "token",
]


def _function(random_, number):
    first, second, third = random_.sample(NAMES, 3)
    body = f"    {third} = {first} + {second}\n    if {third} > {first}:\n        return {second}\n    return {third}\n"
    return f"def f{number}_{first}({first}, {second}):\n{body}\n\n"


def _session(keys=1500):
    """Contexts at each key of someone who types functions into one file, with two others open, and goes to those at times."""
    draw = random.Random(4)
    texts = {path: "".join(_function(draw, number) for number in range(30)) for path in ("a.py", "b.py", "c.py")}
    recent, text, after = (
        RecentEdits(),
        "".join(_function(draw, number) for number in range(40)),
        "\n\ndef last():\n    pass\n",
    )
    typed = "".join(_function(draw, number) for number in range(100, 200))[:keys]
    for number, key in enumerate(typed):
        if number % 300 == 299:
            path = draw.choice(sorted(texts))
            new = "renamed = 1\n" + texts[path]
            recent.add(path, texts[path], new, [((0, 0), (0, 0), "renamed = 1\n")])
            texts[path] = new
        line = text.count("\n")
        column = len(text) - text.rfind("\n") - 1
        recent.add("main.py", text + after, text + key + after, [((line, column), (line, column), key)])
        text += key
        others = tuple(Snippet(path, texts[path]) for path in sorted(texts))
        edited = tuple(edit for _, edit in recent.latest("main.py", line))
        yield choose(Surroundings("main.py", "python", text, after, others, edited), BUDGET)


def _kept(prompts):
    """The share of prompts that begin with all of the one before, and the mean share that was read already."""
    pairs = list(pairwise(prompts))
    extended = sum(new.startswith(old) for old, new in pairs)
    read = sum(_common(old, new) / len(new) for old, new in pairs)
    return extended / len(pairs), read / len(pairs)


def _common(old, new):
    ends = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(ends, min(len(old), len(new)))


def test_nearly_every_prompt_goes_on_from_the_one_before():
    contexts = list(_session())
    assert any(context.snippets for context in contexts)
    assert any(context.edits for context in contexts)
    assert any(context.opened for context in contexts)
    extended, read = _kept([plain(context).text for context in contexts])
    assert extended > 0.97
    assert read > 0.98


def test_a_family_that_reads_the_suffix_first_loses_nothing_by_it():
    extended, read = _kept([middle(context, TEMPLATES["codestral"]).text for context in _session(600)])
    assert extended > 0.97
    assert read > 0.98


def test_with_the_suffix_last_all_up_to_the_cursor_is_kept():
    contexts = list(_session(600))
    heads = [middle(context, TEMPLATES["qwen"]).text.partition("<|fim_suffix|>")[0] for context in contexts]
    extended, _ = _kept(heads)
    assert extended > 0.97
