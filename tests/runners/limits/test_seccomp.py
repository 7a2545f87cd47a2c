"""The filter of calls to the kernel: it is made, it is installed, and where it cannot be that is said."""

import shutil

import pytest

from runners.limits import enforcement, seccomp
from runners.limits.cgroups import Cgroup


def test_there_is_a_filter():
    assert (seccomp.fault(), len(seccomp.program()) % 8, len(seccomp.program()) > 800) == ("", 0, True)


def test_no_call_is_spoken_of_twice_in_the_same_words():
    rules = seccomp.rules()
    assert len(set(rules)) == len(rules)


def test_every_rule_is_for_a_call_that_some_processor_has():
    number = seccomp._library().seccomp_syscall_resolve_name_arch
    for rule in seccomp.rules():
        known = [number(architecture, rule.call.encode()) for architecture in (0xC000003E, 0x40000003)]  # AMD64, i386
        assert rule.number or any(number != -1 for number in known), rule.call


async def test_commands_run_under_it(run):
    done = await run("grep Seccomp: /proc/self/status")
    assert done.stdout.split() == ["Seccomp:", "2"]


async def test_without_the_library_commands_still_run_and_it_is_said(run, sandbox, monkeypatch):
    if sandbox.name == "docker":
        pytest.skip("a container engine brings a filter of its own")
    monkeypatch.setattr(seccomp, "_library", lambda: "no libseccomp: install it")
    seccomp.program.cache_clear()
    done = await run("grep Seccomp: /proc/self/status; umount /tmp 2>&1 || echo refused")
    seccomp.program.cache_clear()
    assert (done.stdout.split()[:2], done.stdout.split()[-1]) == (["Seccomp:", "0"], "refused")
    assert {
        kept.how for kept in enforcement.enforced_limits() if kept.limit == "calls to the kernel" and not kept.ok
    } == {"not filtered: no libseccomp: install it"}


def test_what_only_control_groups_can_keep_is_said(monkeypatch):
    monkeypatch.setattr(Cgroup, "create", lambda limits: None)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert {kept.limit for kept in enforcement.enforced_limits() if not kept.ok} == {
        "memory",
        "processes",
        "processor time",
    }
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert {kept.limit for kept in enforcement.enforced_limits() if not kept.ok} == {"memory", "processor time"}


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        (
            "node -e \"require('fs').writeFileSync('/tmp/x', 'y'); new (require('worker_threads').Worker)('', {eval: true})\"",
            "node",
        ),
        ("printf 'int main(){throw 1;}' >/tmp/a.cpp && g++ -o /tmp/a /tmp/a.cpp && ! /tmp/a", "g++"),
        ("printf 'class A{public static void main(String[] a){}}' >/tmp/A.java && java /tmp/A.java", "java"),
        (
            "tar -cf /tmp/a.tar -C /usr/share/misc . && mkdir /tmp/b && tar -xpf /tmp/a.tar -C /tmp/b && chmod 1777 /tmp/b",
            "tar",
        ),
    ],
)
async def test_what_test_runs_need_is_allowed(command, tool, bubblewrap, tmp_path, missing):
    from runners.protocol import Job

    if not shutil.which(tool, path="/usr/bin"):
        missing(f"{tool} is not in /usr/bin")
    done = await bubblewrap.run(Job(tmp_path, command))
    assert (done.exit, done.limit) == (0, ""), done


SETS = """
import errno, fcntl, os, sys
for folder in ("/project", "/tmp", "/dev/shm"):
    handle = os.open(folder, os.O_RDONLY)
    for request in map(int, sys.argv[1:]):
        for wider in (request, request | 1 << 40):  # the kernel takes 32 bits
            try: fcntl.ioctl(handle, request, bytes(64)); print(folder, hex(request), "done")
            except OSError as error: error.errno == errno.ENOTTY or print(folder, hex(request), error)
            except OverflowError: pass
print("tried")
"""


async def test_what_would_stay_with_a_folder_that_stays_is_refused(run):
    words = " ".join(map(str, seccomp._INODE_FLAGS))
    done = await run(f"python3 -c '{SETS}' {words}".replace('"', '\\"').replace("'", '"'))
    assert done.stdout == "tried\n", done
