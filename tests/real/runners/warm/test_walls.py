"""Programs in a warm worker can do nothing to the programs after them, nor say themselves how they ended."""

import pytest

from runners.programs import Program, cold
from runners.warm import warm
from runners.warm.warm_programs import Warm

TIMEOUT_S = 60.0
BYSTANDER = Program(
    "python",
    """
import ctypes, glob, os, platform, resource, socket, sys
assert os.listdir("/tmp") == os.listdir("/dev/shm") == [], "something lies there"
assert [os.path.splitext(name)[0] for name in os.listdir("/project")] == ["program"], os.listdir("/project")
others = [p for p in glob.glob("/proc/[0-9]*") if int(p[6:]) not in (1, os.getpid())]
assert others == [], others
for table in ("shm", "sem", "msg"):
    assert len(open(f"/proc/sysvipc/{table}").readlines()) == 1, table
socket.create_server(("127.0.0.1", 8080), reuse_port=False).close()
assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 100 and len(os.sched_getaffinity(0)) > 0
assert os.get_blocking(0) and os.umask(0) == 0o022 and os.getpriority(os.PRIO_PROCESS, 0) == 0
streams = {os.readlink(f"/proc/self/fd/{number}").split(":")[0] for number in range(10) if os.path.exists(f"/proc/self/fd/{number}")}
assert streams == {"/dev/null", "pipe"}, streams
ioprio = ctypes.CDLL(None).syscall({"x86_64": 252, "aarch64": 31}[platform.machine()], 1, 0)
assert ioprio >> 13 in (0, 2), ioprio
open("mine", "w").close()
print("undisturbed")
""",
)
"""Passes where nothing is left of the program before it."""

_EVERY_WAY_OUT = """
import ctypes, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
forged = json.dumps({"status": 0, "traces": ""}).encode()
for number in range(3, 4096):
    try: os.write(number, forged)
    except OSError: pass
for path in ("/proc/1/fd", "/proc/1/mem", "/proc/1/environ", "/proc/1/root", "/proc/1/task/1/mem"):
    try:
        if os.path.isdir(path):
            for name in os.listdir(path):
                os.write(os.open(f"{path}/{name}", os.O_RDWR), forged)
        else: open(path, "rb").read(1)
    except OSError: continue
    print("open:", path)
PTRACE_SEIZE, PIDFD_OPEN, PIDFD_GETFD = 0x4206, 434, 438
assert libc.ptrace(PTRACE_SEIZE, 1, 0, 0) == -1
pidfd = libc.syscall(PIDFD_OPEN, 1, 0)
assert all(libc.syscall(PIDFD_GETFD, pidfd, number, 0) == -1 for number in range(20))
raise SystemExit(1)
"""
_LISTENS = """
import socket
server = socket.socket()
server.bind(("127.0.0.1", 8080)); server.listen()
client = socket.create_connection(("127.0.0.1", 8080)); peer, _ = server.accept()
peer.close(); client.close()  # who closes first leaves the port in TIME_WAIT
"""
_DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open("/project/late", "a").write("x"); open("/tmp/late", "a").write("x"); time.sleep(0.01)
    os._exit(0)
print("gone")
"""
_LEFTOVERS = """
import os
for folder in ("/tmp", "/dev/shm", "/project"):
    os.makedirs(f"{folder}/a/b"); open(f"{folder}/a/b/c", "w").write("x")
    os.symlink("/proc/1", f"{folder}/link"); os.mkfifo(f"{folder}/pipe")
os.symlink("/etc/passwd", "program.py.new"); os.rename("program.py.new", "program.py")
"""
_DEEP = """
import os
for _ in range(3000):
    os.mkdir("d"); os.chdir("d")
