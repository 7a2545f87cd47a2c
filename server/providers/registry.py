"""The providers by name, each declared once, and those of other packages."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from server.errors import ProviderMissing, SettingsError
from server.nearest import did_you_mean
from server.providers.protocol import Provider
from server.providers.wrappers.answer_file import AnswerFile
from server.providers.wrappers.healing import HealingProvider
from server.providers.wrappers.rate_limits import LimitedProvider, RateLimits
from server.providers.wrappers.recording import RecordingProvider
from server.providers.wrappers.spending import SharedAnswers
from server.settings import ProviderSettings
from syntax.entry_points import extensions


@dataclass(frozen=True, slots=True)
class ProviderEntry:
    """A provider of ghosttape's own. Its module has `make(settings)`, and is imported when the provider is made."""

    module: str
    about: str
    """What a person reads who chooses one."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Settings to begin with, beside its name."""
    is_for_editors: bool = True
    """Whether it offers text at the cursor where nobody knows what is going to be written."""
    proposes_edits: bool = False
    """Whether it answers questions for the next edit."""


_RECORDED = "server.providers.recorded"
PROVIDERS: Mapping[str, ProviderEntry] = MappingProxyType(
    {
        "gguf": ProviderEntry(
            "server.providers.gguf", "The embedded model, or a model file (GGUF): no account, no network"
        ),
        "openai": ProviderEntry(
            "server.providers.openai",
            "Any server with OpenAI's API: vLLM, llama.cpp, LM Studio, DeepSeek, Mistral, …",
            {"base_url": "http://127.0.0.1:8000/v1", "model": "qwen2.5-coder"},
        ),
        "llamacpp": ProviderEntry(
            "server.providers.llamacpp", "A llama.cpp server, by /infill", {"base_url": "http://127.0.0.1:8080"}
        ),
        "ollama": ProviderEntry("server.providers.ollama", "A model in Ollama", {"model": "qwen2.5-coder:7b"}),
        "anthropic": ProviderEntry(
            "server.providers.anthropic", "Anthropic's Messages API", {"model": "claude-haiku-4-5"}
        ),
        "lsp": ProviderEntry(
            "server.providers.lsp",
            "Another language server with inline completion",
            {"command": ["copilot-language-server", "--stdio"]},
        ),
        "recorded": ProviderEntry(
            _RECORDED,
            "Recorded answers from a file",
            {"answers": "/absolute/path/answers.jsonl"},
            proposes_edits=True,
        ),
        "oracle": ProviderEntry(_RECORDED, "What the person wrote", is_for_editors=False, proposes_edits=True),
        "ngram": ProviderEntry(
            "server.providers.ngram",
            "A baseline without a model: the most frequent continuation in the open documents",
        ),
        "repeat-edit": ProviderEntry(
            "server.providers.repeat_edit",
            "A baseline for next edits: the last replacement again, at the next place with the same word",
            is_for_editors=False,
            proposes_edits=True,
        ),
        "fixed": ProviderEntry("server.providers.fixed", "Always the same text", {"text": ""}, proposes_edits=True),
    }
)


def edit_providers() -> tuple[str, ...]:
    """The built-in providers that answer questions for the next edit."""
    return tuple(name for name, entry in PROVIDERS.items() if entry.proposes_edits)


HEALED = frozenset({"gguf", "llamacpp"})
"""Providers whose half-typed words are healed by default, because they can be forced to begin an answer with given characters.

Measured with SmolLM2 at 300 half-typed words of the bundled tapes: 57 % of the words are right; 14 % if other beginnings can only be
dropped; 6 % without healing (docs/providers.md)."""


def make(settings: ProviderSettings, shared: SharedAnswers | None = None) -> Provider:
    """Make the provider of the settings, with healing and recording as they say; `shared` is how other runs use the same record.

    Raises:
        SettingsError: no provider has that name.
        ProviderMissing: the provider needs something that is missing.

    """
    check(settings.name)
    limits = RateLimits.of(settings)
    if not settings.record.path:
        return LimitedProvider(_healed(settings), limits) if limits else _healed(settings)
    file = AnswerFile(Path(settings.record.path))
    if settings.record.mode == "require" or file.path.exists():
        file.read()
    return RecordingProvider(
        _healed(settings),
        _healed(settings).prompt,
        file,
        settings,
        model_name(settings),
        limits=limits,
        shared=shared,
    )


def model_name(settings: ProviderSettings) -> str:
    """The name of the settings' model in records: of a GGUF file its name without the folder."""
    if settings.name != "gguf":
        return settings.model
    from server.providers.gguf import weights

    return weights(settings.model)


def _healed(settings: ProviderSettings) -> Provider:
    provider = _factory(settings.name)(settings)
    heals = settings.name in HEALED if settings.heal is None else settings.heal
    return HealingProvider(provider) if heals else provider


def _factory(name: str) -> Callable[[ProviderSettings], Provider]:
    if name in PROVIDERS:
        return cast("Callable[[ProviderSettings], Provider]", importlib.import_module(PROVIDERS[name].module).make)
    return cast("Callable[[ProviderSettings], Provider]", extensions("providers")[name].load_or(ProviderMissing))


def known_providers() -> tuple[str, ...]:
    """The names of the built-in providers and of those that other packages register (`ghosttape.providers`)."""
    return tuple(dict.fromkeys((*PROVIDERS, *extensions("providers"))))


def check(name: str) -> None:
    """Check that a provider has this name.

    Raises:
        SettingsError: no provider has it; the message proposes the nearest name.

    """
    if name not in PROVIDERS and name not in extensions("providers"):
        known = known_providers()
        raise SettingsError(f"provider.name: {name!r} is none of {', '.join(known)}{did_you_mean(name, known)}")
