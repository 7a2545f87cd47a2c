import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from replay.play.policies.block_places import ALL_AT, ALL_KINDS, MomentPlace, block_places, left_out
from replay.records import Within
from replay.tapes.tape import read
from replay.tapes.timeline import Timeline
from syntax.text import cut, length
from tests.support.places import DEMO
from tests.support.tapes import Typist

KNOWN = tomllib.loads((Path(__file__).parent / "block_places.toml").read_text(encoding="utf-8"))


def places(typist, **options):
    """(text left of the cursor on its line, text that came to stand there up to its line's end, kind, scenario) in order."""
    timeline = Timeline(typist.tape())
    return [described(timeline, part) for place in block_places(timeline, **options) for part in parts(place)]


def parts(place):
    """What begins at a place, as places of their own."""
    yield replace(place, within=())
    for part in place.within:
        yield MomentPlace(place.event, place.path, place.offset, part.stop, part.kind, part.scenario)


def described(timeline, place):
    left, _ = timeline.carried(place.path, place.event, place.offset, place.offset)
    final = timeline.final[place.path]
    before, after = cut(final, 0, left), cut(final, left, length(final))
    return before.rpartition("\n")[2].strip(), after.partition("\n")[0].strip(), place.kind, place.scenario


@pytest.mark.parametrize("name", ["ledger", "router"])
def test_what_begins_in_the_bundled_tapes_is_what_it_always_was_and_each_place_is_asked_once(name):
    found = list(block_places(Timeline(read(DEMO / f"{name}.tape.jsonl"))))
    assert [
        [one.event, one.path, one.offset, one.stop, one.kind, one.scenario] for place in found for one in parts(place)
    ] == KNOWN[name]
    assert len({(place.event, place.path, place.offset) for place in found}) == len(found)
    assert [len(found), len(KNOWN[name])] == {"ledger": [17, 26], "router": [14, 24]}[name]


def test_a_block_is_asked_for_and_the_statement_that_it_begins_with_is_within():
    timeline = Timeline(Typist().type(PROGRAM).tape())
    (body,) = (place for place in block_places(timeline) if place.kind == "for")
    assert (body.stop, body.scenario) == ("block", "full")
    assert body.within == (Within(stop="statement", kind="statement", scenario="full"),)


def test_where_only_statements_are_wanted_the_statement_itself_is_asked_for():
    timeline = Timeline(Typist().type(PROGRAM).tape())
    chosen = list(block_places(timeline, kinds=("statement",)))
    assert [(place.stop, place.within) for place in chosen] == [("statement", ())] * 2


def test_a_place_where_an_agent_began_to_write_is_no_moment_and_is_counted():
    typist = Typist().type("def f(x):\n    ")
    typist.t += 200
    agents = ["if x:", "\n        go(x)", "\n    return", " x + 1", "\n\n# then", "\nf(2)"]
    for text in agents:
        size = length(typist.text)
        typist.edit((size, size, text), reason=None, gap=20)
    typist.t += 2000
    typist.type("\nf(1)\n")
    timeline = Timeline(typist.tape())
    assert [timeline.final[place.path][place.offset :] for place in block_places(timeline)] == ["\nf(1)\n"[1:]]
    assert left_out(timeline) == 4
    assert timeline.by_no_person() == {"edits": 6, "keys": 0}


def test_cursors_stand_before_what_follows_operators_calls_and_declared_names():
    typist = Typist("a.js", "javascript").type("let total = price + tax(1, 2);\nif (total > 3) go();\n")
    assert places(typist, at=("operator", "call", "declaration")) == [
        ("let total", "= price + tax(1, 2);", "statement", "declaration"),
        ("let total =", "price + tax(1, 2);", "statement", "operator"),
        ("let total = price +", "tax(1, 2);", "statement", "operator"),
        ("let total = price + tax(", "1, 2);", "statement", "call"),
        ("if (total >", "3) go();", "if", "operator"),
        ("if (total > 3) go(", ");", "statement", "call"),
    ]


def test_the_rest_of_the_statement_is_wanted_inside_one():
    timeline = Timeline(Typist().type("def f(x):\n    y = x + g(1)\n").tape())
    inside = list(block_places(timeline, at=("operator", "call", "declaration")))
    assert {(place.scenario, place.stop) for place in inside} == {
        ("operator", "statement"),
        ("call", "statement"),
        ("declaration", "statement"),
    }
    assert [place.event for place in inside] == [2 + at for at in (4, 18, 22, 24)], (
        "one event a key, after open and focus"
    )


def test_a_bracket_that_the_editor_closed_at_once_is_followed_by_the_first_argument():
    typist = Typist("a.js", "javascript").type("go").edit((2, 2, "()")).type("12", at=3)
    assert places(typist, at=("call",)) == [("go(", "12)", "statement", "call")]


