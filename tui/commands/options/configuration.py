"""What a command runs with: `ghosttape.toml` in the current folder, then the environment and the flags over it.

The folder may be anyone's. So its file cannot make anything run here, be written here, or be sent away: see `docs/providers.md`,
"What a folder's file may say".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from replay.numbers.costs import Price
from replay.options import FolderTests, ReplayOptions, RunOptions
from replay.play.latency import latency_of
from replay.play.policies.policy import policy_of
from replay.play.users.user import user_of
from server.errors import SettingsError
from server.settings import (
    REPAIRS,
    ProviderSettings,
    RepairName,
    Settings,
    explain_error,
    known_repairs,
    merge,
    overlay,
    parse,
)
from tui.declared_flags import Given, flags_of, members_of
from tui.errors import ConfigurationError

FILE = "ghosttape.toml"
_NOT_A_FOLDERS: Mapping[str, str] = {
    "record": "names a file to write: name it with --record-answers",
    "command": "names a program to run: name it with --server",
    "options": "can name a program to run: use --settings",
    "folder": "names where a program runs: use --settings",
    "pass_keys": "gives keys of yours to a program: use --settings",
}
"""What a folder's file may not say of the provider, for the folder may be anyone's."""
_HERE = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(/[\w./~%-]*)?", re.IGNORECASE | re.ASCII)
"""A server on this machine; what is written in any other way is not taken for one, however it may be read elsewhere."""


DEFAULTS = Settings()
Options = TypeVar("Options", bound=RunOptions)


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`ghosttape.toml`: `[server]` holds settings of the language server, `[policies.NAME]` policies of one's own, `[tests]` tests.

    `repository` is what `ghosttape try --save` tried, by its address or path: `[tests]` counts there when it is tried again from the file's folder.
    """

    server: dict[str, Any] = {}
    policies: dict[str, dict[str, Any]] = {}
    tests: FolderTests | None = None
    repository: str = ""
    prices: dict[str, Price] = {}
    """What a million tokens of a model cost (`input`, `output`), by the model's name."""

    def is_of_another(self, folder: Path) -> bool:
        """Whether `try --save` wrote it for another repository than that of a folder: then its tests do not count there."""
        return self.tests is not None and self.repository not in {"", str(folder.resolve())}


def settings_of(
    settings: str,
    flags: Mapping[str, Any],
    folder: Path | None = None,
    *,
    base: Settings = DEFAULTS,
    repairs: str | None = None,
    others: Mapping[str, Any] = MappingProxyType({}),
) -> Settings:
    """The language server's settings: flags of the provider, and of `others` by their table, over `--settings` over the folder's file over `base`; empty flags say nothing.

    A server that only the folder's file names does not get the key of the environment, and must be on this machine.

    Raises:
        SettingsError, ConfigurationError: a file or a flag is malformed, or the folder's file says what it may not.

    """
    from_file = file_of(folder or Path()).server
    given = {key: value for key, value in flags.items() if value not in (None, "", {})}
    steps = {} if repairs is None else {"repairs": repairs_of(repairs)}
    chosen = overlay(_json(settings), {**others, "provider": given, **steps})
    from_folder = _of_folder(base, from_file)
    of_provider, named = from_file.get("provider", {}), chosen["provider"]
    if "base_url" in of_provider and "base_url" not in named:
        named["use_key"] = False
    made = merge(from_folder, chosen)
    _check_folders(of_provider, named, made)
    return _rooted(made)


def model_of(given: Given, settings: str, *, max_tokens: int | None = None) -> ProviderSettings:
    """The model that flags name, for questions of a command.

    Raises:
        SettingsError, ConfigurationError: a file or a flag is malformed, or the folder's file says what it may not.

    """
    return settings_of(settings, {"max_tokens": max_tokens, **members_of(ProviderSettings, given)}).provider


def another_model(
    flag: str, who: str, *, provider: str, model: str, base_url: str, settings: str, max_tokens: int
) -> ProviderSettings | None:
    """A second model, as of a judge (`--judge-provider`): by its own flags and JSON, and nothing that the folder's file or `--settings` say of the first.

    Else it would inherit the server of the first, which would get the key of the second. None: there is none.

    Raises:
        ConfigurationError, SettingsError: flags say something of a model that is not named, or are malformed.

    """
    if provider:
        members = {"name": provider, "model": model, "base_url": base_url, "max_tokens": max_tokens}
        given = {key: value for key, value in members.items() if value}
        return _rooted(merge(DEFAULTS, overlay(_json(settings), {"provider": given}))).provider
    if model or base_url or settings != "{}":
        raise ConfigurationError(
            f"--{flag}-model, --{flag}-base-url and --{flag}-settings are of {who}: name it with --{flag}-provider"
        )
    return None


def _of_folder(base: Settings, server: Mapping[str, Any]) -> Settings:
    """The settings of the folder's file alone over `base`; an error names the file."""
    try:
        return merge(base, server)
    except SettingsError as error:
        raise SettingsError(f"{FILE}, [server]: {str(error).removeprefix('settings: ')}") from error


