"""Waiting for what must come, with a limit that judges no speed: it only turns a hang into a failure."""

import asyncio
import time

PATIENCE_S = 300


async def until(condition):
    """Wait until a condition holds, letting the event loop run; give what made it hold."""
    async with asyncio.timeout(PATIENCE_S):
        while not (held := condition()):
            await asyncio.sleep(0.01)
    return held


def until_held(condition):
    """Wait until a condition holds, in a test that has no event loop; give what made it hold."""
    ends = time.monotonic() + PATIENCE_S
    while not (held := condition()):
        assert time.monotonic() < ends, "waited in vain"
        time.sleep(0.01)
    return held


async def until_drawn(pilot, condition):
    """Wait until a condition holds, letting a screen that is being tested draw."""
    ends = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < ends, "waited in vain"
        await pilot.pause(0.02)


async def notified(pilot, text=""):
    """The messages that a screen shows beside what it draws, once one of them has this text."""
    await until_drawn(pilot, lambda: any(text in note.message for note in pilot.app._notifications))
    return [note.message for note in pilot.app._notifications]
