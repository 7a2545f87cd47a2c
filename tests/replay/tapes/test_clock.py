from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from replay.tapes.clock import virtual_times
from replay.tapes.tape import Edit, Focus

STAMPS = st.floats(-1e6, 1e6)
EVENTS = st.lists(st.one_of(STAMPS.map(lambda t: Edit(t, 0, ())), STAMPS.map(lambda t: Focus(t, 0))), max_size=20)


@given(EVENTS)
def test_time_never_runs_backwards(events):
    times = virtual_times(events)
    assert len(times) == len(events)
    assert all(before <= after for before, after in pairwise(times))


@given(EVENTS)
def test_between_edits_as_much_time_passes_as_their_stamps_say(events):
    edits = [
        (time, event.t) for time, event in zip(virtual_times(events), events, strict=True) if isinstance(event, Edit)
    ]
    for (time, stamp), (later, later_stamp) in pairwise(edits):
        assert abs((later - time) - max(0.0, later_stamp - stamp)) < 1e-6


def test_a_stamp_from_another_time_does_not_stop_the_clock():
    events = [Focus(326_099, 0), Edit(0, 0, ()), Edit(100, 0, ()), Focus(150, 0), Focus(-9, 0), Edit(300, 0, ())]
    assert virtual_times(events) == [0, 0, 100, 150, 150, 300]


def test_without_edits_the_stamps_stand():
    assert virtual_times([Focus(5, 0), Focus(3, 0), Focus(9, 0)]) == [5, 5, 9]
