"""Whole replays, as the tests of the engine see them."""

import json

import pytest

from replay.editor.command import server_command
from replay.run.store import Store
from tests.support.replays import FIXED, options_of, run


@pytest.fixture
def replay(tmp_path):
    """A function that replays tapes: the summary, what was heard, and the records in the store."""

    async def replay(*tapes, server=server_command, folder="run", adherence=None, **options):
        heard = []
        known = {"settings": FIXED, "latency": "fixed:0", "tests": False, "sandbox": "none"}
        chosen = options_of(**{**known, **options})
        known = {"cache": tmp_path / "cache", "server": server, "adherence": adherence}
        summary = await run(tapes, tmp_path / folder, chosen, heard, **known)
        with Store.open(tmp_path / folder) as store:
            assert store.fact("summary") == json.loads(json.dumps(summary))
            return summary, heard, list(store.records())

    return replay
