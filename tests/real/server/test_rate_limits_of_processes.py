"""Limits of requests a minute that several processes have together, in real time."""

import subprocess
import sys

CHILD = """
import asyncio, sys, time
from server.context import Context
from server.prompt import Prompt
from server.providers.protocol import Request
from server.providers.wrappers.rate_limits import RateLimits
from server.settings import AnswerRecord, ProviderSettings

async def main():
    record = AnswerRecord(path=sys.argv[1])
    limits = RateLimits.of(ProviderSettings(requests_per_minute=20, record=record), 2.0)
    request = Request("x", "", "line", Context("a.py", "python", "x", ""), Prompt(text="x"))

    async def one():
        await limits.admit(request)
        print(time.monotonic())

    await asyncio.gather(*(one() for _ in range(15)))

asyncio.run(main())
"""
WINDOW_S = 2.0


def test_several_processes_with_one_record_have_the_limit_together(tmp_path):
    words = [sys.executable, "-c", CHILD, str(tmp_path / "answers.jsonl")]
    processes = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    times = sorted(float(time) for process in processes for time in process.communicate(timeout=300)[0].split())
    assert len(times) == 45
    noticed_s = WINDOW_S - 0.2  # a busy machine lets a process go on late
    assert max(sum(begin <= at < begin + noticed_s * 0.98 for at in times) for begin in times) <= 20
    # by hand: 2 at once, and then 18 in each 2 s; what the processes start late adds to it
    assert times[-1] - times[0] >= (45 - 2) / 18 * WINDOW_S - 0.2
