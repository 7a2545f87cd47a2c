"""What the language server can be told: one tree of frozen structs, each value with a default.

The same tree is read from `initializationOptions`, from `ghosttape serve --settings JSON`, and is written into a run's key.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args, get_type_hints

import msgspec

from server.errors import SettingsError

Stop: TypeAlias = Literal["auto", "line", "statement", "block", "any"]
"""What is wanted. `any`: as much as the answer says, as in a benchmark's task whose end no syntax tells."""
PaperRules: TypeAlias = Literal["none", "simcopilot"]
"""Whose rules the repairs follow where a paper's differ from ours (`server/repair/simcopilot.py`)."""
RepairName: TypeAlias = Literal["prose", "repeats", "indent", "brackets", "stop"]
REPAIRS: tuple[RepairName, ...] = ("prose", "repeats", "indent", "brackets", "stop")


_HOLDS_A_KEY = frozenset("@?#")
"""A URL with one of them may hold a key in clear text. It is not taken apart to see: its parser would say it again in an error."""


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file (JSONL) of a model's answers: `write` all, `replay` those it has and write the rest, or `require` each one.

    A file in a workspace (`ghosttape.toml`) can never ask for it: it names a file to write to.
    """

    path: str = ""
    mode: Literal["write", "replay", "require"] = "replay"


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where raw text comes from.

    `model` is a GGUF file (gguf; empty: the bundled one) or the name of a model (openai, ollama, anthropic). `answers` is the
    JSONL file of `recorded` and `oracle`, `text` the answer of `fixed`. `template` names a fill-in-the-middle family (empty:
    by the model's name). `threads` are those of the embedded model.
    """

    name: str = "gguf"
    model: str = ""
    base_url: str = ""
    answers: str = ""
    text: str = ""
    seed: int = 0
    max_tokens: int = msgspec.field(default=64)
    temperature: float = 0.0
    timeout_s: float = 30.0
    """The longest time that one answer may take."""
    connect_s: float = 2.0
    first_s: float | None = None
    """The longest wait for the first piece of an answer (None: `timeout_s`)."""
    tries: int = 3
    """How often a request is made that finds a server busy, out of order or gone."""
    longest_wait_s: float = 2.0
    """The longest Retry-After that is waited for."""
    api: Literal["auto", "completions", "suffix", "chat"] = "auto"
    template: str = ""
    threads: int = 1
    logprobs: bool = True
    """Ask for log-probabilities where there are any."""
    heal: bool | None = None
    """Back up to the start of a half-typed word and keep only answers that begin with it (None: what suits the provider)."""
    prefill: bool = False
    """anthropic: begin the model's turn with the cursor's line; not every model allows that."""
    use_key: bool = True
    """Send the key of the environment. Off for a `base_url` that only a workspace's file names."""
    required: bool = False
    """recorded: a missing answer is a failure instead of nothing."""
    command: tuple[str, ...] | str = ()
    """lsp: the words that start the language server, or one string of them as a shell splits it (no shell sees it).

    A file in a workspace can name neither it nor the two below.
    """
    options: dict[str, Any] = {}
    """lsp: the server's `initializationOptions`."""
    folder: str = ""
    """lsp: the folder in which it is started."""
    start_s: float = 30.0
    """lsp: the longest time that the server may take to start and to be greeted."""
    record: AnswerRecord = AnswerRecord()

    @property
    def words(self) -> tuple[str, ...]:
        """`command` as words, in whichever way it was given."""
        return tuple(shlex.split(self.command) if isinstance(self.command, str) else self.command)

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing, and a key where it would be stored with the run."""
        for name in ("max_tokens", "threads", "tries"):
            _refuse(name, getattr(self, name), "at least 1", wrong=getattr(self, name) < 1)
        for name in ("timeout_s", "connect_s", "start_s"):
            _refuse(name, getattr(self, name), "above 0", wrong=getattr(self, name) <= 0)
        for name in ("temperature", "longest_wait_s"):
            _refuse(name, getattr(self, name), "0 or more", wrong=getattr(self, name) < 0)
        if self.first_s is not None:
            _refuse("first_s", self.first_s, "above 0, or null for timeout_s", wrong=self.first_s <= 0)
        try:
            _ = self.words
        except ValueError as error:
            raise ValueError(f"command (--server) cannot be split into words: {error}") from error
        if not _HOLDS_A_KEY.isdisjoint(self.base_url):
            raise ValueError(
                "base_url holds a password, a user, a query or a fragment ('@', '?' or '#'): keys come from the environment "
                "(GHOSTTAPE_API_KEY), for URLs are stored"
            )


def _refuse(name: str, value: float | None, must_be: str, *, wrong: bool) -> None:
    """Refuse a number that means nothing, by its name and value."""
    if wrong:
        raise ValueError(f"{name} is {value}, and must be {must_be}")


class ContextSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Budget in tokens by section; None means what suits the provider.

    `workspace` lets similar snippets come from files of the workspace that are not open. A replay never does.
    """

    before: int | None = None
    after: int | None = None
    snippets: int | None = None
    edits: int | None = None
    opened: int | None = None
    workspace: bool = True


class CacheSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How answers are used again.

    `entries` are kept, and no more than `max_bytes` of them; the least recently used one goes first; 0 keeps none. The same
    limit of bytes holds for the `explanations`. Each kind of use has its switch: `prefix` (the same question again), `typed` (the
    answer is typed as suggested) and `inflight` (the answer under way).
    """

    entries: int = 100
    explanations: int = 500
    max_bytes: int = 16 << 20
    prefix: bool = True
    typed: bool = True
    inflight: bool = True

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if min(self.entries, self.explanations, self.max_bytes) < 0:
            raise ValueError("entries, explanations and max_bytes cannot be below 0")


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that the server can be told."""

    provider: ProviderSettings = ProviderSettings()
    repairs: tuple[RepairName, ...] = REPAIRS
    paper_rules: PaperRules = "none"
    context: ContextSettings = ContextSettings()
    cache: CacheSettings = CacheSettings()


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client's wish that its session be recorded into `folder`, an absolute path; `~/` is the person's own folder.

    It is no part of the settings on purpose: a file in a workspace (`ghosttape.toml`) can never ask for a recording.
    """

    folder: str

    def __post_init__(self) -> None:
        """Refuse a folder that depends on where the server happens to run."""
        if not Path(self.folder).expanduser().is_absolute():
            raise ValueError(f"record.folder {self.folder!r} must be an absolute path, or begin with ~/")


def wished(options: Any) -> tuple[Any, Record | None]:
    """Split `initializationOptions` into settings and the wish to be recorded (`{"record": {"folder": DIR}}`).

    Raises:
        SettingsError: the wish is malformed, or its folder is relative.

    """
    if not isinstance(options, Mapping) or options.get("record") is None:
        return _without(options, "record"), None
    try:
        return _without(options, "record"), msgspec.convert(options["record"], Record)
    except msgspec.ValidationError as error:
        raise SettingsError(f"settings: {error} - at `$.record`") from error


def _without(options: Any, key: str) -> Any:
    return {name: value for name, value in options.items() if name != key} if isinstance(options, Mapping) else options


def merge(base: Settings, options: Any) -> Settings:
    """Lay `options` (plain JSON values, None for nothing) over `base`, key by key.

    Who turns to `gguf` without naming a model gets the bundled one: another provider's model is no file to be loaded here.

    Raises:
        SettingsError: an unknown key, or a value of the wrong kind; the message names the place.

    """
    if options is None:
        return base
    if not isinstance(options, Mapping):
        raise SettingsError(f"settings must be a JSON object, not {type(options).__name__}")
    try:
        made = msgspec.convert(laid_over(msgspec.to_builtins(base), options), Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"settings: {explained(error)}") from error
    turned = made.provider.name == "gguf" != base.provider.name
    if not turned or "model" in options["provider"]:
        return made
    return msgspec.structs.replace(made, provider=msgspec.structs.replace(made.provider, model=""))


def explained(error: msgspec.ValidationError, tree: Any = Settings) -> str:
    """The words of an error; where a value is none of a few names, with the names."""
    said = str(error)
    place = re.search(r" - at `\$([^`]*)`$", said)
    if place is None or not said.startswith("Invalid enum value"):
        return said
    for name in re.findall(r"\.(\w+)", place[1]):
        tree = get_type_hints(tree)[name]
    return f"{said}: choose of {', '.join(_names(tree))}"


def _names(kind: Any) -> Iterator[str]:
    """The names in a Literal, wherever in a type it stands."""
    for part in get_args(kind):
        yield from [part] * bool(part) if isinstance(part, str) else _names(part)


def parse(text: str) -> Settings:
    """Read settings from JSON.

    Raises:
        SettingsError: it is no JSON, or `merge` refuses it.

    """
    try:
        return merge(Settings(), msgspec.json.decode(text))
    except msgspec.DecodeError as error:
        raise SettingsError(f"settings are not JSON: {error}") from error


def laid_over(base: Any, options: Any) -> Any:
    """One tree of plain values over another, key by key."""
    if not (isinstance(base, Mapping) and isinstance(options, Mapping)):
        return options
    return {**base, **{key: laid_over(base.get(key), value) for key, value in options.items()}}
