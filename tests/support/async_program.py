"""The program in a process that is awaited, beside a server in this one."""

import asyncio

from tests.support.places import SCRIPT


def run_in(folder):
    """What runs ghosttape in a folder, and returns what it wrote to standard output and standard error."""

    async def run(*words, status=0):
        process = await asyncio.create_subprocess_exec(
            SCRIPT, *words, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = (text.decode() for text in await process.communicate())
        assert process.returncode == status, (out, err)
        return out, err

    return run
