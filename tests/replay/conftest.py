import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests here can share tapes.py and recorded.py


@pytest.fixture(scope="session")
def recording_file(shared):
    """A function from the name of a real recording to its file."""
    return (shared / "recordings").joinpath
