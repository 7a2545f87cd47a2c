"""That a replay shows no model what lies on the person's disk, where the finished project may be."""

from __future__ import annotations

from replay.engine import Engine
from replay.options import Options
from replay.policies import policy_of
from replay.store import Store


def _told(tmp_path, policy, **context):
    with Store.create(tmp_path / policy, {}) as store:
        engine = Engine(Options(settings={"context": context}), store, lambda _: None)
        return engine._settings(policy_of(policy, {}), None)["context"]


def test_a_replay_says_so_to_its_server_whatever_the_settings_say(tmp_path):
    for policy in ("blocks", "vscode"):
        assert _told(tmp_path, policy, workspace=True, snippets=50) == {"workspace": False, "snippets": 50}
