"""Containers of a real engine: what is theirs alone. All that every sandbox must do, the other tests here ask of them too."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from runners.errors import SandboxFailed, SandboxMissing
from runners.programs import Program
from runners.project import ProjectPlan, prepare
from runners.protocol import Job, Limits
from runners.sandboxes import fault, make, pick
from runners.sandboxes.containers.container import OWNER, Container, engine_at
from runners.sandboxes.docker import Docker
from runners.warm import warm
from tests.support.container_engine import DockerDaemon, rootfs
from tests.support.places import ROOT

IMAGE = "tests/small:1"
ORDINARY = 12345
PICK = "from runners.sandboxes import pick; pick('docker')"


class Since:
    """A container engine that does not know the containers that other tests keep."""

    def __init__(self, engine):
        self.engine, self.known = engine, set(engine.containers())

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def containers(self):
        return [name for name in self.engine.containers() if name not in self.known]


@pytest.fixture
def engine(container_engine):
    return Since(container_engine)


@pytest.fixture
def run(docker, tmp_path):
    """Return a function that runs a command in a container, in a project of its own."""
    return runs_in(docker, tmp_path / "project")


def runs_in(sandbox, project):
    project.mkdir(exist_ok=True)

    async def run(command, layer=None, **limits):
        mounts, env = (layer.mounts, layer.env) if layer else ((), {})
        limits = Limits(**{"wall_s": 30.0, **limits})
        return await sandbox.run(Job(project, command, env=env, mounts=mounts, limits=limits))

    return run


@pytest.fixture
def mortal(missing):
    """An engine to be killed."""
    if reason := DockerDaemon.fault():
        missing(reason)
    made = DockerDaemon(tempfile.mkdtemp(prefix="ghosttape-mortal-"))
    try:
        made.start()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def image(container_engine):
    """An image with a shell and a few programs in it, and a volume."""
    changes = ["ENV PATH=/opt/bin:/usr/bin:/bin", "VOLUME /data", 'ENTRYPOINT ["/bin/false"]', "USER root"]
    with container_engine.client() as client:
        client.import_image_from_data(rootfs(), repository=IMAGE.partition(":")[0], tag="1", changes=changes)
    return IMAGE


@pytest.fixture
def word():
    return f"word-{uuid.uuid4().hex}"


@pytest.fixture
def under_way(alive, word):
    """Return a context in which a command runs that does not end by itself."""

    @asynccontextmanager
    async def under_way(run, **limits):
        task = asyncio.ensure_future(run(f"sleep 120 # {word}", **{"wall_s": 100.0, **limits}))
        try:
            await until(lambda: task.done() or alive(word))
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    return under_way


async def until(condition, patience_s=60.0):
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


async def test_nothing_is_left_of_a_run(run, engine):
    done = await run("sleep 60 & echo done")
    assert (done.stdout, done.exit, engine.containers()) == ("done\n", 0, [])


async def test_limits_that_the_kernel_keeps_are_told(run):
    hog, bomb = "head -c 200000000 /dev/zero | tail >/dev/null", "for n in $(seq 40); do sleep 3 & done"
    assert (await run(hog, memory_mb=64)).limit == "memory"
    assert (await run(bomb, processes=16)).limit == "processes"
    assert (await run("while :; do :; done", cpu_s=1.0)).limit == "cpu"
    assert (await run("head -c 3000000 /dev/zero >big", file_mb=2)).limit == "disk"


async def test_processor_time_is_counted_over_all_processes(run):
    done = await run("for n in 1 2 3 4 5 6; do (while :; do :; done) & done; wait", cpu_s=1.0, wall_s=60.0)
    assert done.limit == "cpu"


async def test_what_the_command_writes_last_is_kept_whole_and_nothing_is_added(run):
    done = await run("printf out; printf err >&2; kill -SEGV $$")
    assert (done.stdout, done.stderr, done.signal) == ("out", "err", signal.SIGSEGV)


async def test_a_flood_that_overtakes_the_other_stream_hides_nothing(run, monkeypatch):
    start = Container.start

    def errors_last(self, take):
        late = []

        def sort(stream, data):
            if stream == 2:
                late.append(data)
            else:
                for one in late if stream == 0 else ():
                    take(2, one)
                take(stream, data)

        start(self, sort)

    monkeypatch.setattr(Container, "start", errors_last)
    done = await run("yes", output_bytes=100_000)
    assert (done.limit, len(done.stdout), done.stderr) == ("output", 100_000, "")


async def test_a_command_cannot_take_the_walls_for_its_own_failure(run):
    done = await run("kill -9 -1")
    assert (done.exit, done.signal, done.limit) == (None, signal.SIGKILL, "")


async def test_files_made_in_the_project_can_be_read_and_removed_here(run, tmp_path):
    await run("mkdir -p a/b; echo text >a/b/file; chmod 700 a")
    assert (tmp_path / "project/a/b/file").read_text() == "text\n"


async def test_links_in_the_project_are_not_followed_when_it_is_given_away(run, tmp_path):
    (victim := tmp_path / "victim").write_text("mine")
    owner = victim.stat().st_uid
    (tmp_path / "project" / "link").symlink_to(victim)
    done = await run("ls -l link; cat link")
    assert (victim.stat().st_uid, "mine" in done.stdout) == (owner, False)


async def test_a_proxy_of_the_person_is_not_told(run, tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text('{"proxies": {"default": {"httpProxy": "http://user:secret@proxy.invalid"}}}')
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    assert "secret" not in (await run("env")).stdout


async def test_name_servers_of_the_machine_are_not_told(run):
    assert (await run("cat /etc/resolv.conf; hostname")).stdout == "ghosttape\n"


@pytest.mark.parametrize(
    ("name", "requires", "command"),
    [("python", ("pytest>=8", "iniconfig>=2"), "python -m pytest -q"), ("node", (), "node --test")],
)
async def test_a_project_is_tested_with_its_toolchain(name, requires, command, docker, cache):
    files = {
        "test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
        "m.py": "def f(x):\n    return x + 1\n",
        "m.js": "exports.f = x => x + 1;\n",
        "m.test.js": "require('node:test')('f', () => require('assert').equal(require('./m').f(1), 2));\n",
    }
    project = await prepare(files, ProjectPlan(name, requires, command=command), docker, cache, lambda _: None)
    try:
        changes = ({}, {"m.py": "def f(x):\n    return x\n", "m.js": "exports.f = x => x;\n"})
        results = [await project.run(changed) for changed in changes]
    finally:
        project.close()
    assert next(result.verdict_class for result in results) == "passed"
    assert [(result.passed, result.failed) for result in results] == [(1, 0), (0, 1)]


async def test_a_cancelled_run_removes_its_container(run, engine, under_way, alive, word):
    async with under_way(run) as task:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (engine.containers(), alive(word)) == ([], False)


async def test_a_run_cancelled_while_it_starts_leaves_nothing(run, engine):
    for _ in range(3):
        task = asyncio.ensure_future(run("sleep 60"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert engine.containers() == []


async def test_containers_of_killed_processes_are_removed_by_the_next(docker, engine, tmp_path, alive, word):
    code = (
        "import asyncio, sys; from pathlib import Path; from runners.protocol import Job; from runners.sandboxes import make;"
        "asyncio.run(make('docker').run(Job(Path(sys.argv[1]), 'sleep 60 # ' + sys.argv[2][::-1])))"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path, word[::-1]], cwd=ROOT) as process:
        await until(lambda: alive(word))
        process.kill()
    (left,) = engine.containers()
    subprocess.run([sys.executable, "-c", PICK], cwd=ROOT, check=True)
    assert left not in engine.containers()


async def test_containers_of_living_processes_are_left_alone_by_others(run, engine, under_way):
    async with under_way(run):
        (mine,) = engine.containers()
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", PICK], cwd=ROOT, check=True)
        assert engine.containers() == [mine]


async def test_a_container_says_whose_it_is(run, engine, under_way):
    async with under_way(run):
        with engine.client() as client:
            (labels,) = [one["Labels"] for one in client.containers(all=True)]
    assert labels[OWNER].split(":")[2] == str(os.getpid())


async def test_an_image_is_used_by_name_with_its_own_programs(docker, image, tmp_path):
    run = runs_in(make(f"docker:{image}"), tmp_path / "project")
    done = await run("id -u; ls /usr/bin; echo $PATH; touch /project/made /usr/new")
    uid, *programs, path = done.stdout.split()
    assert (uid, path) == ("65534" if os.getuid() == 0 else str(os.getuid()), "/opt/bin:/usr/bin:/bin")
    assert set(programs) <= {"sh", "cat", "id", "ls", "touch", "env", "head"}
    assert (tmp_path / "project/made").exists()
    assert "/usr/new" in done.stderr


async def test_volumes_of_an_image_are_not_on_the_disk(docker, image, tmp_path):
    done = await runs_in(make(f"docker:{image}"), tmp_path / "project")("cat /proc/mounts")
    assert [line.split()[0] for line in done.stdout.splitlines() if line.split()[1] == "/data"] == ["tmpfs"]


def test_a_missing_image_is_told_with_how_to_get_it_and_not_fetched(docker):
    with pytest.raises(SandboxMissing, match=r"no image 'tests/none:1': get it with `docker pull tests/none:1`"):
        pick("docker:tests/none:1")


def test_it_is_picked_by_name(docker, image):
    fault.cache_clear()
    assert [pick(name).name for name in ("docker", f"docker:{image}")] == ["docker", f"docker:{image}"]
    with pytest.raises(SandboxMissing, match="there is no sandbox 'bubblewrap:image'"):
        pick("bubblewrap:image")


def test_without_an_engine_it_says_what_to_do(monkeypatch, tmp_path):
    fault.cache_clear()
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(SandboxMissing, match=r"docker: the container engine at .*/none cannot be reached: start it"):
        pick("docker")


@pytest.fixture
def ordinary(missing):
    """Become a user without rights for the test, in a folder of that user's own."""
    if os.geteuid() != 0:
        missing("only root can become somebody else")
    with tempfile.TemporaryDirectory(prefix="ghosttape-") as folder:
        os.chown(folder, ORDINARY, ORDINARY)
        os.setegid(ORDINARY)
        os.seteuid(ORDINARY)
        yield Path(folder)
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def open_engine(engine):
    """An engine that everybody may use."""
    socket = engine.folder / "sock"
    modes = socket.stat().st_mode, engine.folder.stat().st_mode
    engine.folder.chmod(0o755)
    socket.chmod(0o666)
    yield engine
    socket.chmod(modes[0])
    engine.folder.chmod(modes[1])


