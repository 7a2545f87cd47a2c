"""That a replay shows no model what lies on the person's disk, where the finished project may be."""

import json
import sys

import pytest

from tests.support.places import ROOT
from tests.support.replays import options_of, run
from tests.support.tapes import Typist

SERVER = str(ROOT / "tests/support/stdio_server.py")


@pytest.mark.parametrize("policy", ["blocks", "vscode"])
async def test_a_replay_says_so_to_its_server_whatever_the_settings_say(tmp_path, policy):
    log = tmp_path / "log"
    options = options_of(
        settings={"context": {"workspace": True, "snippets": 50}, "provider": {"name": "fixed"}},
        policy=policy,
        tests=False,
        seed=7,
    )
    server = lambda: [sys.executable, SERVER, "{}", str(log)]  # noqa: E731
    await run([Typist().tape()], tmp_path / "run", options, cache=tmp_path / "cache", server=server)
    first = json.loads(log.read_text().splitlines()[0])
    settings = first["params"]["initializationOptions"]
    assert settings["context"]["workspace"] is False
    assert settings["context"]["snippets"] == 50
    assert settings["provider"]["seed"] == 7
    assert settings["cache"]["entries"] == (100 if policy == "vscode" else 0)
