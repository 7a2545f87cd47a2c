"""All real recordings at once."""

from replay.importers.import_batch import import_many
from tests.support.recorded_logs import counted


def test_all_recordings_make_sixteen_tapes(recordings, tmp_path):
    report = import_many(recordings, tmp_path)
    assert (report.tapes, report.changes, report.checkpoints) == (16, 3526, 8) == (16, *counted(recordings))
    assert len(list(tmp_path.iterdir())) == 16
