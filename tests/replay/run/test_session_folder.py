"""What a session of the engine leaves on the disk."""

from replay.options import ReplayOptions
from replay.run.engine import Engine
from replay.run.events import Asked
from replay.run.sources.tape_source import TapeSource
from replay.run.summary import summarise_replay
from runners.temporary import temporary_folder
from server.settings import ProviderSettings, Settings
from tests.support.tapes import Typist


async def test_the_answers_lie_where_a_killed_run_leaves_nothing_for_long(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen = set()

    def listen(event):
        """Look at the folder while a question is asked, and tidy up as the next run does: not what is in use."""
        if isinstance(event, Asked):
            temporary_folder().close()
            seen.update(tmp_path.glob("ghosttape-project-*/answers.jsonl"))

    options = ReplayOptions(settings=Settings(provider=ProviderSettings(name="oracle")), tests=False, latency="fixed:0")
    tape = Typist(name="small").type("def f(x):\n    return x + 1\n").tape()
    engine = Engine(options, listen, summarise_replay, cache=tmp_path / "cache")
    await engine.run([TapeSource(tape, options)], tmp_path / "run")
    assert [path.name for path in seen] == ["answers.jsonl"]
    assert list(tmp_path.glob("ghosttape-*")) == []
