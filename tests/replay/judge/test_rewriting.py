"""What a person reads about places that were rewritten."""

import pytest

from replay.judge.grafts import hole_of, rewriting_of
from replay.records import Rewriting
from replay.tapes.timeline import Timeline
from tests.support.tapes import Typist, moment_of

PLACES = {
    "the statement before the cursor has another text": (
        ("if (n.kind) {\n  ", "\n}\n"),
        [(4, 10, "!n || n.kind"), (22, 22, "go();")],
        Rewriting(cause="before", then="if (n.kind) {\n  ", now="if (!n || n.kind) {\n  "),
    ),
    "the bracket is gone": (
        ("warn(\n  ", "\n)\n"),
        [(8, 8, "a);"), (11, 13, "")],
        Rewriting(cause="closer", then="\n)", now="a);"),
    ),
    "older text ends what begins there": (
        ("function f() {\n  ", "go(1);\n}\n"),
        [(17, 17, "const a = ")],
        Rewriting(cause="tail", then="go(1);\n}", now="const a = go(1);"),
    ),
    "more is closed than was open": (
        ("a();\n", ""),
        [(0, 0, "if (b) {\n"), (14, 14, "c();\n}\n")],
        Rewriting(cause="surplus", then="", now="c();"),
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_the_cause_and_both_texts_are_told(name):
    (before, after), edits, expected = PLACES[name]
    typist = Typist("a.js", "javascript", before + after)
    event = len(typist.events)
    for edit in edits:
        typist.edit(edit)
    timeline = Timeline(typist.tape())
    moment = moment_of(event, before, after, path="a.js", language="javascript", stop="block")
    assert hole_of(timeline, moment, before, after) == "rewritten"
    assert rewriting_of(timeline, moment, before, after) == expected


def test_a_place_that_has_a_hole_was_not_rewritten():
    typist = Typist("a.js", "javascript", "f(").edit((2, 2, "1);"))
    moment = moment_of(2, "f(", "", path="a.js", language="javascript")
    assert rewriting_of(Timeline(typist.tape()), moment, "f(", "") is None


def test_long_texts_lose_their_middle():
    before = "if (a) {\n" + "  // x\n" * 300 + "  go("
    typist = Typist("a.js", "javascript", before).edit((len(before) - 3, len(before), "stop("))
    moment = moment_of(2, before, "", path="a.js", language="javascript")
    found = rewriting_of(Timeline(typist.tape()), moment, before, "")
    assert found is not None
    assert len(found.then) <= 403
