"""The settings of the language server: one tree of frozen structs, with a default for each value.

`ghosttape.toml`, the environment, `--settings JSON` and `initializationOptions` are all decoded into it by `merge`. A run's key contains it.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from server import api_keys
from server.errors import SettingsError
from server.nearest import did_you_mean
from server.option import Option
from syntax.entry_points import extensions

OWN_RULES = "none"
"""The rules by which answers are read where no benchmark has its own (`server/repair/rules.py`)."""
OWN_CHAT = "simcopilot"
"""The words of a chat where no benchmark has its own (`server/prompt/chats.py`). They are that paper's four rules; the name is part of the identity of every run."""
RepairName: TypeAlias = str
"""A key of `REPAIRS`, or the name of an entry point of the group `ghosttape.repairs`."""
REPAIRS: tuple[RepairName, ...] = ("prose", "repeats", "indent", "brackets", "stop")
"""The built-in steps, in the order in which they run."""


SERVERS = frozenset(api_keys.NAMES)
"""The providers that ask a model server over HTTP."""
_T = TypeVar("_T")
_PROMPT = Option(flag="", table="prompts")
_RATE = Option(flag="", table="providers", changes_results=False)
_PLACE = re.compile(r" - at `\$([^`]*)`$")
_UNKNOWN_KEY = re.compile(r"unknown field `([^`]*)`")
_UNKNOWN_VALUE = re.compile(r"Invalid enum value '([^']*)'")
_INT = 2**31 - 1
"""The largest whole number that every provider can be given."""
_HOLDS_A_KEY = frozenset("@?#")
"""A URL with one of these characters may contain a key. It is refused without parsing, because a parser repeats it in its error."""


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of a model's answers. A file in a workspace (`ghosttape.toml`) can never set it, because it names a file to write to."""

    path: str = ""
    """A JSONL file; empty: answers are not recorded."""
    mode: Literal["write", "replay", "require"] = "replay"
    """`write`: ask for every answer and record it. `replay`: use recorded answers, and record the missing ones. `require`: use
    recorded answers only."""
    session: str = ""
    """Whose questions these are. The n-th question of a session takes the session's n-th answer; a question that was never asked in it takes
    the answer to the same question of another."""


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where raw text comes from. A field that only some providers read begins with their names."""

    name: Annotated[str, Option(flag="--provider", env="GHOSTTAPE_PROVIDER", panel="Model")] = "gguf"
    """Where completions come from: gguf (the default: the embedded model), openai (any OpenAI-compatible server), llamacpp, ollama, anthropic, lsp (any language server with inline completion: --server), ngram (a baseline), oracle (what was really written; not for serve), recorded (a file of answers), fixed (always --text).

    A key of `server.providers.registry.PROVIDERS`, or an entry point of the group `ghosttape.providers`.
    """
    model: Annotated[str, Option(env="GHOSTTAPE_MODEL", panel="Model", read_by=SERVERS | {"gguf"})] = ""
    """Model name, or path of a GGUF file.

    gguf: empty for the bundled one. openai, ollama, anthropic: the model's name on the server.
    """
    base_url: Annotated[str, Option(env="GHOSTTAPE_BASE_URL", panel="Model", read_by=SERVERS)] = ""
    """The model server, as http://127.0.0.1:8080/v1 (llamacpp, ollama and anthropic know their own)."""
    command: Annotated[
        tuple[str, ...] | str,
        Option(flag="--server", env="GHOSTTAPE_SERVER", metavar="COMMAND", panel="Model", read_by=frozenset({"lsp"})),
    ] = ()
    """Provider lsp: what starts the language server on standard input and output, as "copilot-language-server --stdio".

    As words, or as one string that is split as a shell does; no shell runs it. A file in a workspace can set neither this nor `options`, `folder` and `pass_keys`.
    """
    answers: Annotated[str, Option(is_path=True, panel="Model", read_by=frozenset({"recorded", "oracle"}))] = ""
    """Answers of provider recorded: JSON lines of key and text."""
    text: Annotated[str, Option(panel="Model", read_by=frozenset({"fixed"}))] = ""
    """Answer of provider fixed; empty: nothing is ever offered."""
    seed: int = 0
    """Seed of the model's random choices; the index of the sample is added to it."""
    max_tokens: int = 64
    """The longest answer, in the model's tokens."""
    temperature: float = 0.0
    """0: always the most likely token. Above 0: tokens are drawn at random."""
    timeout_s: float = 30.0
    """The longest time for a whole answer."""
    connect_s: float = 2.0
    """The longest time for a connection; lsp: for the server to register inline completion."""
    first_s: float | None = None
    """The longest wait for the first piece of an answer (None: `timeout_s`)."""
    tries: int = 3
    """How often a request is sent to a server that is busy, fails or does not accept the connection; to one that names a time to wait
    more often, until the waits come to as many of `longest_wait_s` as lie between these tries."""
    longest_wait_s: float = 2.0
    """The longest Retry-After that is obeyed; a longer one is a failure."""
    api: Annotated[Literal["auto", "completions", "suffix", "chat"], _PROMPT] = "auto"
    """openai, ollama: the form of the request (auto: what the model and the server support)."""
    chat: str = OWN_CHAT
    """openai, ollama, anthropic: the words of a chat; those of a benchmark ask in a chat from the start."""
    template: Annotated[str, _PROMPT] = ""
    """gguf, openai, ollama: the family of the fill-in-the-middle template (empty: by the model's name)."""
    threads: int = 1
    """gguf: threads of the embedded model."""
    logprobs: bool = True
    """Request log-probabilities from servers that have them."""
    heal: Annotated[bool | None, _PROMPT] = None
    """Ask from the start of a half-typed word, and keep only answers that begin with it (None: what suits the provider)."""
    prefill: Annotated[bool, _PROMPT] = False
    """anthropic: put the cursor's line at the start of the model's turn; not every model allows that."""
    use_key: bool = True
    """Send the key from the environment. False for a `base_url` that only a workspace's file names."""
    required: bool = False
    """recorded: a missing answer is a failure (False: it is an empty answer)."""
    follow: bool = False
    """recorded: another process still writes the file, so its new lines are read before each answer."""
    options: dict[str, Any] = {}
    """lsp: the server's `initializationOptions`. ollama: further options of the model."""
    folder: str = ""
    """lsp: the folder in which the server is started (empty: our own)."""
    pass_keys: Annotated[tuple[str, ...], Option(flag="", is_later=True)] = ()
    """lsp: the variables of keys that the server gets, such as OPENAI_API_KEY. Without it the server gets none of `server.api_keys.NAMES`."""
    start_s: float = 30.0
    """lsp: the longest time for the server to start and to answer `initialize`."""
    requests_per_minute: Annotated[float | None, _RATE] = None
    """The most requests that a model server gets in any minute (None: no limit)."""
    tokens_per_minute: Annotated[float | None, _RATE] = None
    """The most tokens a minute, of prompts and answers: estimated before each request, with the longest answer."""
    record: AnswerRecord = AnswerRecord()
    """Whether and how answers are recorded."""

    @property
    def words(self) -> tuple[str, ...]:
        """`command` as words."""
        return tuple(shlex.split(self.command) if isinstance(self.command, str) else self.command)

    def __post_init__(self) -> None:
        """Refuse numbers that are out of range, and a key in `base_url`, because URLs are stored with the run."""
        for name in ("temperature", "timeout_s", "connect_s", "first_s", "longest_wait_s", "start_s"):
            _refuse(name, getattr(self, name), "a finite number", wrong=not math.isfinite(getattr(self, name) or 0))
        for name in ("max_tokens", "threads", "tries", "seed"):
            _refuse(name, getattr(self, name), f"at most {_INT}", wrong=getattr(self, name) > _INT)
        for name in ("max_tokens", "threads", "tries"):
            _refuse(name, getattr(self, name), "at least 1", wrong=getattr(self, name) < 1)
        for name in ("timeout_s", "connect_s", "start_s"):
            _refuse(name, getattr(self, name), "above 0", wrong=getattr(self, name) <= 0)
        for name in ("temperature", "longest_wait_s"):
            _refuse(name, getattr(self, name), "0 or more", wrong=getattr(self, name) < 0)
        for name in ("requests_per_minute", "tokens_per_minute"):
            limit = getattr(self, name)
            _refuse(name, limit, "a number from 1, or null", wrong=limit is not None and not 1 <= limit < math.inf)
        if self.first_s is not None:
            _refuse("first_s", self.first_s, "above 0, or null for timeout_s", wrong=self.first_s <= 0)
        if unknown := [name for name in self.pass_keys if name not in api_keys.VARIABLES]:
            raise ValueError(f"pass_keys has {unknown[0]!r}, and must name some of {', '.join(api_keys.VARIABLES)}")
        try:
            _ = self.words
        except ValueError as error:
            raise ValueError(f"command (--server) cannot be split into words: {error}") from error
        if not _HOLDS_A_KEY.isdisjoint(self.base_url):
            raise ValueError(
                "base_url holds a password, a user, a query or a fragment ('@', '?' or '#'): URLs are stored, so give the key in the "
                "environment (GHOSTTAPE_API_KEY)"
            )


