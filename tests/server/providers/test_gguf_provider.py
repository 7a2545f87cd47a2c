"""The embedded model itself: what it writes, and how soon it stops."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from server.context import Context
from server.errors import ProviderError, ProviderMissing
from server.prompt import Prompt
from server.providers import gguf
from server.providers.protocol import Request, answer_text, summarize
from server.queries import Query
from server.service import Service
from server.settings import ProviderSettings
from tests.support.answer_pieces import text_pieces
from tests.support.fakes.model_server import FakeEngine, FakeScript

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


async def test_the_embedded_model_goes_on_with_the_code(engine):
    service = Service(_make(engine, max_tokens=24))
    found = await service.complete(Query("file:///a.py", "python", CODE, "\n", "line"))
    assert (found.outcome, found.text) == ("shown", " - b")
    assert found.tokens < 24
    assert -5 < found.confidence < 0


async def test_tokens_come_one_by_one_with_their_log_probabilities_and_the_model_counts(engine):
    provider = _make(engine, max_tokens=4)
    pieces = [piece async for piece in provider.complete(_request(provider, CODE))]
    told = summarize(pieces)
    assert told.tokens == 4
    assert told.prompt_tokens > 20
    assert all(-20 < piece.logprob <= 0 for piece in text_pieces(pieces))
    silent = _make(engine, max_tokens=4, logprobs=False)
    assert summarize([piece async for piece in silent.complete(_request(silent, CODE))]).confidence is None


async def test_stop_sequences_end_the_answer(engine):
    provider = _make(engine, max_tokens=20)
    request = Request(CODE, "", "auto", Context("a.py", "python", CODE, ""), Prompt(text=CODE, stops=(" b",)))
    assert answer_text([piece async for piece in provider.complete(request)]) == " -"


async def test_a_seed_repeats_a_sample(engine):
    provider = _make(engine, max_tokens=10, temperature=1.5, seed=3)
    await _answer(provider, "import ")  # from here on the prompt is read from the model's cache
    first = [await _answer(provider, "import ", sample=sample) for sample in range(3)]
    assert first == [await _answer(provider, "import ", sample=sample) for sample in range(3)]
    assert len(set(first)) > 1


async def test_an_answer_that_takes_too_long_is_a_failure(engine):
    made = _make(engine, max_tokens=500, timeout_s=0.05)
    with pytest.raises(ProviderError, match=r"no whole answer within 0\.05 s"):
        await _answer(made, LONG)


async def test_closing_the_provider_stops_what_is_under_way():
    engine = FakeEngine(FakeScript(["x"] * 1000, delay_s=0.01))
    provider = gguf.Gguf(ProviderSettings(max_tokens=1000), Path("fake.gguf"), engine=engine)
    asked = asyncio.ensure_future(_answer(provider, "x"))
    while not engine.written:
        await asyncio.sleep(0.01)
    await provider.close()
    assert not engine.running.locked()
    asked.cancel()


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_text("no model")
    with pytest.raises(ProviderMissing, match=r"model\.gguf is no GGUF file"):
        gguf.make(ProviderSettings(model=str(path)))
    path.write_text("GGUF, but no model")
    made = gguf.make(ProviderSettings(model=str(path)))
    with pytest.raises(ProviderMissing, match="cannot be loaded as a GGUF model"):
        asyncio.run(made.start())
