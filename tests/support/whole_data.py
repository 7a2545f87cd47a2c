"""Fixtures of the data beside the checkout, for tests of the whole of it: `tests/real` and `tests/performance`."""

import pytest

from replay.importers.workspace_recording.recording_import import import_recording
from tests.support.places import SHARED
from tests.support.recording_names import LONG

LACKING = "the folder ../shared/data is not beside this checkout"


@pytest.fixture(scope="session")
def shared():
    """The folder of all shared data: real recordings and benchmarks. It is no tool: a run of CI may lack it too."""
    if not SHARED.is_dir():
        pytest.skip(LACKING)
    return SHARED


@pytest.fixture(scope="session")
def long_session(shared, once):
    """The tape of the recording of 92 minutes; importing it takes seconds."""
    return once("long-session", lambda: import_recording(shared / "recordings" / LONG).tape)