def _refuse(name: str, value: float | None, must_be: str, *, wrong: bool) -> None:
    """Refuse a number that is out of range; the message names it."""
    if wrong:
        raise ValueError(f"{name} is {value}, and must be {must_be}")


class ContextSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Budget of the prompt in tokens, by section. None: the provider's own number; 0: the section is left out."""

    before: Annotated[int | None, _PROMPT] = None
    """Text before the cursor."""
    after: Annotated[int | None, _PROMPT] = None
    """Text after the cursor."""
    snippets: Annotated[int | None, _PROMPT] = None
    """Code of the project that is similar to the code at the cursor."""
    edits: Annotated[int | None, _PROMPT] = None
    """Recent edits elsewhere."""
    opened: Annotated[int | None, _PROMPT] = None
    """Outlines of the other open documents."""
    workspace: bool = True
    """Take snippets also from files of the workspace that are not open. A replay has no such files."""


class CacheSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How answers are reused. When a limit is reached, the least recently used answer is dropped."""

    entries: int = 100
    """The largest number of answers; 0 keeps none."""
    explanations: int = 500
    """The largest number of results for `ghosttape/explain`."""
    max_bytes: int = 16 << 20
    """The largest size of the answers, and of the explanations, in bytes."""
    prefix: bool = True
    """Reuse the answer to the same question."""
    typed: bool = True
    """Reuse the rest of an answer whose start was typed since."""
    inflight: bool = True
    """Share the answer of a request that is under way."""

    def __post_init__(self) -> None:
        """Refuse numbers below 0."""
        if min(self.entries, self.explanations, self.max_bytes) < 0:
            raise ValueError("entries, explanations and max_bytes cannot be below 0")


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All settings of the server."""

    provider: ProviderSettings = ProviderSettings()
    repairs: Annotated[tuple[RepairName, ...], Option(is_list=True, panel="Repairs")] = REPAIRS
    """Steps to apply, comma-separated: prose, repeats, indent, brackets, stop; all, or none (default: as ghosttape.toml says, else all)."""
    paper_rules: str = OWN_RULES
    """A benchmark whose rules the repairs follow where they differ from ours."""
    context: ContextSettings = ContextSettings()
    cache: CacheSettings = CacheSettings()


class RecordingSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client's request to record its session. It is not part of `Settings`, so that a file in a workspace can never start a recording."""

    folder: str
    """Where the tape is written: an absolute path, or one that begins with `~/`."""
    tells_shown: bool = False
    """The client says which completions it shows, by `textDocument/didShowCompletion` with the document. Else each answer to the current text counts as shown."""

    def __post_init__(self) -> None:
        """Refuse a folder that depends on the server's working directory."""
        if not Path(self.folder).expanduser().is_absolute():
            raise ValueError(f"record.folder {self.folder!r} must be an absolute path, or begin with ~/")


def split_recording(options: Any) -> tuple[Any, RecordingSettings | None]:
    """Split `initializationOptions` into settings and the request to record the session (`{"record": {"folder": DIR}}`).

    Raises:
        SettingsError: the request is malformed, or its folder is relative.

    """
    return split_request(options, "record", RecordingSettings)


def split_request(options: Any, key: str, kind: type[_T]) -> tuple[Any, _T | None]:
    """Split `initializationOptions` into settings and a member that is none of them.

    Raises:
        SettingsError: the member is malformed.

    """
    if not isinstance(options, Mapping) or options.get(key) is None:
        return _without(options, key), None
    try:
        return _without(options, key), msgspec.convert(options[key], kind)
    except msgspec.ValidationError as error:
        raise SettingsError(f"settings: {error} - at `$.{key}`") from error


def _without(options: Any, key: str) -> Any:
    return {name: value for name, value in options.items() if name != key} if isinstance(options, Mapping) else options


def merge(base: Settings, options: Any) -> Settings:
    """Lay `options` (JSON values; None for nothing) over `base`, key by key. This is the one place where JSON becomes settings.

    `merge(Settings(), {"provider": {"seed": 4}})` has the seed 4, and all else as in `Settings()`. Options that change the provider to
    `gguf` and name no model mean the bundled model, because the model of another provider is not a GGUF file.

    Raises:
        SettingsError: an unknown key, or a value of the wrong kind; the message names the place.

    """
    if options is None:
        return base
    if not isinstance(options, Mapping):
        raise SettingsError(f"settings must be a JSON object, not {type(options).__name__}")
    try:
        made = msgspec.convert(overlay(msgspec.to_builtins(base), options), Settings)
    except msgspec.ValidationError as error:
        raise SettingsError(f"settings: {explain_error(error)}") from error
    _check_repairs(made.repairs)
    _check_name(made.paper_rules, known_rules(made.paper_rules), "paper_rules")
    _check_name(made.provider.chat, known_chats(made.provider.chat), "provider.chat")
    changes_to_gguf = made.provider.name == "gguf" != base.provider.name
    if not changes_to_gguf or "model" in options["provider"]:
        return made
    return msgspec.structs.replace(made, provider=msgspec.structs.replace(made.provider, model=""))


