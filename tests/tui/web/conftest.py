"""A run that is served to a browser."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests here can share served.py
from served import serving


@pytest.fixture
async def served(folder):
    async with serving(folder) as found:
        yield found