def test_a_call_without_arguments_that_was_closed_at_once_is_no_place():
    assert places(Typist("a.js", "javascript").type("go").edit((2, 2, "()")), at=("call",)) == []


def test_statements_written_in_one_go_have_no_places_inside():
    typist = Typist().edit((0, 0, "x = f(1) + 2\n"), reason="paste")
    assert places(typist, at=ALL_AT) == [("", "x = f(1) + 2", "statement", "full")]


PROGRAM = "def f(x):\n    for y in x:\n        g(y)\n    z = 1\n"


def test_kinds_and_positions_only_choose_among_all_places():
    timeline = Timeline(Typist().type(PROGRAM).tape())
    everything = [part for place in block_places(timeline, at=ALL_AT) for part in parts(place)]
    assert Counter((place.kind, place.scenario) for place in everything) == {
        ("function", "declaration"): 1,
        ("function", "full"): 1,
        ("function", "inner"): 1,
        ("for", "full"): 1,
        ("statement", "full"): 2,
        ("statement", "call"): 1,
        ("statement", "operator"): 1,
    }
    names = {"full": "header", "inner": "inside"}
    for kind in ALL_KINDS:
        for at in ALL_AT:
            chosen = [one for one in everything if one.kind == kind and names.get(one.scenario, one.scenario) == at]
            assert list(block_places(timeline, kinds=(kind,), at=(at,))) == chosen


def test_headers_and_insides_are_what_is_taken_unless_more_is_asked_for():
    timeline = Timeline(Typist().type(PROGRAM).tape())
    assert list(block_places(timeline)) == list(block_places(timeline, ALL_KINDS, ("header", "inside")))


def test_functions_ifs_and_statements_begin_where_their_body_was_begun():
    assert set(places(Typist().type("def f(x):\n    if x:\n        return 1\n    return 2\n"))) == {
        ("", "if x:", "function", "full"),
        ("", "return 1", "if", "full"),
        ("", "return 1", "statement", "full"),
        ("", "return 2", "function", "inner"),
        ("", "return 2", "statement", "full"),
    }


def test_words_that_only_close_or_go_on_are_no_lines_of_a_ruby_body():
    typist = Typist("a.rb", "ruby").type("def f(x)\n  while x\n    x -= 1\n  end\n  ending(x)\nend\n")
    assert [(text, kind) for _, text, kind, scenario in places(typist) if scenario == "inner"] == [
        ("ending(x)", "function")
    ]


@pytest.mark.parametrize(
    ("path", "language", "program"),
    [
        ("a.ts", "typescript", "function f(x: number) {\n  if (x) {\n    g(x);\n  }\n  h();\n}\n"),
        ("a.tsx", "typescriptreact", "const f = (x) => {\n  if (x) {\n    g(x);\n  }\n  h();\n}\n"),
        ("A.java", "java", "class A { void f(int x) {\n  if (x > 0) {\n    g(x);\n  }\n  h();\n} }\n"),
        ("a.cpp", "cpp", "void f(int x) {\n  if (x) {\n    g(x);\n  }\n  h();\n}\n"),
        ("a.c", "c", "void f(int x) {\n  if (x) {\n    g(x);\n  }\n  h();\n}\n"),
        ("a.cs", "csharp", "class A { void F(int x) {\n  if (x > 0) {\n    g(x);\n  }\n  h();\n} }\n"),
        ("a.go", "go", "package a\nfunc f(x int) {\n  if x {\n    g(x);\n  }\n  h();\n}\n"),
        ("a.rs", "rust", "fn f(x: i32) {\n  if x > 0 {\n    g(x);\n  }\n  h();\n}\n"),
        ("a.rb", "ruby", "def f(x)\n  if x\n    g(x);\n  end\n  h();\nend\n"),
    ],
)
def test_every_language_has_the_same_places_when_it_is_typed(path, language, program):
    found = {(text, kind, scenario) for _, text, kind, scenario in places(Typist(path, language).type(program))}
    condition = next(line.strip() for line in program.splitlines() if line.strip().startswith("if"))
    assert found >= {
        (condition, "function", "full"),
        ("g(x);", "if", "full"),
        ("g(x);", "statement", "full"),
        ("h();", "function", "inner"),
        ("h();", "statement", "full"),
    }


def test_on_a_real_recording_places_stand_where_the_recorded_text_was_begun(recorded_session):
    timeline = Timeline(recorded_session)
    found = list(block_places(timeline, at=ALL_AT))
    assert {place.scenario for place in found} >= {"full", "inner", "call", "declaration"}
    for place in found:
        starts = [start for start, _, new in dict(timeline.edits[place.path])[place.event] if new.strip()]
        assert place.offset in starts
