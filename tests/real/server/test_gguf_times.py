"""The embedded model itself: how soon it stops."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from contextlib import aclosing

import pytest

from server.context import Context
from server.providers import gguf
from server.providers.protocol import Request, answer_text
from server.settings import ProviderSettings

pytestmark = pytest.mark.usefixtures("embedded")

CODE = "def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a"
COUNTING = "".join(f"    {number}: 'item {number}',\n" for number in range(20))
LONG = "".join(f"def f{number}(a, b):\n    return a * {number} + b\n\n" for number in range(60))


@pytest.fixture(scope="module")
def engine():
    """One loaded model for all tests here."""
    return gguf._load(gguf.bundled_model(), 1)


def _make(engine, **settings):
    return gguf.Gguf(ProviderSettings(**settings), gguf.bundled_model(), engine=engine)


def _request(provider, before: str, **asked) -> Request:
    context = Context("a.py", "python", before, "")
    return Request(before, "", "auto", context, provider.prompt(context), **asked)


async def _answer(provider, before, **asked) -> str:
    return answer_text([piece async for piece in provider.complete(_request(provider, before, **asked))])


class Watched:
    """An engine that notes when each chunk comes, and when it is done."""

    def __init__(self, engine) -> None:
        self.engine, self.chunks, self.ended = engine, [], asyncio.Event()

    def handle_completions(self, question, heard):
        def noted(chunk):
            self.chunks.append(time.process_time())
            return heard(chunk)

        return self.engine.handle_completions(question, noted)

    def gaps(self):
        return [later - earlier for earlier, later in zip(self.chunks, self.chunks[1:], strict=False)]


async def test_cancelling_stops_writing_within_two_tokens_time_and_frees_the_model(engine):
    spent = [await _spent_after_cancelling(engine) for _ in range(3)]
    assert min(spent) < 4  # two tokens' time, then the prompt and one token of the next answer


async def _spent_after_cancelling(engine) -> float:
    """Tokens' times from cancelling a request whose answer is being written until the next one is answered."""
    watched = Watched(engine)
    provider = _make(watched, max_tokens=800)
    async with aclosing(provider.complete(_request(provider, COUNTING))) as stream:
        for _ in range(20):
            await anext(stream)
    closed, heard = time.process_time(), len(watched.chunks)
    token = statistics.median(watched.gaps()[4:])
    assert await _answer(_make(engine, max_tokens=1), COUNTING)
    assert len(watched.chunks) - heard <= 2
    return (time.process_time() - closed) / token


async def test_cancelling_stops_reading_within_one_batch_of_under_half_a_second(engine):
    assert min([await _freed_after(engine, number) for number in range(5)]) < 0.5  # the model has one thread here


async def _freed_after(engine, number) -> float:
    """Processor seconds from cancelling a request whose prompt is being read until the model takes up the next one."""
    watched, following = Watched(engine), Watched(engine)
    asked = asyncio.ensure_future(_answer(_make(watched), f"# {number}\n{LONG}"))
    while len(watched.chunks) < 4:
        await asyncio.sleep(0.01)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    closed, heard = time.process_time(), len(watched.chunks)
    assert await _answer(_make(following, max_tokens=1), "x = ")
    assert len(watched.chunks) - heard <= 1
    return following.chunks[0] - closed


GIVES_UP = """
import asyncio
from server.chat import ask_chat
from server.errors import ProviderError
from server.prompt import ChatMessage
from server.providers.registry import make
from server.settings import ProviderSettings

async def main():
    provider = make(ProviderSettings(name="gguf", timeout_s=0.2))
    await provider.start()
    try:
        await ask_chat(provider, [ChatMessage("user", "word " * 3_000)])
    except ProviderError as error:
        print(error)
    await provider.close()

asyncio.run(main())
"""


def test_a_process_ends_well_although_it_gave_up_waiting_while_the_model_still_read():
    done = subprocess.run([sys.executable, "-c", GIVES_UP], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "the model gave no whole answer within 0.2 s\n"), done.stderr
