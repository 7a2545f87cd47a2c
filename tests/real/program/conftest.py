"""The program as a person starts it: the console script, in a process and a folder of its own."""

from contextlib import suppress

import pytest
from pytest_lsp import LanguageClient

from tests.support.language_server import model_server  # noqa: F401
from tests.support.recorded_editor import Editor


@pytest.fixture
async def start(tmp_path):
    """Start a recorded editor with a server of its own in the folder `work`."""
    root = tmp_path / "work"
    root.mkdir()
    editors = []

    async def begin(*words, **rest):
        editors.append(Editor(LanguageClient(), root))
        return await editors[-1].start(*words, **rest)

    yield begin
    for editor in editors:
        with suppress(ProcessLookupError):  # it has ended, and nobody was told yet
            editor.kill()
        await editor.client.stop()


@pytest.fixture
def into(tmp_path):
    return tmp_path / "recordings"
