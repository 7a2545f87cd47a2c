"""The providers of the server for the VS Code extension: the schema of its setting `ghosttape.provider`, and the names of keys."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import msgspec

from server import settings
from server.api_keys import NAMES, VARIABLES
from server.option import declarations
from server.providers.registry import PROVIDERS
from server.settings import REPAIRS, ProviderSettings
from tools.vscode.policies import live_policies

_NOT_SET_HERE = ("record", "follow", "use_key")
"""Members that belong to runs, and the one that the extension decides."""
_ONLY_THE_PERSON = ("command", "options", "folder", "pass_keys", "record")
"""What a workspace must not say: what is run, and with which keys."""
_LIMITS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "max_tokens": {"minimum": 1},
        "threads": {"minimum": 1},
        "tries": {"minimum": 1},
        "temperature": {"minimum": 0},
        "longest_wait_s": {"minimum": 0},
        "timeout_s": {"exclusiveMinimum": 0},
        "connect_s": {"exclusiveMinimum": 0},
        "first_s": {"exclusiveMinimum": 0},
        "start_s": {"exclusiveMinimum": 0},
        "pass_keys": {"items": {"enum": list(VARIABLES)}},
        "base_url": {"pattern": "^(https?://[^@?#]+)?$"},
    }
)
_READERS = re.compile(r"(?:^|\. )([a-z]+(?:, [a-z]+)*): ")


def provider_names() -> tuple[str, ...]:
    """The providers that an editor can use."""
    return tuple(name for name, entry in PROVIDERS.items() if entry.is_for_editors)


def tables() -> str:
    """The text of `providers.json`: providers, members of the setting, variables of keys, repairs."""
    keys = {name: list(variables) for name, variables in NAMES.items()}
    shared = {
        "providers": {name: PROVIDERS[name].about for name in provider_names()},
        "members": list(_members()),
        "onlyThePerson": [name for name in _ONLY_THE_PERSON if name in _members()],
        "keys": keys,
        "repairs": list(REPAIRS),
    }
    return json.dumps(shared, indent=2, ensure_ascii=False) + "\n"


def with_schema(manifest: str) -> str:
    """The text of a `package.json` with the schema of the provider, the repairs and the policies in it."""
    tree = json.loads(manifest)
    found = tree["contributes"]["configuration"]["properties"]
    found["ghosttape.provider"].update(schema())
    found["ghosttape.repairs"]["items"] = {"enum": list(REPAIRS)}
    found["ghosttape.policy"]["examples"] = [*live_policies(), "pause:250"]
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """The JSON Schema of the provider's settings, with what each provider does not read refused beside its name."""
    return {
        "additionalProperties": False,
        "properties": _members(),
        "allOf": [_refusals(name) for name in provider_names() if _unread(name)],
        "defaultSnippets": [
            {"label": name, "description": entry.about, "body": {"name": name, **entry.example}}
            for name, entry in PROVIDERS.items()
            if entry.is_for_editors
        ],
    }


def _members() -> dict[str, dict[str, Any]]:
    """The schema of each member of the setting, by name."""
    published = msgspec.json.schema(ProviderSettings)["$defs"]["ProviderSettings"]["properties"]
    kept = {name: part for name, part in published.items() if name not in _NOT_SET_HERE}
    return {name: _member(name, part) for name, part in kept.items()}


def _member(name: str, part: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: value for key, value in part.items() if key != "default"}
    if "anyOf" in made and {"type": "null"} in made["anyOf"]:
        made = {"type": [each["type"] for each in made["anyOf"]]}
    if name == "name":
        made |= {
            "enum": list(provider_names()),
            "enumDescriptions": [PROVIDERS[each].about for each in provider_names()],
        }
    description = {} if name == "name" else {"description": _documented()[name]}
    return {**made, **_LIMITS.get(name, {}), **description}


def _unread(provider: str) -> list[str]:
    """The members that only other providers read."""
    members = _members()
    declared = declarations(ProviderSettings)
    readers = {
        name: (declared[name].read_by if name in declared else set()) or _readers(text)
        for name, text in _documented().items()
        if name in members
    }
    return [name for name, named in readers.items() if named and provider not in named]


def _readers(text: str) -> set[str]:
    """The providers that a documentation names as the readers: those before the colons that begin it, or begin a sentence behind those.

    `_readers("gguf: a file. openai, ollama: a name") == {"gguf", "openai", "ollama"}`
    """
    return {name for found in _READERS.findall(text) for name in found.split(", ")} if _READERS.match(text) else set()


def _refusals(provider: str) -> dict[str, Any]:
    return {
        "if": {"properties": {"name": {"const": provider}}, "required": ["name"]},
        "then": {"properties": dict.fromkeys(_unread(provider), False)},
    }


@cache
def _documented() -> Mapping[str, str]:
    """What `ProviderSettings` says of each of its fields, on one line and as plain text."""
    tree = ast.parse(inspect.getsource(settings))
    struct = next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == ProviderSettings.__name__
    )
    texts = {}
    for field, text in pairwise(struct.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            texts[field.target.id] = " ".join(ast.literal_eval(text.value).replace("`", "").split())
    return MappingProxyType(texts)
