"""The text that a server has after `didChange`, in a model that shares nothing with ours: bytes of UTF-16, read as LSP 3.17 says."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from replay.editor.client import Editor
from replay.play.player_instructions import DidChange
from tests.support.editor_session import within


def to_bytes(text):
    return text.encode("utf-16-le", "surrogatepass")


def lines_of(data):
    """(start, end without the line end) of each line, in bytes."""
    start = at = 0
    while at < len(data):
        unit = data[at : at + 2]
        if unit in {b"\n\0", b"\r\0"}:
            yield start, at
            at += 2 if unit == b"\r\0" and data[at + 2 : at + 4] == b"\n\0" else 0
            start = at + 2
        at += 2
    yield start, len(data)


def byte_of(data, position):
    start, end = list(lines_of(data))[position["line"]]
    return min(start + 2 * position["character"], end)


def changed(data, change):
    new = to_bytes(change["text"])
    if "range" not in change:
        return new
    start, end = (byte_of(data, change["range"][name]) for name in ("start", "end"))
    assert start <= end
    return data[:start] + new + data[end:]


def all_at_once(text, changes):
    """What changes that are all against the same text make of it; those at one place stand in the order given."""
    data, made, at = to_bytes(text), b"", 0
    for start, end, new in sorted(changes, key=lambda change: change[:2]):
        made += data[2 * at : 2 * start] + to_bytes(new)
        at = end
    return made + data[2 * at :]


class Recorder(Editor):
    """An editor that keeps what it would send, after a journey through JSON."""

    def __init__(self):
        super().__init__()
        self.changes = []

    def _notify(self, method, params):
        assert method == "textDocument/didChange"
        self.changes = json.loads(json.dumps(params))["contentChanges"]


TEXTS = st.text("ab\r\n😀\u2028é", max_size=12)


@st.composite
def events(draw):
    """A text and the changes of one event: apart from each other, some at the same place, in any order."""
    text = draw(TEXTS)
    size = len(to_bytes(text)) // 2
    cuts = sorted(draw(st.lists(st.integers(0, size), max_size=6)))
    spans = list(pairwise(cuts))[::2] + [(at, at) for at in cuts[-1:] * draw(st.integers(0, 2))]
    return text, draw(st.permutations([(start, end, draw(TEXTS)) for start, end in spans]))


@given(events())
def test_the_servers_text_equals_ours_after_any_event(event):
    text, changes = event
    editor = Recorder()
    editor.change(DidChange("a.py", 2, text, tuple(changes)))
    data = to_bytes(text)
    for change in editor.changes:
        data = changed(data, change)
    assert data == all_at_once(text, changes) == to_bytes(editor._texts["a.py"])


def test_where_positions_say_it_only_the_changes_are_sent():
    editor = Recorder()
    editor.change(DidChange("a.py", 2, "'😀'\r\nx\r\n", ((4, 4, ";"), (6, 7, "y"))))
    assert editor.changes == [{"range": within(1, 0, 1), "text": "y"}, {"range": within(0, 4, 4), "text": ";"}]
