"""The documents of the live screen are those of the tape, and the page shows what stands around the cursor."""

import pytest

from replay.records import Ending, Record
from replay.run.events import Answered, Asked, Reached, ReplayedDocumentChanged, SessionBegan
from replay.tapes.tape import walk, write
from tests.support.tapes import Typist, moment_of
from tui.live.document_page import GhostText, draw
from tui.live.lane_documents import LaneDocuments, View
from tui.live.live_text import strip
from tui.live.state import Lane
from tui.live.widgets.page_view import seen

TEXT = "def f(x):\n    return x + 1\n\n\ndef g(y):\n    return 'é😀' + y\n"


@pytest.fixture
def lane(tmp_path):
    tape = Typist().type(TEXT).type("# first\n", at=0).select(3).tape()
    write(tape, tmp_path / "small.tape.jsonl")
    lane = Lane("small", str(tmp_path / "small.tape.jsonl"))
    lane.session = SessionBegan("small", len(tape.events), "event", 1.0, as_recorded=True)
    return lane, tape


def test_at_every_event_the_document_is_what_the_tape_says(lane):
    lane, tape = lane
    documents = LaneDocuments(lane)
    for index, _, recorded in walk(tape):
        if index:
            lane.position = Reached("small", index, 0.0)
            assert documents.advance()
            assert documents.view().text == recorded.texts[0]
    documents.close()


def test_a_session_that_begins_again_is_followed_from_its_start(lane):
    lane, tape = lane
    documents = LaneDocuments(lane)
    for index, text in ((len(tape.events), "# first\n" + TEXT), (6, TEXT[:4])):
        lane.position = Reached("small", index, 0.0)
        assert documents.advance()
        assert documents.view().text == text
    documents.close()


def test_a_cursor_goes_where_was_typed_or_where_it_was_set(lane):
    lane, tape = lane
    documents = LaneDocuments(lane)
    lane.position = Reached("small", 7, 0.0)
    documents.advance()
    assert documents.view().end == 5
    lane.position = Reached("small", len(tape.events), 0.0)
    documents.advance()
    assert (documents.view().start, documents.view().end) == (3, 3)
    documents.close()


def test_a_tape_that_is_gone_is_named(lane, tmp_path):
    lane, _ = lane
    (tmp_path / "small.tape.jsonl").unlink()
    lane.position = Reached("small", 7, 0.0)
    documents = LaneDocuments(lane)
    assert documents.advance()
    assert "the tape cannot be shown" in documents.problem
    assert documents.view() is None


def test_documents_that_are_not_on_a_tape_are_told_change_by_change():
    lane = Lane("small", "")
    lane.session, lane.position = SessionBegan("small", 9, "event", 1.0, as_recorded=False), Reached("small", 1, 0.0)
    documents = LaneDocuments(lane)
    lane.changes = [
        ReplayedDocumentChanged("small", "a.py", "python", "ab"),
        ReplayedDocumentChanged("small", "a.py", changes=((1, 1, "x"),)),
    ]
    documents.advance()
    assert documents.view() == View("a.py", "python", "axb", 2, 2)
    lane.changes = [ReplayedDocumentChanged("small", "a.py", changes=((99, 100, ""),))]
    documents.advance()
    assert "cannot be shown" in documents.problem


def at_moment(lane, text, begun):
    """A lane at a moment with an answer, and then some events later."""
    lane.asked, lane.asked_index = Asked("small", "m", "a.py", 4, 0.0), 6
    lane.answer = Answered("small", "m", text, 4, 4, 1.0)
    lane.position = Reached("small", 6 + begun, 0.0)
    documents = LaneDocuments(lane)
    documents.advance()
    return seen(lane, documents), documents


def test_ghost_text_stands_at_its_moment_and_shrinks_while_it_is_typed(lane):
    lane, _ = lane
    for begun, left in ((0, "f(x): pass"), (2, "x): pass")):
        (view, ghost), documents = at_moment(lane, "f(x): pass", begun)
        assert view.text == TEXT[: 4 + begun]
        assert (ghost.text, ghost.start) == (left, 4 + begun)
        documents.close()


def test_ghost_text_goes_when_something_else_is_typed(lane):
    lane, _ = lane
    (_, ghost), documents = at_moment(lane, "zzz", 2)
    assert ghost is None
    documents.close()


# The strip of time


def marks(lane, width=48):
    return strip(lane, width).plain.split("\n")[1][8:]


def test_moments_stand_at_their_time_and_tasks_one_after_the_other():
    lane = Lane("small", "")
    lane.position = Reached("small", 4, 10.0)
    for number, t in enumerate((0.0, 20.0, 30.0, 39.9)):
        record = Record(moment=moment_of(number, t=t), ending=Ending("accepted" if number else "rejected"))
        lane.records[record.moment.id] = record
    for duration, expected in ((40.0, (0, 20, 30, 39)), (0.0, (0, 10, 20, 30))):
        lane.session = SessionBegan("small", 4, "task", duration, as_recorded=False)
        drawn = marks(lane)
        assert tuple(at for at, letter in enumerate(drawn) if letter != " ") == expected
        assert drawn.replace(" ", "") == "RAAA"


def test_of_moments_in_one_cell_the_most_telling_is_shown():
    lane = Lane("small", "")
    lane.position, lane.session = Reached("small", 1, 0.0), SessionBegan("small", 4, "event", 40.0, as_recorded=True)
    for number, name in enumerate(("gated", "failed", "accepted")):
        record = Record(moment=moment_of(number, t=1.0), ending=Ending(name))
        lane.records[record.moment.id] = record
    assert marks(lane).strip() == "!"


# The page


def page(text, at, *, ghost=None, width=60, height=8, top=0):
    return draw(View("a.py", "python", text, at, at), ghost, width, height, top)


def test_lines_are_numbered_and_those_of_ghost_text_are_not():
    content, _ = page("a = 1\n\nb = 2\n", 6, ghost=GhostText("x = 1\ny = 2", 6, 6, "italic"))
    assert [line.rstrip() for line in content.plain.split("\n")] == [
        "  1  a = 1", "  2 ▌x = 1", "     y = 2", "  3  b = 2", "  4",
    ]  # fmt: skip


def test_what_is_replaced_stands_struck_out_behind_the_ghost_text():
    content, _ = page("f(old)", 2, ghost=GhostText("new", 2, 5, "italic"))
    assert "f(newold)" in content.plain
    assert any("strike" in str(span.style) for span in content.spans)


def test_the_page_stays_where_it_is_until_the_cursor_comes_near_its_end():
    text = "".join(f"line {number}\n" for number in range(100))
    _, top = page(text, text.index("line 50"))
    assert 40 <= top <= 50
    assert page(text, text.index("line 51"), top=top)[1] == top
    assert page(text, text.index("line 90"), top=top)[1] > top


def test_the_cursor_of_a_long_line_is_on_the_page():
    content, _ = page("x" * 300 + "END" + "y" * 300, 300)
    assert "END" in content.plain
    assert max(map(len, content.plain.split("\n"))) <= 60


def test_a_tape_cannot_write_to_the_terminal():
    content, _ = page("a = '\x1b[31m\u202e[bold]'\r\nb\n", 0, ghost=GhostText("\x1b]52;c;x\x07", 0, 0, "italic"))
    assert not any(char in content.plain for char in "\x1b\x07\u202e\r")
    assert "[bold]" in content.plain
