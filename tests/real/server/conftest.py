"""A server as an editor starts it: the console script, over standard input and output; and a model server behind it."""

import pytest

from tests.support.language_server import model_server, starting  # noqa: F401
from tests.support.places import SCRIPT


@pytest.fixture
async def start():
    async with starting(SCRIPT) as begin:
        yield begin