def known_repairs(named: Iterable[RepairName] = ()) -> tuple[RepairName, ...]:
    """The names of all steps in the order in which they run: the built-in ones, then those of other packages.

    If all `named` ones are built in, the packages are not asked.
    """
    return REPAIRS if set(named) <= set(REPAIRS) and named else tuple(dict.fromkeys((*REPAIRS, *extensions("repairs"))))


def known_rules(named: str = "") -> tuple[str, ...]:
    """The names of all rules by which answers are read. If `named` is ours, the packages are not asked."""
    return (OWN_RULES,) if named == OWN_RULES else (OWN_RULES, *extensions("rules"))


def known_chats(named: str = "") -> tuple[str, ...]:
    """The names of all words of a chat. If `named` is ours, the packages are not asked."""
    return (OWN_CHAT,) if named == OWN_CHAT else (OWN_CHAT, *extensions("chats"))


def _check_repairs(named: Sequence[RepairName]) -> None:
    for index, name in enumerate(named):
        _check_name(name, known_repairs(named), f"repairs[{index}]")


def _check_name(name: str, known: Sequence[str], place: str) -> None:
    if name not in known:
        near = did_you_mean(name, known)
        raise SettingsError(
            f"settings: Invalid enum value {name!r} - at `$.{place}`{near}: choose one of {', '.join(known)}"
        )


def to_options(settings: Settings) -> dict[str, Any]:
    """All settings as JSON values, for a server's `initializationOptions`; `merge` of them over any base gives `settings` again."""
    options: dict[str, Any] = msgspec.to_builtins(settings)
    return options


def explain_error(error: msgspec.ValidationError, tree: Any = Settings) -> str:
    """The text of an error in a value of the type `tree`, with the nearest known name, and the names that are allowed.

    ``Object contains unknown field `nme` - at `$.provider` (did you mean 'name'?)``
    """
    text = str(error)
    place = _PLACE.search(text)
    kind = _kind_at(tree, re.findall(r"\.(\w+)", place[1] if place else ""))
    if key := _UNKNOWN_KEY.search(text):
        return text + did_you_mean(key[1], _keys(kind))
    names = [*_names(kind)]
    value = _UNKNOWN_VALUE.match(text)
    if value is None or not names:
        return text
    return f"{text}{did_you_mean(value[1], names)}: choose one of {', '.join(names)}"


def _kind_at(tree: Any, path: Iterable[str]) -> Any:
    """The type of the value at a path of member names; None where the path leaves what has types."""
    for name in path:
        struct = _struct(tree)
        tree = get_type_hints(struct).get(name) if struct else None
    return tree


def _keys(kind: Any) -> tuple[str, ...]:
    """The names of a struct's members."""
    struct = _struct(kind)
    return tuple(field.encode_name for field in msgspec.structs.fields(struct)) if struct else ()


def _struct(kind: Any) -> type[msgspec.Struct] | None:
    """The struct that a type is, or that an optional type may be."""
    return next(
        (each for each in (kind, *get_args(kind)) if isinstance(each, type) and issubclass(each, msgspec.Struct)), None
    )


def _names(kind: Any) -> Iterator[str]:
    """The names in a Literal, which may be nested in another type."""
    for part in get_args(kind):
        yield from [part] * bool(part) if isinstance(part, str) else _names(part)


def parse(text: str) -> Settings:
    """Read settings from JSON.

    Raises:
        SettingsError: the text is not JSON, or `merge` refuses it.

    """
    try:
        return merge(Settings(), msgspec.json.decode(text))
    except msgspec.DecodeError as error:
        raise SettingsError(f"settings are not JSON: {error}") from error


def overlay(base: Any, options: Any) -> Any:
    """Lay one tree of JSON values over another, key by key: `{"a": {"x": 1, "y": 3}}` of `{"a": {"x": 1, "y": 2}}` and `{"a": {"y": 3}}`."""
    if not (isinstance(base, Mapping) and isinstance(options, Mapping)):
        return options
    return {**base, **{key: overlay(base.get(key), value) for key, value in options.items()}}
