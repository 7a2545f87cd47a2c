"""An event loop in which nobody waits: where all tasks sleep, its clock goes to the first that wakes."""

import asyncio

import pytest

TURN_S = 1e-6
"""How long one turn of the loop takes: what sleeps for less than the clock can tell would otherwise never wake."""


class VirtualClock:
    """The time of a loop, in seconds."""

    def __init__(self, now_s: float) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
async def virtual_time(monkeypatch):
    """The clock of the test's own loop. For tests without threads, processes and sockets: nobody would wait for those."""
    loop = asyncio.get_running_loop()
    clock, select = VirtualClock(loop.time()), loop._selector.select

    def pass_time(timeout):
        clock.now_s += TURN_S + max(timeout or 0, 0)
        return select(timeout and 0)

    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(loop._selector, "select", pass_time)
    return clock
