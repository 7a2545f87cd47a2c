"""Grafts of edit suggestions: the person's next edit undone, and the suggestion in its place."""

import pytest

from replay.importers.workspace_recording.recording_import import import_recording
from replay.judge.edit_grafts import EditGraft, edit_graft, least_changes
from replay.play.policies.edit_groups import Grouping
from replay.play.policies.edit_places import edit_places
from replay.records import DocumentChange
from replay.tapes.tape import read, walk
from replay.tapes.timeline import Timeline
from tests.support.places import DEMO, EXCERPTS
from tests.support.tapes import Typist, moment_of

BUNDLED = sorted(DEMO.glob("*.tape.jsonl"))

LINES = ["def total(rows):", "    return sum(rows)", "", "", "def show(rows):", "    print(total(rows))", ""]
TEXT = "\n".join(LINES)
RENAMED = TEXT.replace("total", "amount", 1)
CALL = RENAMED.index("total")


def renaming(*later):
    """A rename of the definition, two seconds later of its use; and further edits two seconds after each other."""
    tape = Typist(text=TEXT).edit((4, 9, "amount")).edit((CALL, CALL + 5, "amount"), gap=2000.0)
    for change in later:
        tape.edit(change, gap=2000.0)
    return Timeline(tape.tape())


def graft_of(timeline, *changes, text=RENAMED):
    place = next(iter(edit_places(timeline, Grouping())))
    moment = moment_of(place.event, next_edit=place.next_edit)
    return edit_graft(timeline, moment, {"a.py": text}, [DocumentChange("a.py", *change) for change in changes])


def test_what_the_person_did_gives_the_finished_document_and_nothing_gives_the_emptied_one():
    timeline = renaming()
    right = graft_of(timeline, (CALL, CALL + 5, "amount"))
    assert (right.grafted, right.emptied) == ({"a.py": timeline.final["a.py"]}, {"a.py": RENAMED})
    nothing = graft_of(timeline)
    assert nothing.grafted == nothing.emptied == right.emptied
    assert not right.is_elsewhere
    assert not nothing.is_elsewhere


def test_an_edit_of_the_whole_line_is_the_same_as_one_of_its_word():
    timeline = renaming()
    start = RENAMED.index("    print")
    line = graft_of(timeline, (start, RENAMED.index("\n", start), "    print(amount(rows))"))
    assert line.grafted == {"a.py": timeline.final["a.py"]}


def test_a_wrong_edit_at_the_right_place_stands_in_the_place_of_the_right_one():
    wrong = graft_of(renaming(), (CALL, CALL + 5, "sum_of"))
    assert wrong.grafted == {"a.py": RENAMED.replace("total", "sum_of")}


def test_a_line_can_be_put_in_behind_the_one_above_or_before_the_one_below():
    at = TEXT.index("\n    return")
    timeline = Timeline(
        Typist(text=TEXT).type(" ", at=at).edit((at + 1, at + 1, "\n    rows = [*rows]"), gap=2000.0).tape()
    )
    now = f"{TEXT[:at]} {TEXT[at:]}"
    below = graft_of(timeline, (at + 2, at + 2, "    rows = [*rows]\n"), text=now)
    assert below.grafted == {"a.py": timeline.final["a.py"]}


def test_a_harmless_edit_elsewhere_leaves_the_next_edit_as_it_is_and_says_so():
    timeline = renaming()
    other = graft_of(timeline, (0, 0, "# rows\n\n\n"))
    assert other.is_elsewhere
    assert other.grafted == {"a.py": f"# rows\n\n\n{timeline.final['a.py']}"}
    assert other.emptied == {"a.py": RENAMED}


def test_a_next_edit_that_was_rewritten_later_cannot_be_tested():
    timeline = renaming((CALL, CALL + 6, "value"))
    assert graft_of(timeline, (CALL, CALL + 5, "amount")) is None
    assert graft_of(timeline) is None


