"""What every provider has to do, and the providers that are asked to: each over the public fake of what it talks to.

A new provider becomes one more entry in `SUBJECTS`.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from server.context import Context
from server.providers import gguf, registry
from server.providers.fixed import Fixed
from server.providers.http.endpoint import Endpoint
from server.providers.language_server.fake_server import PlainServer
from server.providers.protocol import AnswerPiece, AnswerText, Request, answer_text
from server.providers.recorded import Recorded, answer_key
from server.settings import ProviderSettings
from tests.support.fakes.dialects import DIALECTS
from tests.support.fakes.model_server import FakeEngine, FakeModelServer, FakeScript

BEFORE, AFTER = "def f(a):\n    ", "\nprint(f(1))\n"
CONTEXT = Context("a.py", "python", BEFORE, AFTER)


@dataclass(slots=True)
class Bench:
    """A provider with what it talks to. `slept` are the waits between tries (s); nobody really waits for them."""

    provider: Any
    source: Any
    slept: list[float]

    def request(self, sample: int = 0, stops: tuple[str, ...] = (), context: Context = CONTEXT) -> Request:
        prompt = replace(self.provider.prompt(context), stops=stops)
        return Request(context.before, context.after, "auto", context, prompt, sample=sample)

    async def pieces(self, **asked) -> list[AnswerPiece]:
        return [piece async for piece in self.provider.complete(self.request(**asked))]

    async def answer(self, **asked) -> str:
        return answer_text(await self.pieces(**asked))


@dataclass(frozen=True, slots=True)
class Subject:
    """One way of asking one provider, and what its protocol has."""

    id: str
    open: Callable[..., Any]
    http: bool = True
    seeds: bool = True
    logprobs: bool = True
    fails: bool = True
    cancels: bool = True
    """Takes time that can be cut short, and has a limit of it."""
    counts: bool = True
    chunks: bool = True


def _served(name: str, path: str = "", **settings) -> Callable[..., Any]:
    @asynccontextmanager
    async def opened(script: FakeScript, **more) -> AsyncIterator[Bench]:
        async with FakeModelServer(DIALECTS[name], script) as server:
            chosen = {
                "name": name,
                "model": "m",
                "base_url": server.url + path,
                "heal": False,
                "connect_s": 60.0,
                **settings,
                **more,
            }
            provider = registry.make(ProviderSettings(**chosen))
            slept: list[float] = []
            endpoint: Endpoint = provider.endpoint

            async def sleep(seconds: float) -> None:
                slept.append(seconds)

            endpoint.sleep, endpoint.now = sleep, lambda: 1_767_225_600.0  # 2026-01-01, 00:00:00 UTC
            yield Bench(provider, server, slept)
            await provider.close()

    return opened


@asynccontextmanager
async def _embedded(script: FakeScript, **more) -> AsyncIterator[Bench]:
    engine = FakeEngine(script)
    provider = gguf.Gguf(ProviderSettings(**more), Path("fake.gguf"), engine=engine)
    yield Bench(provider, engine, [])
    await provider.close()


class _Plain:
    """A language server that acts by a `FakeScript`: its pieces are one item, its pauses are one."""

    def __init__(self, folder: Path, script: FakeScript) -> None:
        self.fake = PlainServer(folder)
        self.script = script

    @property
    def script(self) -> FakeScript:
        return self._script

    @script.setter
    def script(self, script: FakeScript) -> None:
        self._script, pieces = script, list(script.written((), 10**6))
        items = [{"insertText": "".join(pieces)}] if pieces else []
        paused = script.think_s + script.delay_s * len(pieces)
        step = {"result": {"items": items}, "delay_s": paused}
        if script.error_after is not None:
            step = {"error": {"code": -32603, "message": "out of memory"}}
        self.fake.plan({"textDocument/inlineCompletion": step})

    @property
    def asked(self) -> list[dict[str, Any]]:
        return self.fake.sent("textDocument/inlineCompletion")

    @property
    def is_idle(self) -> bool:
        messages = self.fake.messages()
        answered = {message["answered"] for message in messages if "answered" in message}
        return answered >= {message["id"] for message in messages if "id" in message and "method" in message}


@asynccontextmanager
async def _language_server(script: FakeScript, **more) -> AsyncIterator[Bench]:
    with tempfile.TemporaryDirectory() as folder:
        source = _Plain(Path(folder), script)
        settings = {"timeout_s": 30.0, **more}
        settings = {name: value for name, value in settings.items() if name != "max_tokens"}
        provider = registry.make(ProviderSettings(name="lsp", command=source.fake.command, **settings))
        await provider.start()
        yield Bench(provider, source, [])
        await provider.close()


@asynccontextmanager
async def _fixed(script: FakeScript, **more) -> AsyncIterator[Bench]:
    text = "".join(script.written((), 99))
    yield Bench(Fixed(text, delay_s=script.delay_s, piece=len(script.pieces[0]) if script.pieces else 0), None, [])


@asynccontextmanager
async def _recorded(script: FakeScript, **more) -> AsyncIterator[Bench]:
    text = AnswerText("".join(script.written((), 99)))
    yield Bench(Recorded({answer_key(BEFORE, AFTER, "auto"): text}), None, [])


_PLAIN = dict.fromkeys(("http", "seeds", "logprobs", "fails", "cancels", "counts", "chunks"), False)
SUBJECTS = (
    Subject("openai", _served("openai", "/v1")),
    Subject("openai-suffix", _served("openai", "/v1", api="suffix")),
    Subject("openai-template", _served("openai", "/v1", template="qwen")),
    Subject("openai-chat", _served("openai", "/v1", api="chat")),
    Subject("llamacpp", _served("llamacpp")),
    Subject("ollama", _served("ollama")),
    Subject("ollama-raw", _served("ollama", api="completions")),
    Subject("ollama-chat", _served("ollama", api="chat")),
    Subject("anthropic", _served("anthropic"), seeds=False, logprobs=False),
    Subject("gguf", _embedded, http=False),
    Subject("lsp", _language_server, **{**_PLAIN, "cancels": True}),
    Subject("fixed", _fixed, **{**_PLAIN, "chunks": True}),
    Subject("recorded", _recorded, **_PLAIN),
)
