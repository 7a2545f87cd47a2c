"""The recent edits, as the server receives them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.context import RecentEdit, RecentEdits
from syntax.text import offset_at, splice


class Editor:
    """Documents that are typed into, with the listener for their edits."""

    def __init__(self, **texts: str) -> None:
        self.texts, self.recent = texts, RecentEdits()

    def change(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        before = self.texts[uri]
        self.texts[uri] = splice(before, [(offset_at(before, *start), offset_at(before, *end), text)])
        self.recent.add(uri, before, self.texts[uri], [(start, end, text)])

    def type(self, uri: str, line: int, character: int, text: str) -> None:
        for number, key in enumerate(text):
            self.change(uri, (line, character + number), (line, character + number), key)


TEXT = "".join(f"line {number}\n" for number in range(60))


def test_the_edit_under_way_at_the_cursor_is_left_out_until_work_goes_on_elsewhere():
    editor = Editor(a=TEXT, b=TEXT)
    editor.type("a", 5, 6, " more")
    assert editor.recent.latest("a", 5) == ()
    assert editor.recent.latest("b", 5) == (("a", RecentEdit("a", 5, ("line 5",), ("line 5 more",))),)
    assert editor.recent.latest("a", 40) == (("a", RecentEdit("a", 5, ("line 5",), ("line 5 more",))),)


def test_edits_come_newest_first_across_documents():
    editor = Editor(a=TEXT, b=TEXT)
    editor.type("a", 5, 6, "A")
    editor.type("b", 9, 6, "B")
    editor.type("a", 50, 7, "C")
    assert [(uri, edit.text) for uri, edit in editor.recent.latest("a", 50)] == [("b", "line 9B"), ("a", "line 5A")]


def test_what_is_over_does_not_change_while_one_types_on():
    editor = Editor(a=TEXT, b=TEXT)
    editor.type("a", 5, 6, "A")
    told = set()
    for key in range(30):
        editor.type("b", 9, 6 + key, "x")
        told.add(editor.recent.latest("b", 9))
    assert len(told) == 1


def test_near_changes_are_one_edit_and_say_only_what_differs():
    editor = Editor(a=TEXT, b=TEXT)
    editor.change("a", (5, 0), (7, 0), "")
    editor.change("a", (7, 0), (7, 0), "new\nnewer\n")
    ((_, edit),) = editor.recent.latest("b", 0)
    assert edit == RecentEdit("a", 5, ("line 5", "line 6", "line 7", "line 8"), ("line 7", "line 8", "new", "newer"))
    assert edit.diff.startswith("-line 5\n-line 6\n")


def test_what_was_undone_is_no_edit():
    editor = Editor(a=TEXT, b=TEXT)
    editor.change("a", (5, 0), (5, 0), "x")
    editor.change("a", (5, 0), (5, 1), "")
    assert editor.recent.latest("b", 0) == ()


def test_changes_at_several_places_and_of_the_whole_text_are_heard():
    recent = RecentEdits()
    after = TEXT.replace("line 7\n", "seven\n")
    recent.add("a", TEXT, after, [after])
    assert recent.latest("b", 0) == (("a", RecentEdit("a", 7, ("line 7",), ("seven",))),)
    recent = RecentEdits()
    after = "x" + TEXT.replace("line 3\n", "three\n")
    recent.add("a", TEXT, after, [((3, 0), (3, 6), "three"), ((0, 0), (0, 0), "x")])
    ((_, edit),) = recent.latest("b", 0)
    assert (edit.line, edit.new[0], edit.new[-1]) == (0, "xline 0", "three")


def test_lines_are_those_of_the_protocol():
    editor = Editor(a="one\x0cstill one\r\ntwo\rthree\r\n", b="")
    editor.change("a", (2, 0), (2, 5), "drei")
    assert editor.recent.latest("b", 0) == (("a", RecentEdit("a", 2, ("three",), ("drei",))),)


def test_a_long_paste_is_told_by_its_first_lines():
    editor = Editor(a="", b="")
    editor.change("a", (0, 0), (0, 0), TEXT)
    ((_, edit),) = editor.recent.latest("b", 0)
    assert edit.text == "\n".join(TEXT.split("\n")[:12])


def test_what_a_closed_document_had_changed_stays_known():
    editor = Editor(a=TEXT, b=TEXT)
    editor.type("a", 5, 6, "A")
    editor.recent.forget("a")
    assert [edit.text for _, edit in editor.recent.latest("a", 5)] == ["line 5A"]


_KEYS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 2), st.sampled_from(["", "k", "\n", "a\nb"]))
)


@given(_KEYS)
def test_edits_put_into_the_old_text_one_after_the_other_make_the_new_text(keys):
    start = "\n".join(f"{number}" * 4 for number in range(10))
    editor, lines = Editor(a=start, b=""), start.split("\n")
    for line, character, more, text in keys:
        last = editor.texts["a"].count("\n")
        if last < 11:  # so that no edit is long
            editor.change("a", (min(line, last), character), (min(line + more, last), 4), text)
    for _, edit in reversed(editor.recent.latest("b", 0)):
        assert tuple(lines[edit.line : edit.line + len(edit.old)]) == edit.old
        lines[edit.line : edit.line + len(edit.old)] = edit.new
    assert "\n".join(lines) == editor.texts["a"]
