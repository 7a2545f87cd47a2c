"""A program that reads, writes and connects where it must not: held by each sandbox. All others are in tests/real."""

import pytest

from runners.sandboxes import AUTO
from tests.support.containment import hold
from tests.support.hostile_programs import PROGRAMS, Program


@pytest.mark.parametrize("name", ["network.py", "write_outside.py", "forged_summary.py"])
@pytest.mark.parametrize("walls", AUTO, indirect=True)
async def test_is_held(name, walls, job, host, cache):
    await hold(Program.read(PROGRAMS / name), walls, job, host, cache)