def test_an_edit_elsewhere_whose_place_was_rewritten_later_counts_as_no_change():
    timeline = renaming((4, 10, "value"))
    other = graft_of(timeline, (4, 10, "result"))
    assert other is not None
    assert not other.is_elsewhere
    assert other.grafted == other.emptied


def test_what_is_typed_at_the_end_of_the_next_edit_later_is_not_part_of_it():
    timeline = renaming((CALL + 6, CALL + 6, "_of"), (4 + 6, 4 + 6, "_of"))
    right = graft_of(timeline, (CALL, CALL + 5, "amount"))
    assert right.grafted == {"a.py": timeline.final["a.py"]}


def test_several_documents_are_one_graft():
    """An edit that touches the wanted place and another document."""
    timeline = renaming()
    place = next(iter(edit_places(timeline, Grouping())))
    moment = moment_of(place.event, next_edit=place.next_edit)
    timeline.final["b.py"] = "x = 1\n"
    timeline.edits["b.py"] = []
    changes = [DocumentChange("a.py", CALL, CALL + 5, "amount"), DocumentChange("b.py", 4, 5, "2")]
    found = edit_graft(timeline, moment, {"a.py": RENAMED, "b.py": "x = 1\n"}, changes)
    assert found.grafted == {"a.py": timeline.final["a.py"], "b.py": "x = 2\n"}
    assert found.emptied == {"a.py": RENAMED}


BODY = "def f(a, b):\n    \n\n\ndef g():\n    pass\n"
AT = BODY.index("    \n") + 4
PAUSED = "return a"
"""What is typed in the body of `f`, a pause before ` + b`."""


def two_goes(*later):
    tape = Typist(text=BODY).edit((0, 0, "\n")).edit((AT + 1, AT + 1, PAUSED), gap=2000.0)
    tape.edit((AT + 1 + len(PAUSED), AT + 1 + len(PAUSED), " + b"), gap=2000.0)
    for change in later:
        tape.edit(change, gap=2000.0)
    return Timeline(tape.tape())


@pytest.mark.parametrize(
    ("said", "there"),
    [
        (PAUSED, "return a + b"),
        (f"{PAUSED} + b", "return a + b"),
        ("return sum((a, b))", "return sum((a, b))"),
        ("return b", "return b + b"),
    ],
)
def test_code_that_goes_on_later_never_stands_twice(said, there):
    timeline = two_goes()
    found = graft_of(timeline, (AT + 1, AT + 1, said), text=f"\n{BODY}")
    assert found.grafted["a.py"].split("\n")[2] == f"    {there}"
    assert "+ b" not in found.emptied["a.py"], "what grammar demands, and no half of a statement"


@pytest.mark.parametrize(
    ("put_in", "left"), [("\n\n", "# 1\na = 1"), ("# 2\n", "# 1\na = 1"), ("x = 0\n", "# 1\na = 1")]
)
def test_statements_that_are_written_behind_a_place_later_are_not_emptied_with_it(put_in, left):
    """Undoing blank lines, a comment or a whole statement takes nothing of what was begun after it."""
    tape = Typist(text="# 1\n").edit((0, 0, "\n")).edit((5, 5, put_in), gap=2000.0)
    tape.edit((5 + len(put_in), 5 + len(put_in), "a = 1"), gap=2000.0).edit(
        (10 + len(put_in), 10 + len(put_in), "\n"), gap=2000.0
    )
    emptied = graft_of(Timeline(tape.tape()), text="\n# 1\n").emptied["a.py"]
    assert [line for line in emptied.split("\n") if line not in {"", "pass"}] == left.split("\n")


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_suggestion_of_all_that_follows_gives_the_finished_document(is_whole):
    timeline = two_goes((0, 0, "# top\n"))
    now, final = f"\n{BODY}", timeline.final["a.py"]
    changes = [(0, len(now), final)] if is_whole else [(AT + 1, AT + 1, f"{PAUSED} + b"), (0, 0, "# top\n")]
    assert graft_of(timeline, *changes, text=now).grafted == {"a.py": final}


