import json
from collections import Counter

import pytest

from replay.errors import TapeError
from replay.importers.tape_check import check
from replay.tapes.tape import Close, Edit, Focus, Foreign, Ghost, Open, Save, Select, State, Tape, read, write
from tests.support.places import DEMO
from tests.support.tapes import Typist


def small():
    return Typist(name="one").type("ab").checkpoint().tape()


def saved(folder, name, tape=None):
    path = folder / f"{name}.tape.jsonl"
    write(small() if tape is None else tape, path)
    return path


@pytest.mark.parametrize("name", ["ledger", "router"])
def test_what_is_told_of_a_tape_is_what_is_on_its_lines(name):
    path = DEMO / f"{name}.tape.jsonl"
    _, *lines = map(json.loads, path.read_text().splitlines())
    kinds = Counter(line["event"] for line in lines)
    told = check(path)
    assert told.kinds == kinds
    assert (told.source, told.events, told.changes) == (str(path), len(lines), kinds["edit"])
    assert told.checkpoints == kinds["state"] > 0
    assert told.documents == len({line["doc"] for line in lines if line["event"] == "open"})


def test_a_document_that_comes_back_counts_once(tmp_path):
    events = (Open(0, 0, "a", "x", ""), Close(1, 0), Open(2, 0, "a", "x", ""), Open(3, 1, "b", "x", ""))
    assert check(saved(tmp_path, "x", Tape(small().header, events))).documents == 2


def test_a_tape_without_events_is_a_tape(tmp_path):
    told = check(saved(tmp_path, "x", Tape(small().header, ())))
    assert (told.events, told.documents, told.kinds) == (0, 0, {})


def test_events_that_a_tape_cannot_tell_are_counted_and_change_nothing(tmp_path):
    tape = small()
    (*events, last) = tape.events
    path = saved(tmp_path, "x", Tape(tape.header, (*events, Foreign(0, "other", {"a": [1]}, tells=1), last)))
    assert check(path).kinds["foreign"] == 1
    assert check(path).checkpoints == 1


IMPOSSIBLE = [
    Edit(1, 0, ((0, 9, ""),)),
    Edit(1, 0, ((2, 1, ""),)),
    Edit(1, 0, ((-1, 1, ""),)),
    *(kind(1, 3) for kind in (Focus, Save, Close)),
    Select(1, 3, ()),
    Ghost(1, 3, 1, "shown"),
    State(1, 0, "0" * 64),
    Open(1, 0, "a.py", "python", ""),
]


@pytest.mark.parametrize("event", IMPOSSIBLE, ids=lambda event: type(event).__name__)
def test_what_a_check_refuses_is_what_reading_refuses_in_the_same_words(tmp_path, event):
    tape = small()
    path = saved(tmp_path, "x", Tape(tape.header, (*tape.events, event)))
    with pytest.raises(TapeError) as refused:
        check(path)
    with pytest.raises(TapeError) as refused_too:
        read(path)
    assert str(refused.value) == str(refused_too.value)
    assert str(refused.value).startswith(f"{path}:{len(tape.events) + 2}: ")


def test_a_torn_tape_is_a_fault_or_a_tape_without_its_last_line_as_asked(tmp_path):
    path = saved(tmp_path, "x")
    whole = check(path)
    path.write_bytes(path.read_bytes() + b'{"event"')
    with pytest.raises(TapeError, match="cut off"):
        check(path)
    assert not whole.torn
    assert check(path, torn="drop").torn
    assert check(path, torn="drop").events == whole.events


def test_progress_goes_up_while_a_long_tape_is_read(tmp_path):
    tape = small()
    path = saved(tmp_path, "long", Tape(tape.header, (*tape.events, *(Focus(1, 0) for _ in range(25_000)))))
    told = []
    check(path, progress=told.append)
    assert len(told) == 2
    assert 0 < told[0] < told[1] <= path.stat().st_size
