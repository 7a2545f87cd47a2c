"""A run served to a browser by the console script, as a person starts it."""

import asyncio
import os
import signal
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.places import SCRIPT
from tests.support.waiting import PATIENCE_S


@dataclass
class Served:
    """A server that runs: the address that it has printed, and its process."""

    address: str
    process: asyncio.subprocess.Process

    @property
    def port(self):
        return urlsplit(self.address).port

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    def children(self):
        """The ids of the processes that the server has started and that still run."""
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    async def end(self, sign=signal.SIGINT):
        """Send a signal; give the exit status."""
        self.process.send_signal(sign)
        return await asyncio.wait_for(self.process.wait(), PATIENCE_S)


@asynccontextmanager
async def serving(*words, before=()):
    """Start `ghosttape tui --web` with further words, by the command `before`."""
    process = await asyncio.create_subprocess_exec(
        *before,
        SCRIPT,
        "tui",
        "--web",
        *map(str, words),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        line = await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)
        assert line, (await process.stderr.read()).decode()
        yield Served(line.decode().strip(), process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process._transport.close()


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
