"""A run that is served to a browser."""

import pytest

from tests.support.served_run import serving


@pytest.fixture
async def served(folder):
    async with serving(folder) as found:
        yield found
