"""Export of the tape of a recording of 92 minutes."""

import json

from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes import tape as tapes
from tests.support.exported_recordings import again, strict
from tests.support.recording_names import LONG


def test_a_recording_comes_back_entry_for_entry(recording_file, tmp_path):
    path = recording_file(LONG)
    original, exported = json.loads(path.read_bytes()), json.loads(again(path.read_bytes(), tmp_path))
    assert len(exported["log"]) == len(original["log"])
    assert all(strict(one) == strict(other) for one, other in zip(exported["log"], original["log"], strict=True))
    assert strict(exported) == strict(original)


def test_most_entries_of_the_long_recording_are_told_by_events(recording_file, tmp_path):
    path = recording_file(LONG)
    imported = import_recording(path)
    tapes.write(imported.tape, tmp_path / "one.tape.jsonl")
    assert imported.carried < 0.24 * 14341
    assert (tmp_path / "one.tape.jsonl").stat().st_size < path.stat().st_size