def _check_folders(of_provider: Mapping[str, Any], named: Mapping[str, Any], made: Settings) -> None:
    """Refuse what a folder's file may not say of the provider; `named` is what the person says, `made` what comes of both.

    Raises:
        ConfigurationError: it says such a thing.

    """
    for name in _NOT_A_FOLDERS:
        if name in of_provider:
            raise ConfigurationError(f"{FILE}: provider.{name} {_NOT_A_FOLDERS[name]}")
    if "base_url" not in named and made.provider.base_url and not _HERE.fullmatch(made.provider.base_url):
        raise ConfigurationError(
            f"{FILE}: provider.base_url is no server on this machine, and your code would be sent there: if that is meant, name it "
            "with --base-url or GHOSTTAPE_BASE_URL"
        )
    if "model" not in named and made.provider.model and made.provider.name == "gguf":
        raise ConfigurationError(
            f"{FILE}: provider.model names a file to load: name it with --model or GHOSTTAPE_MODEL"
        )


def _rooted(settings: Settings) -> Settings:
    """Settings whose files are named from the root: the server that reads them has a working folder of its own."""
    files = ("model", "answers") if settings.provider.name == "gguf" else ("answers",)
    named = {name: getattr(settings.provider, name) for name in files}
    rooted: dict[str, Any] = {name: str(Path(path).absolute()) for name, path in named.items() if path}
    if settings.provider.name == "lsp":
        rooted["folder"] = str(Path(settings.provider.folder).absolute())
    if record := settings.provider.record.path:
        rooted["record"] = {"path": str(Path(record).absolute())}
    return merge(settings, {"provider": rooted})


def _json(settings: str) -> dict[str, Any]:
    """The settings of a flag; what they leave out says nothing."""
    parse(settings)
    values: dict[str, Any] = msgspec.json.decode(settings)
    return values


NO_FILE = File()


def replay_options(settings: Settings, *, over: File = NO_FILE, **rest: Any) -> ReplayOptions:
    """The options of a replay, with the policies and the tests of the folder's file, and those of the file of an experiment `over` them.

    Raises:
        ConfigurationError, ReplayError: a flag is malformed or names something unknown.

    """
    file = file_of(Path())
    policies, tests = {**file.policies, **over.policies}, over.tests or file.tests
    options = options_of(ReplayOptions, settings=settings, policies=policies, project_tests=tests, **rest)
    policy_of(options.policy, options.policies)
    user_of(options.user)
    latency_of(options.latency, options.seed)
    return options


def options_of(kind: type[Options], **values: Any) -> Options:
    """Options of a kind.

    Raises:
        ConfigurationError: a flag is malformed.

    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise ConfigurationError(of_flag(explain_error(error, kind), kind)) from error


def of_flag(said: str, kind: type[RunOptions] = ReplayOptions) -> str:
    """The words of an error about an option, with the flag in place of the member."""
    found = re.fullmatch(r"(.*) - at `\$\.(\w+)`(.*)", said, flags=re.DOTALL)
    if found is None:
        return said
    words = {flag.name: flag.words for flag in flags_of(kind)}
    return f"{words.get(found[2], '--' + found[2].replace('_', '-'))}: {found[1]}{found[3]}"


def repairs_of(text: str) -> tuple[RepairName, ...]:
    """The steps that a flag names, in the order in which they run.

    Raises:
        ConfigurationError: one of them is unknown, there is none, or `all` or `none` is one of several.

    """
    if text in {"all", "none"}:
        return REPAIRS if text == "all" else ()
    chosen = tuple(name.strip() for name in text.split(",") if name.strip())
    known = known_repairs(chosen)
    choices = f"choose one of {', '.join(known)}; or say only all, or only none"
    unknown = [name for name in chosen if name not in known]
    if not chosen:
        raise ConfigurationError(f"no repair is named: {choices}")
    if unknown and unknown[0] in {"all", "none"}:
        raise ConfigurationError(f"{unknown[0]!r} cannot stand beside repairs: {choices}")
    if unknown:
        raise ConfigurationError(f"no repair is called {unknown[0]!r}: {choices}")
    return tuple(name for name in known if name in chosen)


def file_of(folder: Path) -> File:
    """The `ghosttape.toml` of a folder; one that says nothing where there is none.

    Raises:
        ConfigurationError: it is malformed, or a folder.

    """
    path = folder / FILE
    if path.is_dir():
        raise ConfigurationError(f"{path}: it is a folder, and settings of this name are a file: rename it")
    return parsed_file(path.read_bytes(), str(path)) if path.is_file() else File()


def parsed_file(content: bytes, where: str) -> File:
    """The content of a `ghosttape.toml`; `where` names it in errors.

    Raises:
        ConfigurationError: it is malformed.

    """
    try:
        return msgspec.toml.decode(content, type=File)
    except RecursionError as error:
        raise ConfigurationError(f"{where}: nests more deeply than settings do") from error
    except ValueError as error:  # also of a number with too many digits
        raise ConfigurationError(f"{where}: {error}") from error
