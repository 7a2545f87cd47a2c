"""The VS Code extension has the policies and the providers of this checkout."""

import json

import jsonschema
import pytest

from replay.play.policies.policy import policy_names, policy_of
from server.api_keys import NAMES
from server.providers.registry import PROVIDERS
from server.settings import ProviderSettings
from tools.vscode import providers, shared_files
from tools.vscode.providers import schema

MANIFEST = json.loads((shared_files.FOLDER / "package.json").read_text())
SETTINGS = MANIFEST["contributes"]["configuration"]["properties"]
SHARED = json.loads((shared_files.FOLDER / "src/providers/providers.json").read_text())


def test_the_extensions_files_are_those_of_this_checkout():
    made = dict(shared_files.files())
    assert len(made) == 7
    assert [path.name for path, text in made.items() if path.read_text(encoding="utf-8") != text] == [], (
        "run: make vscode"
    )


def test_each_policy_that_asks_after_changes_is_in_the_extension_with_its_numbers():
    shared = json.loads((shared_files.FOLDER / "src/typing/policies/policies.json").read_text())
    written = shared["policies"]
    assert set(shared["only_replayed"]) == {"recorded", "blocks", "edits"}
    assert set(written) == {*policy_names()} - {"recorded", "blocks", "edits"}
    for name, numbers in written.items():
        policy = policy_of(name)
        for key in (
            "debounce",
            "throttle",
            "hold",
            "min_prompt",
            "cancels",
            "lets_finish",
            "pending",
            "line_start",
            "moves",
            "follows",
            "extends",
            "cached",
            "seen",
            "patience",
        ):
            assert numbers[key] == getattr(policy, key), (name, key)
    assert written["cody"]["right"] == r"^\W*$"


def test_every_provider_that_offers_text_at_the_cursor_can_be_chosen():
    assert set(SHARED["providers"]) == {*PROVIDERS} - {"oracle", "repeat-edit"}
    assert {name: tuple(variables) for name, variables in SHARED["keys"].items()} == dict(NAMES)


def test_every_member_of_the_settings_is_offered_but_what_belongs_to_runs():
    offered = SETTINGS["ghosttape.provider"]["properties"]
    assert set(ProviderSettings.__struct_fields__) - set(offered) == {"record", "follow", "use_key"}
    assert set(offered) <= set(ProviderSettings.__struct_fields__)
    assert all(part.get("description") or part.get("enumDescriptions") for part in offered.values())


@pytest.fixture(scope="module")
def valid():
    validator = jsonschema.Draft7Validator(schema())
    return validator.is_valid


@pytest.mark.parametrize(
    "provider",
    [
        {},
        {"name": "gguf"},
        {"name": "openai", "base_url": "http://127.0.0.1:8000/v1", "model": "m", "api": "suffix"},
        {"name": "ollama", "model": "m", "options": {"num_ctx": 8192}},
        {"name": "anthropic", "model": "m", "prefill": True},
        {"name": "lsp", "command": ["server", "--stdio"], "start_s": 3},
        {"name": "lsp", "command": "server --stdio", "connect_s": 3},
        {"first_s": None, "heal": None},
    ],
)
def test_the_schema_takes_what_the_server_takes(valid, provider):
    assert valid(provider)


@pytest.mark.parametrize(
    "provider",
    [
        {"name": "gpt"},
        {"name": "oracle"},
        {"nme": "gguf"},
        {"api_key": "s"},
        {"name": "gguf", "base_url": "http://127.0.0.1"},
        {"name": "anthropic", "threads": 2},
        {"name": "ngram", "command": "x"},
        {"max_tokens": 0},
        {"timeout_s": 0},
        {"temperature": -1},
        {"base_url": "http://user:key@127.0.0.1"},
        {"base_url": "http://127.0.0.1/?key=s"},
        {"api": "telepathy"},
        {"seed": "one"},
    ],
)
def test_the_schema_refuses_what_the_server_refuses_or_does_not_read(valid, provider):
    assert not valid(provider)


def test_readers_of_a_setting_are_declared_or_stand_before_the_colons_of_its_documentation():
    found = {each["if"]["properties"]["name"]["const"]: set(each["then"]["properties"]) for each in schema()["allOf"]}
    assert "model" in found["lsp"]
    assert "model" not in found["gguf"] | found["openai"]
    assert "options" in found["openai"]
    assert "options" not in found["ollama"] | found["lsp"]
    assert not any("temperature" in unread for unread in found.values())
    assert set(found) <= set(providers.provider_names())
