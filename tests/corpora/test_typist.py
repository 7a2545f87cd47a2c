"""What the typist types arrives as written, in the edits that an editor would report."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import CorpusError, ScriptError
from corpora.typing import script as steps
from corpora.typing.script import TypingScript, read_script
from corpora.typing.typist import build, measured_rhythm, neighbour
from replay.tapes import tape
from replay.tapes.tape import verify

TESTS = tape.Tests("none", "true")
NO_TYPOS = msgspec.structs.replace(
    measured_rhythm(), chosen=msgspec.structs.replace(measured_rhythm().chosen, typo=0.0)
)


def script_of(*then, text="", path="a.py", language="python", seed=1):
    first = (steps.OpenStep(path, language), steps.FocusStep(path), steps.GotoStep())
    return TypingScript("one", "one", seed, "2024-01-01T00:00:00+00:00", TESTS, (*first, *then), {path: text})


def typed(*then, rhythm=NO_TYPOS, **options):
    return build(script_of(*then, **options), rhythm)


def final(made):
    return next(iter(verify(made).finished().values()))


def edits(made):
    return [event for event in made.events if isinstance(event, tape.Edit)]


def changes(made):
    return [edit.changes for edit in edits(made)]


PYTHON = 'def f(a, b):\n    if a[b]:\n        return {"x": (a, f"{b}")}\n\n    return None\n\n\nclass A:\n    pass\n'
SCRIPT = "function f(a) {\n  if (a) {\n    g(`${a[0]}`, () => {\n      h();\n    });\n  }\n\n  return {};\n}\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("language", "text"), [("python", PYTHON), ("javascript", SCRIPT), ("markdown", "a (b\n  c\n\nd")]
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_text_arrives_as_written_whatever_went_wrong_on_the_way(line_end, language, text, seed):
    often_wrong = msgspec.structs.replace(NO_TYPOS.chosen, typo=0.2)
    rhythm = msgspec.structs.replace(NO_TYPOS, chosen=often_wrong)
    made = typed(steps.TypeStep(text), text=line_end, language=language, seed=seed, rhythm=rhythm)
    assert final(made) == line_end + text.replace("\n", line_end)


@given(st.text(alphabet="ab 😀é\n(\"'", max_size=30))
def test_a_plain_text_arrives_as_written(text):
    made = typed(steps.TypeStep(text), path="a.txt", language="plaintext")
    assert [line.rstrip(" ") for line in final(made).split("\n")] == [line.rstrip(" ") for line in text.split("\n")]


def test_a_bracket_brings_its_closer_and_typing_the_closer_writes_over_it():
    assert changes(typed(steps.TypeStep("f()")))[1:] == [((1, 1, "()"),), ((2, 3, ")"),)]


def test_a_quote_that_ends_a_string_or_follows_a_word_stays_alone():
    assert changes(typed(steps.TypeStep('x = "a"')))[-3:] == [((4, 4, '""'),), ((5, 5, "a"),), ((6, 7, '"'),)]
    assert changes(typed(steps.TypeStep("don't"), path="a.md", language="markdown"))[3] == ((3, 3, "'"),)


def test_nothing_closes_by_itself_in_a_comment():
    assert changes(typed(steps.TypeStep("# (")))[-1] == ((2, 2, "("),)


def test_enter_between_braces_opens_a_line_and_the_closing_brace_is_gone_over():
    made = typed(steps.TypeStep("if (a) {\n  b;\n}\nc"), path="a.js", language="javascript")
    assert ((8, 8, "\n  \n"),) in changes(made)
    assert final(made) == "if (a) {\n  b;\n}\nc"
    assert not any(new == "}" for edit in changes(made) for _, _, new in edit)


def test_enter_on_a_line_of_white_space_takes_that_away():
    made = typed(steps.TypeStep("if a:\n    b\n\nc"))
    assert ((12, 16, ""), (16, 16, "\n    ")) in changes(made)
    assert final(made) == "if a:\n    b\n\nc"


def test_offsets_are_utf_16():
    assert changes(typed(steps.TypeStep("😀x"), path="a.md", language="markdown")) == [((0, 0, "😀"),), ((2, 2, "x"),)]


def test_each_edit_is_followed_by_the_cursors_place():
    events = typed(steps.TypeStep("ab")).events
    places = [events[at + 1].ranges for at, event in enumerate(events) if isinstance(event, tape.Edit)]
    assert places == [((1, 1),), ((2, 2),)]


def test_undo_takes_the_whole_step_back():
    made = typed(steps.TypeStep("x = f(1)"), steps.UndoStep(), text="y\n")
    assert final(made) == "y\n"
    assert edits(made)[-1].reason == "undo"


def test_a_rename_is_one_edit_a_document_and_leaves_longer_names_alone():
    others = (steps.OpenStep("b.py", "python"), steps.RenameStep("f", "go", ("a.py", "b.py")))
    script = script_of(*others, text="f(f, ff)")
    made = build(msgspec.structs.replace(script, files=script.files | {"b.py": "f"}), NO_TYPOS)
    assert verify(made).finished() == {"a.py": "go(go, ff)", "b.py": "go"}
    assert [(edit.doc, len(edit.changes)) for edit in edits(made)] == [(0, 2), (1, 1)]


def test_what_is_marked_is_replaced_by_what_is_typed_pasted_or_deleted():
    made = typed(
        steps.MarkStep("one"),
        steps.TypeStep("1"),
        steps.MarkStep("two"),
        steps.PasteStep("2\n"),
        steps.MarkStep("6"),
        steps.BackspaceStep(1),
        text="one\r\ntwo6",
    )
    assert final(made) == "1\r\n2\r\n"


def test_a_typo_is_seen_and_mended():
    rhythm = msgspec.structs.replace(NO_TYPOS, chosen=msgspec.structs.replace(NO_TYPOS.chosen, typo=1.0))
    made = typed(steps.TypeStep("word"), rhythm=rhythm)
    assert final(made) == "word"
    assert sum(edit.reason == "delete" for edit in edits(made)) >= 4


def test_the_same_script_gives_the_same_tape_and_another_seed_another_rhythm():
    one, again, other = (typed(steps.TypeStep("hello there"), seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert [event.t for event in one.events] != [event.t for event in other.events]


def test_every_open_document_ends_in_a_checkpoint():
    made = typed(
        steps.TypeStep("x"),
        steps.OpenStep("b.py", "python"),
        steps.OpenStep("c.py", "python"),
        steps.FocusStep("c.py"),
        steps.CloseStep(),
    )
    assert [event.doc for event in made.events if isinstance(event, tape.State)] == [0, 1]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (steps.GotoStep(after="nowhere"), "has 'nowhere' 0 times"),
        (steps.GotoStep(before="x"), "has 'x' 2 times"),
        (steps.FocusStep("b.py"), r"b\.py is not open"),
        (steps.UndoStep(), "nothing to undo"),
        (steps.BackspaceStep(9), "no text left"),
        (steps.RenameStep("y", "z", ("a.py",)), "does not have y"),
    ],
)
def test_a_step_that_cannot_be_done_is_named(step, reason):
    with pytest.raises(ScriptError, match=f"one: step 4: .*{reason}"):
        typed(step, text="x x")


@pytest.mark.parametrize("content", ["", "id = 1", "[[steps]]\ndo = 'dance'"])
def test_what_is_no_script_is_refused(content, tmp_path):
    (tmp_path / "no.toml").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"no\.toml: is not a script"):
        read_script(tmp_path / "no.toml", tmp_path)


@pytest.mark.parametrize("letter", "aqpgzmA")
def test_a_typo_is_a_key_beside_the_right_one(letter):
    wrong = neighbour(letter, random.Random(3))
    assert wrong != letter
    assert wrong.isupper() == letter.isupper()
    assert neighbour("7", random.Random(3)) == "7"
