import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tapes import Typist

from replay.checking import Pace, check, check_many
from replay.clock import virtual_times
from replay.errors import TapeError
from replay.tape import Close, Edit, Focus, Foreign, Ghost, Open, Run, Save, Select, State, Tape, read, write

DEMO = Path(__file__).parents[2] / "corpora/demo"


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
    assert told.duration == virtual_times(read(path).events)[-1]


def test_a_document_that_comes_back_counts_once(tmp_path):
    events = (Open(0, 0, "a", "x", ""), Close(1, 0), Open(2, 0, "a", "x", ""), Open(3, 1, "b", "x", ""))
    assert check(saved(tmp_path, "x", Tape(small().header, events))).documents == 2


def test_a_tape_without_events_is_a_tape(tmp_path):
    told = check(saved(tmp_path, "x", Tape(small().header, ())))
    assert (told.events, told.documents, told.kinds, told.duration) == (0, 0, {}, 0.0)


def test_events_that_a_tape_cannot_tell_are_counted_and_change_nothing(tmp_path):
    tape = small()
    (*events, last) = tape.events
    path = saved(tmp_path, "x", Tape(tape.header, (*events, Foreign(0, "other", {"a": [1]}, tells=1), last)))
    assert check(path).kinds["foreign"] == 1
    assert check(path).checkpoints == 1


EVENTS = st.builds(Edit, st.floats(-1e6, 1e6), st.just(0), st.just(())) | st.builds(
    lambda kind, t: kind(t),
    st.sampled_from([lambda t: Focus(t, 0), lambda t: Run(t, "", 0, 0, 0)]),
    st.floats(-1e6, 1e6),
)


@given(st.lists(EVENTS, max_size=12))
def test_the_duration_is_where_the_virtual_clock_stands_at_the_last_event(events):
    pace = Pace()
    for event in events:
        pace.take(event)
    assert pace.now == pytest.approx(virtual_times(events)[-1] if events else 0.0, abs=1e-6)


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


# Many files


def test_each_file_that_has_a_fault_is_told_with_its_first_and_the_others_are_checked(tmp_path):
    good, empty = saved(tmp_path, "good"), tmp_path / "none"
    broken = saved(tmp_path, "broken")
    broken.write_text(broken.read_text() + '{"event": "dance"}\n{"event": "sing"}\n')
    packed = tmp_path / "packed.tape.jsonl.gz"
    packed.write_bytes(gzip.compress(good.read_bytes())[:-9])
    told = check_many([tmp_path, empty, good])
    assert [tape.source for tape in told.tapes] == [str(good), str(good)]
    faults = {fault.source: fault for fault in told.faults}
    assert list(faults) == [str(empty), str(broken), str(packed)]
    assert faults[str(empty)].reason == "no such file or folder"
    assert "dance" in faults[str(broken)].reason
    assert str(faults[str(broken)]).startswith(f"{broken}:{len(small().events) + 2}: ")
    assert "cannot be read to its end" in faults[str(packed)].reason


def test_progress_goes_up_to_the_bytes_of_all_files_faulty_ones_too(tmp_path):
    tape = small()
    many = Tape(tape.header, (*tape.events, *(Focus(1, 0) for _ in range(25_000))))
    paths = [saved(tmp_path, "a", many), saved(tmp_path, "b"), saved(tmp_path, "c", many)]
    paths[1].write_text("{}\n")
    told = []
    check_many(paths, progress=lambda done, whole: told.append((done, whole)))
    sizes = [path.stat().st_size for path in paths]
    assert {whole for _, whole in told} == {sum(sizes)}
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert {sizes[0], sizes[0] + sizes[1], sum(sizes)} <= set(done)
    assert len([at for at in done if 0 < at < sizes[0]]) == 2  # while the first file is read
