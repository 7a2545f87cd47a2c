"""Clocks of an event loop: one in which nobody waits, and one of which a test can skip some time."""

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


def without_waiting(loop):
    """Make a loop pass its time without waiting, and give its clock. For tests without threads, processes and sockets."""
    clock, select = VirtualClock(loop.time()), loop._selector.select

    def pass_time(timeout):
        clock.now_s += TURN_S + max(timeout or 0, 0)
        return select(timeout and 0)

    loop.time, loop._selector.select = clock, pass_time
    return clock


@pytest.fixture
async def virtual_time():
    """The clock of the test's own loop, in which nobody waits."""
    loop = asyncio.get_running_loop()
    time, select = loop.time, loop._selector.select
    yield without_waiting(loop)
    loop.time, loop._selector.select = time, select


class SkippingClock:
    """The real time of a loop, and what was skipped of it (s)."""

    def __init__(self, real) -> None:
        self._real, self._skipped_s = real, 0.0

    def __call__(self) -> float:
        return self._real() + self._skipped_s

    async def skip(self, seconds: float) -> None:
        """Let so many seconds go by at once, which ends every wait of the loop that is shorter."""
        self._skipped_s += seconds
        await asyncio.sleep(0)


@pytest.fixture
async def skipping_time(monkeypatch):
    """The clock of the test's own loop, whose limits of time are met without waiting. Threads and processes have the real time."""
    loop = asyncio.get_running_loop()
    clock = SkippingClock(loop.time)
    monkeypatch.setattr(loop, "time", clock)
    return clock