async def test_an_ordinary_users_files_stay_that_users(open_engine, docker, ordinary):
    done = await runs_in(docker, ordinary / "project")("id -u; grep CapEff /proc/self/status; echo text >made")
    assert done.stdout.split() == [str(ORDINARY), "CapEff:", "0" * 16]
    assert (ordinary / "project" / "made").stat().st_uid == ORDINARY


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_an_engine_lost_in_mid_run_is_the_machines_fault_and_what_was_left_is_removed(
    how, mortal, tmp_path, under_way
):
    run = runs_in(Docker(address=mortal.address), tmp_path / "project")
    async with under_way(run) as task:
        await asyncio.to_thread(mortal.end, how)
        with pytest.raises(SandboxFailed, match="cannot be reached"):
            await asyncio.wait_for(task, 60)
    mortal.revive()
    assert ((await run("echo back")).stdout, mortal.containers()) == ("back\n", [])


async def test_an_engine_that_is_not_for_everyone_says_whom_to_become(engine, ordinary):
    denied = Docker(address=f"unix://{engine.folder}/./sock")  # one that nobody here has met
    with pytest.raises(SandboxMissing, match="become a member of the group docker"):
        await runs_in(denied, ordinary / "project")("true")


async def test_a_verdict_without_an_engine_is_infrastructure(mortal, cache):
    sandbox = Docker(address=mortal.address)
    project = await prepare({}, ProjectPlan("system", command="true"), sandbox, cache, lambda _: None)
    try:
        assert (await project.run({})).verdict_class == "passed"
        await asyncio.to_thread(mortal.end)
        assert (await project.run({})).verdict_class == "infrastructure"
    finally:
        project.close()


