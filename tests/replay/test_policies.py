from tapes import Typist

from replay.policies import block_places
from replay.timeline import Timeline


def places(typist):
    """(text before the cursor's last 12 characters, kind, scenario, stop) of each moment of policy `blocks`."""
    timeline = Timeline(typist.tape())
    return [(place, place.kind, place.scenario, place.stop) for place in block_places(timeline)]


def named(typist):
    return {(typist_text(typist, place), kind, scenario) for place, kind, scenario, _ in places(typist)}


def typist_text(typist, place):
    """What was typed from the place on, up to the end of its line, in the finished text."""
    timeline = Timeline(typist.tape())
    left, _ = timeline.carried(place.path, place.event, place.offset, place.offset)
    return timeline.final[place.path][left:].split("\n")[0].strip()


def test_functions_ifs_and_statements_begin_where_their_body_was_begun():
    typist = Typist().type("def f(x):\n    if x:\n        return 1\n    return 2\n")
    assert named(typist) == {
        ("if x:", "function", "full"),
        ("return 1", "if", "full"),
        ("return 1", "statement", "full"),
        ("return 2", "function", "inner"),
        ("return 2", "statement", "full"),
    }


def test_braces_make_the_same_moments():
    typist = Typist("a.js", "javascript").type(
        "function f(x) {\n  for (const y of x) {\n    g(y);\n  }\n  return x;\n}\n"
    )
    assert named(typist) == {
        ("for (const y of x) {", "function", "full"),
        ("g(y);", "for", "full"),
        ("g(y);", "statement", "full"),
        ("return x;", "function", "inner"),
        ("return x;", "statement", "full"),
    }


def test_code_that_was_there_before_has_no_moment():
    assert places(Typist(text="def f(x):\n    return x\n").type("# end\n")) == []


def test_a_function_pasted_whole_has_only_the_moment_of_what_comes_after():
    typist = Typist().edit((0, 0, "def f(x):\n    return x\n"), reason="paste")
    assert places(typist) == []


def test_a_body_accepted_in_one_go_begins_before_its_indentation():
    typist = Typist().type("def f(x):").edit((9, 9, "\n    return x\n"), reason="accept")
    assert [(place.offset, kind) for place, kind, _, _ in places(typist)] == [(9, "function"), (9, "statement")]


def test_the_moment_is_where_the_code_that_lasted_was_begun_and_not_a_draft_of_it():
    typist = Typist().type("def f(x):\n    retunr")
    typist.edit((14, 20, ""), reason="delete").type("return x\n")
    moment = places(typist)[0][0]
    assert moment.offset == 14
    assert typist.tape().events[moment.event].changes == ((14, 14, "r"),)


def test_lines_inside_strings_and_comments_are_no_moments():
    typist = Typist().type('def f():\n    a = """\n    text\n    """\n    # note\n    return a\n')
    assert {text for text, _, _ in named(typist)} == {'a = """', "return a"}


def test_lines_that_only_close_are_no_moments():
    typist = Typist().type("def f():\n    return [\n        1,\n    ]\n")
    assert {text for text, _, _ in named(typist)} == {"return [", "1,"}
