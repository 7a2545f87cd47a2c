"""What comes back of a recording that becomes a tape and is exported again."""

import json

from replay.exporters.workspace_recording import recording_of
from replay.importers.workspace_recording.recording_import import import_recording
from replay.tapes import tape as tapes


def strict(value):
    """A form in which 1 and 1.0 differ, and the order of members does not matter."""
    return json.dumps(value, sort_keys=True)


def again(content, folder):
    """What becomes of a recording (bytes) that is imported, kept on disk as a tape, and exported."""
    path = folder / "one.recording.w.json"
    path.write_bytes(content)
    tapes.write(import_recording(path).tape, folder / "one.tape.jsonl")
    exported = recording_of(tapes.read(folder / "one.tape.jsonl"))
    assert exported.dropped == 0
    return exported.encode()