async def test_a_warm_worker_that_no_engine_ends_is_infrastructure_and_is_removed_later(mortal, cache, tmp_path):
    sandbox = Docker(address=mortal.address)
    programs = await warm(sandbox, cache, lambda _: None, workers=1)
    try:
        assert (await programs.run(Program("python", ""), timeout_s=60.0)).verdict_class == "passed"
        await asyncio.to_thread(mortal.end)
        assert (
            await programs.run(Program("python", "while True: pass"), timeout_s=1.0)
        ).verdict_class == "infrastructure"
    finally:
        await programs.close()
    mortal.revive()
    assert ((await runs_in(sandbox, tmp_path / "project")("echo back")).stdout, mortal.containers()) == ("back\n", [])


async def test_an_engine_that_does_not_answer_does_not_hold_the_run(mortal, tmp_path, under_way, monkeypatch):
    run = runs_in(Docker(address=mortal.address), tmp_path / "project")
    async with under_way(run) as task:
        # The command is seen before the call that starts it is answered, which would wait for the time it began with.
        await until(mortal.runs)
        os.kill(daemon := mortal.daemon, signal.SIGSTOP)
        monkeypatch.setattr(engine_at(mortal.address), "timeout_s", 1.0)
        try:
            with pytest.raises(SandboxFailed, match=r"gave no answer|does not say"):
                await asyncio.wait_for(task, 60)
        finally:
            os.kill(daemon, signal.SIGCONT)
    monkeypatch.undo()
    assert ((await run("echo back")).stdout, mortal.containers()) == ("back\n", [])
