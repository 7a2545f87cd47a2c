"""Many requests to a provider that are cancelled at any time."""

import asyncio
import random
import threading

import psutil

from tests.support.fakes.model_server import FakeScript
from tests.support.waiting import until


async def cancel_many(subject):
    """Cancel four of each five requests: no task, thread or socket stays behind, and the next request is answered."""
    luck, process = random.Random(4), psutil.Process()
    async with subject.open(FakeScript(["x"] * 5, think_s=0.002, delay_s=0.002)) as bench:
        await bench.answer()
        before = (len(asyncio.all_tasks()), process.num_fds())
        for _ in range(40):
            asked = [asyncio.ensure_future(bench.answer()) for _ in range(5)]
            await asyncio.sleep(luck.uniform(0, 0.01))
            for each in luck.sample(asked, 4):
                each.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        assert await bench.answer() == "x" * 5
        await until(lambda: len(asyncio.all_tasks()) <= before[0] + 6)  # the fake's own, one a connection kept open
        await until(lambda: process.num_fds() <= before[1] + 12)
        await until(lambda: all(thread.name != "gguf" for thread in threading.enumerate()))
    await until(lambda: len(asyncio.all_tasks()) == 1)
