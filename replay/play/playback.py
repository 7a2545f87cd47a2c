"""The pace at which a replay is watched. It decides when things are shown, never what happens."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

from replay.errors import ReplayError


class PlaybackError(ReplayError):
    """A replay cannot be watched in that way."""


class Playback:
    """Speed, pause, step and seek. `speed` is a factor of the tape's own time; None: as fast as it goes.

    The shell of the player waits in `reach` before each instruction; who watches calls the rest, from the same event loop.
    `now` is how far the tape has been watched (ms of virtual time). A virtual time before the last one begins another tape.
    """

    def __init__(self, speed: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.now = 0.0
        self._clock = clock
        self._speed = _checked(speed)
        self._paused = False
        self._steps = 0
        self._moments = 0
        self._seek = -math.inf
        self._since = (clock(), 0.0)
        self._latest = math.inf
        self._changed = asyncio.Event()

    @property
    def is_paused(self) -> bool:
        """Whether it stands still."""
        return self._paused

    def status(self) -> str:
        """Where it is and how it goes: `12:03 of the tape, 10 times as fast`."""
        minutes, seconds = divmod(int(self.now / 1000), 60)
        pace = "paused" if self._paused else f"{self._speed:g} times as fast" if self._speed else "at full speed"
        return f"{minutes}:{seconds:02} of the tape, {pace}"

    @property
    def speed(self) -> float | None:
        """The factor of the tape's own time; None: as fast as it goes."""
        return self._speed

    async def reach(self, now: float, *, ends_moment: bool = False) -> None:
        """Wait until the instruction at a virtual time (ms) may be carried out. `ends_moment`: a moment has ended with it."""
        if now < self._latest:
            self._start()
        self._latest = now
        while not self._may_go(now):
            self._changed.clear()
            rest = None if self._paused else self._wall(now) - self._clock()
            try:
                await asyncio.wait_for(self._changed.wait(), rest)
            except TimeoutError:
                break
        if now < math.inf:
            self.now = max(self.now, now)
        if ends_moment and self._moments:
            self._moments -= 1

    def _start(self) -> None:
        """Begin a tape. What was sought in the one before is over; in none before, it is in this."""
        self.now = 0.0
        self._seek = self._seek if self._latest == math.inf else -math.inf
        self._begin(0.0)

    def _may_go(self, now: float) -> bool:
        if now < self._seek or self._moments:
            return True
        if self._seek > -math.inf:
            self.now, self._seek = max(self.now, self._seek), -math.inf
            self._begin(self.now)
        if self._paused:
            self._steps -= 1
            return self._steps >= 0
        return self._speed is None or now == math.inf or self._wall(now) <= self._clock()

    def _wall(self, now: float) -> float:
        """When, on the wall clock (s), a virtual time is reached."""
        wall, virtual = self._since
        return wall + (now - virtual) / 1000 / self._speed if self._speed and now < math.inf else -math.inf

    def _position(self) -> float:
        """How far it is on the way to the next instruction (ms of virtual time)."""
        wall, virtual = self._since
        if self._paused or self._speed is None:
            return self.now
        return max(self.now, virtual + (self._clock() - wall) * 1000 * self._speed)

    def _begin(self, now: float) -> None:
        """Count the time anew from here."""
        self._since = (self._clock(), now)

    def _tell(self) -> None:
        self._steps = max(0, self._steps)
        self._changed.set()

    def pause(self) -> None:
        """Stand still before the next instruction."""
        self.now, self._paused, self._moments = self._position(), True, 0
        self._tell()

    def resume(self) -> None:
        """Go on."""
        self._paused, self._moments = False, 0
        self._begin(self.now)
        self._tell()

    def step(self) -> None:
        """Carry out one instruction, and stand still."""
        self.pause()
        self._steps += 1

    def step_moment(self) -> None:
        """Go on without a wait until a moment has ended, and stand still; asked twice, until two have."""
        wanted = self._moments + 1
        self.pause()
        self._moments = wanted

    def seek(self, to: float) -> None:
        """Go on without a wait until a virtual time (ms), and there as before.

        Raises:
            PlaybackError: that has been played already: the past is in the run's store, to be looked at there.

        """
        if to < self.now:
            raise PlaybackError(
                f"{to / 1000:.1f} s has been played already ({self.now / 1000:.1f} s now): a replay only goes on"
            )
        self._seek = to
        self._tell()

    def set_speed(self, speed: float | None) -> None:
        """Change the speed.

        Raises:
            PlaybackError: it is not above 0.

        """
        checked = _checked(speed)
        self.now, self._speed = self._position(), checked
        self._begin(self.now)
        self._tell()


def _checked(speed: float | None) -> float | None:
    if speed is not None and not 0 < speed < math.inf:
        raise PlaybackError(f"a speed of {speed} is none: 1 is the tape's own, 10 ten times as fast")
    return speed
