"""A container that says there was no room is believed where nobody has any."""

from contextlib import nullcontext

import pytest

from runners.errors import SandboxFailed
from runners.limits import disk
from runners.protocol import Job, Limits


@pytest.mark.parametrize(("left", "believed"), [(1 << 30, False), (8 << 20, True)])
async def test_a_container_is_believed_by_the_room_of_nobody(left, believed, docker, tmp_path, monkeypatch):
    (project := tmp_path / "project").mkdir()
    monkeypatch.setattr(disk, "free_bytes", lambda *_, reserved=True: 1 << 40 if reserved else left)
    run = docker.run(Job(project, "echo ENOSPC; exit 1", limits=Limits(wall_s=20.0)))
    with pytest.raises(SandboxFailed, match="8 MiB left") if believed else nullcontext():
        assert (await run).exit == 1
