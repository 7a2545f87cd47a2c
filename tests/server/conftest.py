"""A server in a process of its own, as an editor starts it, but forked from one that has loaded everything; and a model server behind it."""

import pytest

from tests.support.language_server import model_server, starting  # noqa: F401
from tests.support.preloaded import preloaded_script
from tests.support.virtual_time import skipping_time, virtual_time  # noqa: F401


@pytest.fixture
async def start():
    async with starting(preloaded_script()) as begin:
        yield begin
