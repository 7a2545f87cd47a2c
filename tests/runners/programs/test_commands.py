"""Commands with files of this machine beside them, in each sandbox."""

import asyncio

import pytest

from runners.errors import SandboxFailed
from runners.programs import Command, cold
from runners.protocol import Completed, Mount
from runners.sandboxes import make
from tests.support.fakes.sandbox import FakeSandbox


async def ended(place, cache, command, timeout_s=20.0):
    programs = await cold(place, cache, lambda _: None)
    try:
        return await programs.execute(command, timeout_s=timeout_s)
    finally:
        await programs.close()


async def finds_what_lies_beside_it(place, cache, tmp_path):
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(name)
    mounts = tuple(Mount(tmp_path / name, f"/beside/{name}") for name in ("one.txt", "two.txt"))
    line = 'IFS=:; for file in $BESIDE; do ln -s "$file" .; done; unset IFS; exec python show.py'
    show = "import os, sys\nprint(sorted(os.listdir()), open('one.txt').read() + open('two.txt').read())\nsys.exit(3)"
    env = {"BESIDE": "/beside/one.txt:/beside/two.txt"}
    done = await ended(place, cache, Command("python", line, {"show.py": show}, mounts=mounts, env=env))
    assert done.stdout == "['one.txt', 'show.py', 'two.txt'] one.txttwo.txt\n"
    assert (done.exit, done.limit) == (3, "")


async def test_a_command_finds_its_files_and_single_files_beside_them_by_its_variables(sandbox, cache, tmp_path):
    await finds_what_lies_beside_it(sandbox, cache, tmp_path)


async def test_it_finds_them_without_a_sandbox_too(cache, tmp_path):
    await finds_what_lies_beside_it(make("none"), cache, tmp_path)


async def test_a_command_is_stopped_after_its_time(sandbox, cache):
    done = await ended(sandbox, cache, Command("python", "sleep 60", {}), timeout_s=0.5)
    assert done.limit == "wall"


async def test_a_failure_of_the_machine_is_tried_once_more_in_a_fresh_folder(cache):
    folders = []

    def fails(job, times):
        folders.append(job.project)
        if len(folders) <= times:
            raise SandboxFailed("lost")
        return Completed(0, None, "", "", 1.0)

    command = Command("python", "true", {})
    assert (await ended(FakeSandbox(lambda job: fails(job, 1)), cache, command)).exit == 0
    assert len(set(folders)) == 2
    folders.clear()
    with pytest.raises(SandboxFailed, match="lost"):
        await ended(FakeSandbox(lambda job: fails(job, 2)), cache, command)
    assert not any(await asyncio.gather(*(asyncio.to_thread(folder.exists) for folder in folders)))
