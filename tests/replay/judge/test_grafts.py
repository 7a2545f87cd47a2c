import pytest

from replay.judge.grafts import Hole, emptied, graft, hole_of
from replay.records import Moment, Suggestion
from replay.tapes.timeline import Timeline
from syntax.languages import language_of
from syntax.text import cut, length, position_at
from tests.support.tapes import Typist


def moment_at(text, event, offset, *, stop, path, language):
    line, character = position_at(text, offset)
    return Moment(
        tape="small",
        event=event,
        path=path,
        language=language,
        offset=offset,
        line=line,
        character=character,
        t=0,
        stop=stop,
    )


def case(before, after, typed, stop="auto", *, language="python", later=()):
    """A hole for a moment at which `before|after` stood, after which `typed` was typed in one go, then `later` edits."""
    path = {"python": "a.py", "javascript": "a.js"}[language]
    typist = Typist(path, language, before + after)
    offset = length(before)
    event = len(typist.events)
    typist.edit((offset, offset, typed))
    for change in later:
        typist.edit(change)
    moment = moment_at(before + after, event, offset, stop=stop, path=path, language=language)
    return hole_of(Timeline(typist.tape()), moment, before, after), moment, typist


def put(text, before, after, typed, *, start=0, end=0, **options):
    """The finished document with a suggestion in it that replaces `start` characters left and `end` right of the cursor."""
    hole, moment, _ = case(before, after, typed, **options)
    at = moment.offset
    suggestion = Suggestion(text=text, start=at - start, end=at + end, latency=0)
    return graft(hole, suggestion, moment, before, after)


def test_the_truth_is_what_was_written_up_to_the_end_of_the_block():
    hole, *_ = case("def f(x):\n    ", "", "a = x\n    return a\n\n\nb = 1\n")
    assert hole.truth == "a = x\n    return a"


def test_the_statement_stands_in_where_the_cursor_is_behind_no_header():
    hole, *_ = case("x = 1\n", "", "y = (2 +\n     3)\nz = 4\n")
    assert hole.truth == "y = (2 +\n     3)"


def test_the_line_stands_in_where_text_is_right_of_the_cursor():
    hole, *_ = case("call(", ", 2)\n", "1")
    assert hole.truth == "1"


def test_text_that_stood_right_of_the_cursor_is_no_part_of_the_answer():
    hole, *_ = case("function f(x) {\n  ", "\n}\n", "return x;", language="javascript")
    assert hole.truth == "return x;"


def test_a_closing_brace_that_was_typed_later_is_part_of_the_answer():
    hole, *_ = case("function f(x) {\n  ", "", "return x;\n}\n", language="javascript")
    assert hole.truth == "return x;\n}"


def test_a_statement_that_was_changed_later_makes_the_moment_untestable():
    hole, *_ = case("def f(x):\n    ", "", "return x\n", later=[(4, 5, "g")])
    assert hole == "rewritten"


def test_a_bracket_that_closed_the_block_then_and_is_gone_makes_it_untestable():
    before, after = "function f(x) {\n  ", "\n}\n"
    hole, *_ = case(before, after, "return x;", language="javascript", later=[(28, 29, ""), (28, 28, "}")])
    assert hole == "rewritten"


def test_older_code_that_became_the_end_of_the_new_makes_it_untestable():
    hole, *_ = case("x = 1\n", "(y)\n", "print")
    assert hole == "rewritten"


def test_indentation_before_the_cursor_that_became_another_makes_it_untestable_where_it_counts():
    hole, *_ = case("def f(x):\n    ", "", "return x\n", later=[(10, 14, "  ")])
    assert hole == "rewritten"
    hole, *_ = case("function f(x) {\n    ", "\n}\n", "return x;", language="javascript", later=[(16, 20, "  ")])
    assert hole.truth == "return x;"


def test_what_was_deleted_again_leaves_nothing_to_complete():
    hole, *_ = case("x = 1\n", "", "y = 2\n", later=[(6, 12, "")])
    assert hole == "empty"


def test_a_language_without_a_grammar_makes_the_moment_untestable():
    typist = Typist("notes", "plaintext").type("one two")
    moment = moment_at("one", 5, 3, stop="auto", path="notes", language="plaintext")
    assert hole_of(Timeline(typist.tape()), moment, "one", "") == "no-syntax"


def test_the_truth_put_back_gives_the_finished_document():
    hole, _, typist = case("def f(x):\n    ", "", "return x\n")
    assert put(hole.truth, "def f(x):\n    ", "", "return x\n") == typist.text


def test_closers_that_the_range_replaces_are_taken_out():
    assert put("1, 2)", "f(", ")\n", "1", end=1) == "f(1, 2)\n"


def test_a_range_that_begins_left_of_the_cursor_says_that_again():
    assert put("return 5", "def f():\n    ret", "", "urn 4\n", start=3, stop="line") == "def f():\n    return 5\n"


def test_closers_that_stand_apart_in_the_end_are_each_taken_out():
    assert put("1))", "f(g(", "))\n", "1", end=2, later=[(6, 6, " + 2")]) == "f(g(1)) + 2\n"


def test_a_closer_that_does_not_survive_is_not_looked_for_elsewhere():
    assert put("1))", "f(g(", "))\n", "1", end=2, later=[(6, 7, ""), (6, 6, " ; h()")]) == "f(g(1)) ; h()\n"


def test_indentation_that_a_range_says_again_is_that_of_the_finished_document():
    before, after = "function f() {\n    ", "\n}\n"
    found = put("    return 5", before, after, "return 4", start=4, language="javascript", later=[(15, 19, "\t")])
    assert found == "function f() {\n    return 5\n}\n"


def test_offsets_behind_characters_of_two_code_units_are_right():
    before = "s = '😀😀'\nx = "
    hole, *_ = case(before, "", "1\n")
    assert hole.truth == "1"
    assert put("2", before, "", "1\n") == "s = '😀😀'\nx = 2\n"


@pytest.mark.parametrize(
    ("before", "typed", "expected"),
    [
        ("def f():\n    ", "return 1\n", "def f():\n    pass\n"),
        ("def f():", "\n    return 1\n", "def f():\n    pass\n"),
        ("x = 1\n", "y = 2\n", "x = 1\npass\n"),
        ("x = ", "2\n", "pass\n"),
    ],
)
def test_an_emptied_python_document_does_nothing_there(before, typed, expected):
    hole, *_ = case(before, "", typed)
    assert emptied(hole, language_of("python")) == expected


def test_a_hole_is_the_same_text_seen_from_both_sides():
    hole = Hole("a.py", "abcdef", 2, 4)
    assert hole.final[: hole.start] + hole.truth + hole.final[hole.end :] == "abcdef"
    assert cut("abcdef", 2, 4) == hole.truth
