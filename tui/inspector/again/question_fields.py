"""What can be changed when a moment is asked again: the fields of the dialog, and the settings that they mean."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from server.errors import SettingsError
from server.settings import REPAIRS, AnswerRecord, Settings, merge, overlay

PLACES: Mapping[str, tuple[str, str]] = {
    "provider": ("provider", "name"),
    "model": ("provider", "model"),
    "base_url": ("provider", "base_url"),
    "text": ("provider", "text"),
    "template": ("provider", "template"),
    "before": ("context", "before"),
    "after": ("context", "after"),
    "max_tokens": ("provider", "max_tokens"),
    "temperature": ("provider", "temperature"),
    "seed": ("provider", "seed"),
}
"""The fields, and where in the settings of the language server their values stand."""
_NUMBERS = frozenset({"before", "after", "max_tokens", "temperature", "seed"})
_OF_A_FILE: Mapping[str, Any] = {"answers": "", "required": False, "follow": False}
"""Settings of the providers that read a file of answers. Another provider has no use for them."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the fields hold: `values` has a text for each field of `PLACES`, `other` is JSON that is laid over all of them."""

    values: Mapping[str, str]
    repairs: tuple[str, ...] = REPAIRS
    other: str = ""


def question_of(config: Mapping[str, Any]) -> Question:
    """Return the fields as the configuration of a run fills them. The seed of the run takes the place of the provider's.

    Raises:
        SettingsError: the settings of the run are of another version.

    """
    tree = msgspec.to_builtins(merge(Settings(), config.get("settings")))
    values = {name: _text(tree[section][member]) for name, (section, member) in PLACES.items()}
    values["seed"] = _text(config.get("seed") or tree["provider"]["seed"])
    command = tree["provider"]["command"]
    other = msgspec.json.encode({"provider": {"command": command}}).decode() if command else ""
    return Question(values, tuple(tree["repairs"]), other)


def config_with(config: Mapping[str, Any], question: Question) -> dict[str, Any]:
    """Return the configuration of a run with what a question changes.

    Recorded answers are neither used nor written. An ablation is not repeated. Published answers stay only if the provider stays.

    Raises:
        SettingsError: a field holds what its setting cannot be.

    """
    old = merge(Settings(), config.get("settings"))
    new = merge(old, overlay(_overlay(question, old), _decoded(question.other)))
    left_out = {"ablate"} | ({"published"} if new.provider.name != old.provider.name else set())
    kept = {name: value for name, value in config.items() if name not in left_out}
    return {**kept, "settings": msgspec.to_builtins(new), "seed": new.provider.seed}


def difference_words(question: Question, base: Question) -> str:
    """Return what a question has other than `base`: `text "pass", temperature 0.5, repairs none`; empty if nothing.

    The provider and its model are left out.
    """
    named = (name for name in PLACES if name not in {"provider", "model"})
    parts = [f"{_LABELS.get(name, name)} {_quoted(name, question.values[name])}" for name in named if question.values[name] != base.values[name]]  # fmt: skip
    if question.repairs != base.repairs:
        parts.append(f"repairs {'+'.join(question.repairs) or 'none'}")
    return ", ".join([*parts, *([question.other] if question.other != base.other else [])])


_LABELS = {"base_url": "base URL", "max_tokens": "tokens", "before": "budget before", "after": "budget after"}


def _overlay(question: Question, old: Settings) -> dict[str, Any]:
    chosen: dict[str, dict[str, Any]] = {"provider": {"record": msgspec.to_builtins(AnswerRecord())}, "context": {}}
    for name, (section, member) in PLACES.items():
        chosen[section][member] = _value(name, question.values[name])
    provider = chosen["provider"]
    if provider["name"] != old.provider.name:
        provider.update(_OF_A_FILE)
    if provider["base_url"] != old.provider.base_url:
        provider["use_key"] = True  # the person has named this server
    return {**chosen, "repairs": list(question.repairs)}


def _decoded(other: str) -> Any:
    try:
        return msgspec.json.decode(other) if other.strip() else {}
    except msgspec.DecodeError as error:
        raise SettingsError(f"further settings are not JSON: {error}") from error


def _value(name: str, text: str) -> Any:
    """Return the JSON value of a field; what is no number stays a text, so that the settings can say what they expect."""
    if name not in _NUMBERS:
        return text
    if not text.strip():
        return None
    try:
        return msgspec.json.decode(text, type=int | float)
    except msgspec.DecodeError:
        return text


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _quoted(name: str, value: str) -> str:
    return value if name in _NUMBERS else json.dumps(value, ensure_ascii=False)
