"""What the sandbox adds to a command."""

import asyncio
import subprocess

import pytest

from runners.protocol import Job
from runners.sandboxes import fault, make


@pytest.fixture
def bubblewrap(need):
    need("bwrap")


def test_a_command_in_the_sandbox_against_the_bare_command(bubblewrap, measure, tmp_path):
    assert not fault("bubblewrap")
    sandbox = make("bubblewrap")
    with asyncio.Runner() as runner:
        done = measure(
            lambda: runner.run(sandbox.run(Job(tmp_path, "true"))),
            lambda: subprocess.run(["sh", "-c", "true"], check=True, capture_output=True),
        )
    assert (done.exit, done.limit) == (0, "")
