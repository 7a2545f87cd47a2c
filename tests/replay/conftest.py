import pytest


@pytest.fixture(scope="session")
def recording_file(shared):
    """A function from the name of a real recording to its file."""
    return (shared / "recordings").joinpath
