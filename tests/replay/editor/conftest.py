"""An editor's session with a server of the standard library."""

import asyncio

import pytest

from tests.support.editor_session import Session
from tests.support.waiting import PATIENCE_S


@pytest.fixture
async def session(tmp_path):
    session = Session(tmp_path / "log")
    yield session
    async with asyncio.timeout(PATIENCE_S):
        await session.editor.close()
