"""The bodies of a file's functions are taken out and typed again, and the file is in the end what it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.opened.evaluation import functions, retyped
from replay.play.policies.policy import policy_of
from replay.tapes.tape import Edit, Embedded, Header, Tape
from replay.tapes.timeline import Timeline
from syntax.languages import language_of

PYTHON = '''"""A module."""
LIMIT = 3


def total(rows):
    """Say what it does."""
    found = 0
    for row in rows:
        if row > LIMIT:
            found += row

    return found


class Basket:
    def add(self, name):
        self.names.append(name)

        def inner():
            return 1


def stub(): return 2
'''
SCRIPT = "const a = (x) => {\r\n  if (x) {\r\n    return '𝒳';\r\n  }\r\n  return x;\r\n};\r\n"


def tape(path, text, lines=()):
    language = language_of(path)
    events = tuple(retyped(language, path, text, lines))
    header = Header(tape=1, id="x", editor="test", origin="synthesised", workspace=Embedded(), created="2026-01-01")
    return Tape(header, events)


def finished(made):
    return dict(Timeline(made).final)


def places(made):
    timeline = Timeline(made)
    policy = policy_of("blocks", {})
    return [(place.kind, place.scenario) for place in policy.places(timeline)]


@pytest.mark.parametrize(("path", "text"), [("a.py", PYTHON), ("a.js", SCRIPT), ("b.py", "x = 1\n")])
def test_the_file_is_in_the_end_what_it_was(path, text):
    assert finished(tape(path, text)) == {path: text}


@given(
    st.lists(
        st.sampled_from(
            ["a = 1", "if a:\n        b()", "s = '''x\n\n  y'''", "# 𝒳", "return a", "for x in y:\n        pass\n"]
        ),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_stands_in_a_body_comes_back(lines):
    text = "def f(a):\n    " + "\n    ".join(lines) + "\n\n\nz = 2\n"
    assert finished(tape("a.py", text)) == {"a.py": text}


def test_each_outermost_function_is_retyped_and_none_inside_it_apart():
    found = [
        (line, PYTHON[start:end].split("\n", maxsplit=1)[0])
        for line, start, end in functions(language_of("a.py"), PYTHON)
    ]
    assert found == [(5, "found = 0"), (16, "self.names.append(name)"), (23, "return 2")]


def test_only_the_functions_on_the_lines_that_are_named():
    edits = [event for event in tape("a.py", PYTHON, (16,)).events if isinstance(event, Edit)]
    assert [event.reason for event in edits].count("delete") == 1
    assert finished(tape("a.py", PYTHON, (16,))) == {"a.py": PYTHON}


def test_the_moments_of_blocks_are_the_bodies_and_their_lines():
    """A body begins behind what documents its function: that stays, as it says what is wanted."""
    wanted = [("function", "inner"), ("function", "inner"), ("for", "full"), ("if", "full"), ("function", "inner")]
    assert places(tape("a.py", PYTHON, (5,))) == wanted
    assert places(tape("a.py", PYTHON, (16,)))[0] == ("function", "full")


def test_no_edit_is_taken_for_that_of_an_agent_or_a_formatter():
    made = tape("a.py", PYTHON)
    timeline = Timeline(made)
    assert all(timeline.is_a_persons(index) for index, event in enumerate(made.events) if isinstance(event, Edit))