def test_a_wrong_change_is_judged_whatever_stands_beside_it():
    """Of two proposals one is where the next edit is; the other one's place was changed later, and is left as it is."""
    timeline = renaming((4, 10, "value"))
    both = graft_of(timeline, (CALL, CALL + 5, "wrong"), (4, 10, "other"))
    assert both.grafted == {"a.py": timeline.final["a.py"].replace("amount(", "wrong(")}
    right = graft_of(timeline, (CALL, CALL + 5, "amount"), (4, 10, "value"))
    assert right.grafted == {"a.py": timeline.final["a.py"]}


def test_what_a_suggestion_changes_in_a_test_does_not_count():
    timeline = renaming()
    place = next(iter(edit_places(timeline, Grouping())))
    moment = moment_of(place.event, next_edit=place.next_edit)
    timeline.final["test_a.py"], timeline.edits["test_a.py"] = "assert total([]) == 1\n", []
    texts = {"a.py": RENAMED, "test_a.py": timeline.final["test_a.py"]}
    changes = [DocumentChange("a.py", CALL, CALL + 5, "wrong"), DocumentChange("test_a.py", 0, 6, "print")]
    found = edit_graft(timeline, moment, texts, changes)
    assert found.grafted == {"a.py": RENAMED.replace("total", "wrong")}
    alone = edit_graft(timeline, moment, texts, changes[1:])
    assert alone.grafted == alone.emptied


def test_a_deletion_whose_surroundings_were_rewritten_cannot_be_tested():
    text = "def f():\n    keep()\n    gone()\n    last()\n\n\nx = 1\n"
    start, end = text.index("    gone"), text.index("    last")
    tape = Typist(text=text).edit((len(text), len(text), "y = 2\n")).edit((start, end, ""), reason="delete", gap=2000.0)
    now = f"{text}y = 2\n"
    assert graft_of(Timeline(tape.tape()), text=now).emptied == {"a.py": now}
    tape.edit((0, tape.text.index("\n\n\n"), "def f():\n    return 9"), gap=2000.0)
    assert graft_of(Timeline(tape.tape()), text=now) is None


def test_a_next_edit_without_which_nothing_parses_proves_nothing():
    broken = EditGraft({"a.py": "def f(:\n"}, {}, is_elsewhere=False)
    assert broken.is_broken({"a.py": "def f():\n    pass\n"})
    assert not broken.is_broken({"a.py": "def f(:\n"})


def test_an_answer_that_rewrites_a_region_changes_only_what_differs():
    assert least_changes("a = f(x)\nb = 1\n", [(0, 14, "a = f(y)\nb = 1")]) == [(6, 7, "y")]
    assert least_changes("'😀' + a\r\n", [(0, 8, "'😀' + b")]) == [(7, 8, "b")]


RECORDED = EXCERPTS / "recordings"


@pytest.mark.parametrize("session", [*BUNDLED, *sorted(RECORDED.glob("*.json"))], ids=lambda path: path.name)
def test_on_sessions_of_people_the_truth_gives_the_finished_project_everywhere(session):
    tape = read(session) if session in BUNDLED else import_recording(session).tape
    timeline = Timeline(tape)
    places = {place.event: place for place in edit_places(timeline, Grouping()) if place.kind != "silence"}
    tested = 0
    for index, _, documents in walk(timeline.tape):
        if (place := places.get(index)) is None:
            continue
        moment = moment_of(index, next_edit=place.next_edit)
        texts = documents.finished()
        right, nothing = (edit_graft(timeline, moment, texts, side) for side in (place.next_edit.changes, ()))
        assert (right is None) == (nothing is None)
        if right is not None:
            tested += 1
            assert all(timeline.final[path] == text for path, text in right.grafted.items())
            assert nothing.grafted == nothing.emptied == right.emptied
    assert tested or not places or session not in BUNDLED
