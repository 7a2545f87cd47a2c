"""A worker whose sandbox is killed while it begins."""

import time

import pytest

from runners.errors import SandboxFailed
from runners.processes.open_sandbox import OpenProcessSandbox
from runners.protocol import Job
from runners.warm.supervised import SupervisedSandbox


class KilledWhileItBegins:
    """A sandbox whose outermost process is killed when the inner one is there already, which keeps all open files."""

    def fault(self):
        return ""

    async def open(self, job, streams, handles=()):
        return await OpenProcessSandbox.open(
            job, lambda argv, _: ["sh", "-c", "sleep 20 & kill -9 $$"], streams, handles
        )


async def test_a_worker_whose_sandbox_was_killed_while_it_began_is_given_up_at_once(tmp_path):
    began = time.monotonic()
    with pytest.raises(SandboxFailed, match="a warm worker did not begin"):
        await SupervisedSandbox.open(KilledWhileItBegins(), Job(tmp_path, "true"))
    assert time.monotonic() - began < 15
