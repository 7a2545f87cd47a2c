"""What runs programs, and a copy of the published data where one is named."""

import os
from pathlib import Path

import pytest
import pytest_asyncio

from runners.programs import cold
from runners.sandboxes import pick


@pytest.fixture(scope="session")
def copy():
    """The folder of a copy of SimCopilot's repository: its data may not be bundled, and no test fetches it."""
    named = os.environ.get("GHOSTTAPE_SIMCOPILOT")
    if not named:
        pytest.skip("GHOSTTAPE_SIMCOPILOT names no copy of SimCopilot's repository")
    return Path(named)


@pytest_asyncio.fixture
async def programs(cache):
    """What runs programs in fresh sandboxes."""
    made = await cold(pick(), cache, lambda _: None)
    yield made
    await made.close()
