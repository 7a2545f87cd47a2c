"""Many tapes exported at once: all or nothing."""

import pytest

from replay.exporters import export_batch
from replay.exporters.errors import ExportRefusedError
from replay.exporters.export_batch import export_many
from replay.tapes import tape as tapes
from tests.support.tapes import Typist


def test_an_export_whose_last_file_cannot_take_its_place_leaves_everything_as_it_was(tmp_path, monkeypatch):
    paths = [tmp_path / f"{name}.tape.jsonl" for name in "ab"]
    for path in paths:
        tapes.write(Typist().tape(), path)
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.recording.w.json").write_text("old", encoding="utf-8")

    def place(files):
        *others, (_, last) = files.items()
        real(dict(others) | {tmp_path / "gone": last})  # the last one has vanished from the workshop

    real = export_batch.place
    monkeypatch.setattr(export_batch, "place", place)
    with pytest.raises(ExportRefusedError, match="cannot be written there"):
        export_many(paths, out, force=True)
    assert [(path.name, path.read_text(encoding="utf-8")) for path in out.iterdir()] == [("a.recording.w.json", "old")]
