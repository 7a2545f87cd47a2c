"""What code in a sandbox can see and reach: nothing of this machine that is anyone's."""

import socket
from pathlib import Path

import pytest

from runners.protocol import ENVIRONMENT, Job, Mount
from tests.support.places import ROOT

CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port}), 2)"


async def test_loopback_of_the_host_cannot_be_reached(run, python):
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = await run(f'python -c "{CONNECT.format(port=server.getsockname()[1])}"', python)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "ConnectionRefusedError" in done.stderr


async def test_loopback_of_its_own_works(run, python):
    code = "import socket; s = socket.create_server(('localhost', 0)); socket.create_connection(s.getsockname(), 2)"
    assert (await run(f'python -c "{code}"', python)).exit == 0


async def test_no_network_device_but_loopback(run):
    done = await run("cat /proc/net/dev")
    assert [line.split(":")[0].strip() for line in done.stdout.splitlines()[2:]] == ["lo"]


async def test_home_and_other_folders_do_not_exist(run, tmp_path):
    (tmp_path / "id_ed25519").write_text("PRIVATE KEY")
    done = await run(f"cat {tmp_path}/id_ed25519; ls -A {Path.home()} /home /var /srv /mnt; cat /etc/shadow; ls /")
    assert "PRIVATE KEY" not in done.stdout
    assert set(done.stdout.split()) <= {
        "bin",
        "dev",
        "etc",
        "lib",
        "lib32",
        "lib64",
        "libx32",
        "proc",
        "project",
        "sbin",
        "sys",
        "tmp",
        "usr",
    }


async def test_environment_is_the_same_everywhere_and_holds_no_secret(run, monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_API_KEY", "very-secret")
    done = await run("cat /proc/*/environ | tr '\\0' '\\n'; env -u PWD -u OLDPWD -u SHLVL -u _")
    assert "very-secret" not in done.stdout
    assert set(done.stdout.splitlines()) >= {f"{name}={value}" for name, value in ENVIRONMENT.items()}


async def test_no_process_tells_where_on_the_host_anything_lies(run, python, tmp_path):
    done = await run(
        "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/cgroup; ls -l /proc/[0-9]*/cwd", python
    )
    shown = [tmp_path, Path.home(), ROOT, *(mount.source for mount in python.mounts)]
    assert [place for place in map(str, shown) if place in done.stdout] == []
    assert "CI=1" in done.stdout  # it was looked at


async def test_mounts_tell_of_no_place_but_those_that_are_shown(sandbox, python, tmp_path):
    (tmp_path / "project").mkdir()
    done = await sandbox.run(Job(tmp_path / "project", "cat /proc/self/mountinfo", mounts=python.mounts))
    shown = [str(place) for place in (tmp_path / "project", *(mount.source for mount in python.mounts))]
    told = [line.split()[3] for line in done.stdout.splitlines()]
    near = [place for place in told if place.startswith((str(tmp_path), str(python.mounts[0].source.parent)))]
    assert set(near) <= set(shown), near


async def test_processes_of_the_host_are_not_seen(run):
    done = await run("cat /proc/[0-9]*/comm")
    assert len(done.stdout.split()) < 8
    assert not any(name.startswith(("python", "pytest")) for name in done.stdout.split())  # which is what we are


async def test_it_is_nobody_without_rights_and_without_a_way_to_new_ones(run):
    done = await run(
        "id -u; grep -E 'CapEff|CapPrm|CapInh|CapAmb|NoNewPrivs' /proc/self/status; unshare --user true || echo refused"
    )
    assert done.stdout.split("\n")[0] == "65534"
    assert [line.split()[-1].strip("0") for line in done.stdout.splitlines()[1:6]] == ["", "", "", "", "1"]
    assert done.stdout.endswith("refused\n")


async def test_settings_of_the_kernel_cannot_be_written_even_when_started_by_root(run):
    # Opened for appending, and nothing appended: harmless if it should succeed.
    done = await run(
        "for file in kernel/core_pattern kernel/hostname vm/overcommit_memory; do : >>/proc/sys/$file; done 2>&1; ls /sys"
    )
    assert done.exit != 0
    done = await run("(: >>/proc/sys/kernel/core_pattern) || (: >>/proc/sys/vm/overcommit_memory) || echo refused")
    assert done.stdout == "refused\n"


async def test_only_the_project_and_temporary_folders_can_be_written(run):
    done = await run(
        "for folder in / /usr /etc /dev /proc /bin /tmp /dev/shm /project; do touch $folder/new 2>/dev/null && echo $folder; done"
    )
    assert done.stdout.split() == ["/tmp", "/dev/shm", "/project"]


async def test_devices_are_the_harmless_ones(run):
    done = await run("ls /dev")
    harmless = {
        "core",
        "fd",
        "full",
        "mqueue",
        "null",
        "ptmx",
        "pts",
        "random",
        "shm",
        "stderr",
        "stdin",
        "stdout",
        "tty",
        "urandom",
        "zero",
        "console",
    }
    assert set(done.stdout.split()) <= harmless


async def test_mounts_are_shown_read_only(sandbox, tmp_path):
    (tmp_path / "layer").mkdir()
    (tmp_path / "layer" / "file").write_text("shown")
    (tmp_path / "project").mkdir()
    job = Job(
        tmp_path / "project", "cat /layer/file; echo x >/layer/file", mounts=(Mount(tmp_path / "layer", "/layer"),)
    )
    done = await sandbox.run(job)
    assert (done.stdout, done.exit != 0, (tmp_path / "layer" / "file").read_text()) == ("shown", True, "shown")
