"""Another language server as the system under test: `--provider lsp --server COMMAND`, all the way through."""

import json
import shlex

import pytest

from replay.run.store import Store
from server.providers.language_server.fake_server import PlainServer
from server.providers.language_server.plain_server import CAPABILITIES
from tests.support.places import LEDGER, SCRIPT

OURS = shlex.join([SCRIPT, "serve", "--provider", "ngram", "--settings", '{"cache": {"entries": 0}}'])
FAST = ["--latency", "fixed:80", "--no-tests"]
COPILOT = {"result": {"capabilities": CAPABILITIES, "serverInfo": {"name": "GitHub Copilot Language Server"}}}


def _suggestions(folder):
    with Store.open(folder) as store:
        records = sorted(store.records(), key=lambda record: record.moment.id)
    return [
        (record.moment.id, suggestion.text, suggestion.start, suggestion.end)
        for record in records
        if (suggestion := record.suggestion) is not None
    ]


def test_our_own_server_behind_the_provider_suggests_what_it_suggests_when_asked_directly(ghosttape, tmp_path):
    words = ["replay", "demo", *FAST, "--limit", "8"]
    ghosttape(*words, "--provider", "ngram", "--out", tmp_path / "directly")
    ghosttape(*words, "--provider", "lsp", "--server", OURS, "--out", tmp_path / "through")
    directly, through = _suggestions(tmp_path / "directly"), _suggestions(tmp_path / "through")
    assert len(directly) >= 14
    assert sum(bool(text) for _, text, *_ in directly) >= 8
    assert through == directly


@pytest.mark.parametrize("mode", ["judge", "drive"])
def test_a_replay_tells_the_server_what_became_of_its_items(ghosttape, tmp_path, mode):
    behind = PlainServer(tmp_path)
    behind.plan({"initialize": COPILOT})
    words = ["--provider", "lsp", "--server", shlex.join(behind.command), "--repairs", "none", "--policy", "every"]
    words += ["--user", "words", "--mode", mode, "--limit", "120", "--out", tmp_path / "run"]
    endings = ghosttape("replay", "demo", *FAST, *words, "--latency", "fixed:0", "--json").json["endings"]
    shown, parts = (
        behind.sent("textDocument/didShowCompletion"),
        behind.sent("textDocument/didPartiallyAcceptCompletion"),
    )
    taken = behind.sent("workspace/executeCommand")
    offered = sum(endings.get(name, 0) for name in ("shown", "accepted", "part", "typed-through", "rejected"))
    assert len(shown) >= offered > 0
    assert len(taken) == endings.get("accepted", 0) > 0
    assert len(parts) == endings.get("part", 0) > 0
    items = [each["item"] for each in shown]
    assert all(item["command"]["command"] == "plain.accepted" for item in items)
    assert all(0 < each["acceptedLength"] < len(each["item"]["insertText"]) for each in parts)
    assert {each["arguments"][0] for each in taken} <= {item["insertText"] for item in items}


def test_the_server_can_be_named_in_the_environment_and_in_the_settings(ghosttape, tmp_path):
    behind = PlainServer(tmp_path)
    words = ["replay", LEDGER, *FAST, "--limit", "1", "--json", "--provider", "lsp"]
    assert ghosttape(*words, env={"GHOSTTAPE_SERVER": shlex.join(behind.command)}).json["moments"] == 1
    settings = json.dumps({"provider": {"command": behind.command, "options": {"telemetry": False}}})
    assert ghosttape(*words, "--settings", settings).json["moments"] == 1
    assert [told["initializationOptions"] for told in behind.sent("initialize")] == [{}, {"telemetry": False}]