"""
_SLOWS_DISK = """
import ctypes, platform
numbers = {"x86_64": (251, 314), "aarch64": (30, 274)}[platform.machine()]
libc, idle = ctypes.CDLL(None), 3 << 13
libc.syscall(numbers[0], 1, 1, idle)
libc.syscall(numbers[1], 1, (ctypes.c_uint32 * 14)(56, 3), 0)
"""
HOSTILE = {
    "kills process 1": "import os\nfor number in (9, 15, 19): getattr(os, 'ki' + 'll')(1, number)\nprint('still here')",
    "kills all": "import os, signal\nos.kill(-1, 9)",
    "interrupts process 1": "import os, signal, time\ngetattr(os, 'ki' + 'll')(1, signal.SIGINT)\ntime.sleep(0.2)",
    "kills its group": "import os, signal\nsignal.signal(15, signal.SIG_IGN)\nos.killpg(0, 15)",
    "leaves a daemon": _DAEMON,
    "leaves files": _LEFTOVERS,
    "leaves folders that nobody may enter": "import os\nos.makedirs('a/b')\nos.makedirs('/tmp/a/b')\nos.chmod('/tmp/a', 0)\nos.chmod('a', 0)",
    "closes the door": "import os\nfor folder in ('/tmp', '/dev/shm', '/project'): os.chmod(folder, 0)",
    "leaves shared memory": "import ctypes\nassert ctypes.CDLL(None).shmget(7, 4096, 0o1666) >= 0",
    "leaves a port waiting": _LISTENS,
    "changes the limits of process 1": "import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (20, 20))",
    "slows process 1": "import os\nos.setpriority(os.PRIO_PROCESS, 1, 19)\nos.sched_setaffinity(1, {0})",
    "slows the disk of process 1": _SLOWS_DISK,
    "makes its input non-blocking": "import os\nos.set_blocking(0, False)\nos.umask(0o777)",
    "fills the memory": "x = []\nwhile True: x.append(bytearray(1 << 24))",
    "leaves while threads run": "import os, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nos._exit(3)",
}
# Warm workers have no shell beside the program, and do not let it open what process 1 has open.
_FIRST, _KILLS = "tries every way out", "kills process 1"
UNEQUAL = {
    _FIRST: _EVERY_WAY_OUT,
    "leaves folders too deep to name": _DEEP,
    "kills all, and hides that": "import os\ngetattr(os, 'ki' + 'll')(-1, 9)",
    "kills its group, and hides that": "import os, signal\nsignal.signal(15, signal.SIG_IGN)\ngetattr(os, 'kil' + 'lpg')(0, 15)",
}


CORE = ("interrupts process 1", "leaves a daemon", "leaves files", "closes the door", "changes the limits of process 1")
"""Those that every sandbox is shown with; the others depend on nothing that differs between them."""
WALLS = [
    *(("bubblewrap", name) for name in HOSTILE),
    *((sandbox, name) for sandbox in ("unshare", "docker") for name in CORE),
]


@pytest.fixture
async def both(sandbox, cache):
    """What runs programs warm, on one worker, and what runs them cold."""
    made = await warm(sandbox, cache, lambda _: None, workers=1), await cold(sandbox, cache, lambda _: None)
    assert isinstance(made[0], Warm)
    yield made
    for one in made:
        await one.close()


@pytest.mark.parametrize(("sandbox", "name"), WALLS, indirect=["sandbox"])
async def test_the_next_program_finds_nothing_of_a_hostile_one(both, name):
    warmly, coldly = both
    hostile = Program("python", HOSTILE[name])
    got = [await warmly.run(program, timeout_s=TIMEOUT_S) for program in (BYSTANDER, hostile, BYSTANDER)]
    expected = await coldly.run(hostile, timeout_s=TIMEOUT_S)
    assert [result.verdict_class for result in got] == ["passed", expected.verdict_class, "passed"], got
    assert got[1].message == expected.message


@pytest.mark.parametrize(
    ("sandbox", "name"),
    [*(("bubblewrap", name) for name in UNEQUAL), ("unshare", _FIRST), ("docker", _FIRST), ("docker", _KILLS)],
    indirect=["sandbox"],
)
async def test_what_a_fresh_sandbox_shows_and_a_warm_one_hides_does_no_harm_either(both, name):
    warmly, _ = both
    hostile = {**HOSTILE, **UNEQUAL}[name]  # in containers, unlike here, a fresh one's process 1 passes signals on
    got = [await warmly.run(Program("python", text), timeout_s=TIMEOUT_S) for text in (hostile, BYSTANDER.text)]
    assert "open:" not in got[0].log
    assert name != _FIRST or got[0].verdict_class != "passed"
    assert got[1].verdict_class == "passed", got
