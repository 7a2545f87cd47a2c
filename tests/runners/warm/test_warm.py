"""The pool, its recycling, and what becomes of a verdict when workers or machine fail."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from runners.errors import SandboxFailed
from runners.limits.cgroups import Cgroup
from runners.processes import leftovers
from runners.programs import Program
from runners.project import ProjectPlan
from runners.protocol import Completed, Job, Limits
from runners.sandboxes import AUTO
from runners.sandboxes.containers.open_container import OpenContainer
from runners.sandboxes.docker import Docker
from runners.sandboxes.none import NoSandbox
from runners.warm import warm
from runners.warm.inside import INSIDE
from runners.warm.inside.supervisor import COMMAND
from runners.warm.supervised import SupervisedSandbox
from runners.warm.warm_programs import SUPERVISOR
from runners.warm.worker import RunRequest, Worker
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.places import ROOT

TIMEOUT_S = 60.0


class Broken:
    """A sandbox that can stay open, but cannot be made afresh."""

    name = "broken"

    def __init__(self, sandbox):
        self.open, self.fault = sandbox.open, sandbox.fault
        self.tries = 0

    async def run(self, job):
        self.tries += 1
        raise SandboxFailed("there is no more room on this machine")


@pytest.fixture
async def started(cache):
    """A function that gives warm workers, ended with the test."""
    all_of_them = []

    async def start(sandbox, workers=1):
        all_of_them.append(await warm(sandbox, cache, lambda _: None, workers=workers))
        return all_of_them[-1]

    yield start
    for one in all_of_them:
        await one.close()


def workers(programs):
    return [one for _, one in programs.pool._idle]


def kill(open_sandbox):
    """Kill everything in a sandbox, as an administrator would."""
    if isinstance(open_sandbox, OpenContainer):
        with open_sandbox.container.engine.client() as client:
            client.kill(open_sandbox.container.name)
    else:
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(open_sandbox.process.pid, signal.SIGKILL)


async def killed_in_mid_run(programs):
    """Run a program, and kill its worker (and all others) once it is under way."""
    await programs.run(Program("python", ""), timeout_s=TIMEOUT_S)
    victims = workers(programs)
    slow = Program("python", "import time\nopen('begun', 'w').close()\ntime.sleep(3)\nprint('done')")
    run = asyncio.ensure_future(programs.run(slow, timeout_s=TIMEOUT_S))
    while not (victims[0].session.project / "begun").exists():
        await asyncio.sleep(0.01)
    for worker in victims:
        kill(worker.session.open_sandbox)
    return await run


async def test_a_killed_worker_costs_its_program_nothing_but_time(started, sandbox):
    programs = await started(sandbox)
    result = await killed_in_mid_run(programs)
    assert (result.verdict_class, result.log) == ("passed", "done")
    assert workers(programs) == []


async def test_a_killed_worker_on_a_broken_machine_is_infrastructure_after_one_retry(started, bubblewrap):
    broken = Broken(bubblewrap)
    result = await killed_in_mid_run(await started(broken))
    assert result.verdict_class == "infrastructure"
    assert "no more room" in result.message
    assert broken.tries == 2


async def test_workers_are_used_again_and_renewed_after_many_programs(started, bubblewrap):
    programs = await started(bubblewrap)
    for _ in range(2):
        assert (await programs.run(Program("python", "print(1)"), timeout_s=TIMEOUT_S)).verdict_class == "passed"
    (worker,) = workers(programs)
    assert worker.runs == 2
    worker.runs = 10_000
    assert not worker.fit


async def test_a_timeout_ends_the_worker_and_is_the_programs_own(started, sandbox):
    programs = await started(sandbox)
    await programs.run(Program("python", ""), timeout_s=TIMEOUT_S)
    result = await programs.run(Program("python", "print('before', flush=True)\nwhile True: pass"), timeout_s=2.0)
    assert (result.verdict_class, result.log) == ("timeout", "before")
    assert workers(programs) == []


async def test_cancelling_ends_the_worker(started, sandbox):
    programs = await started(sandbox)
    await programs.run(Program("python", ""), timeout_s=TIMEOUT_S)
    (worker,) = workers(programs)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(programs.run(Program("python", "while True: pass"), timeout_s=TIMEOUT_S), 1.0)
    assert workers(programs) == []
    assert await worker.session.open_sandbox.end()
    assert not worker.folder.exists()


@pytest.mark.parametrize("sandbox", AUTO, indirect=True)
async def test_what_waits_for_a_child_that_ran_out_of_memory_is_not_called_late(started, sandbox):
    programs = await started(sandbox)
    job = await programs._job(ProjectPlan("python"), SUPERVISOR)
    worker = await Worker.open(sandbox, replace(job, limits=Limits(memory_mb=64)))
    hog = "(head -c 500000000 /dev/zero | tail >/dev/null); sleep 600"
    try:
        done = [await worker.run(RunRequest({}, {COMMAND: command}, Limits(wall_s=4.0))) for command in ("true", hog)]
    finally:
        await worker.close()
    assert [one and one.exit for one in done] == [0, None]
    assert done[1] is None  # a fresh sandbox decides
    assert not worker.fit


HOST = """
import asyncio, sys; from pathlib import Path
from runners.programs import Program; from runners.sandboxes import make; from runners.warm import warm
async def main(name, cache, word):
    programs = await warm(make(name), Path(cache), lambda _: None, workers=1)
    text = f"import subprocess\\nsubprocess.run(['sh', '-c', 'while :; do sleep 1; done', '{word[::-1]}'])"
    await programs.run(Program("python", text), timeout_s=600.0)
asyncio.run(main(*sys.argv[1:]))
"""


async def test_when_its_host_is_killed_everything_in_a_worker_ends(sandbox, cache, alive, tmp_path):
    word = f"word-{tmp_path.name}-{os.getpid()}"
    host = subprocess.Popen([sys.executable, "-c", HOST, sandbox.name, cache, word[::-1]], cwd=ROOT)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            while not alive(word):
                await asyncio.sleep(0.05)
            host.kill()
            while alive(word):
                await asyncio.sleep(0.05)
    finally:
        host.kill()
        host.wait()


class Group:
    """A control group that says when it is removed."""

    def __init__(self):
        self.removed = threading.Event()

    def join(self, argv):
        return argv

    def processor_s(self):
        return 0.0

    def exceeded(self):
        return ""

    def remove(self):
        self.removed.set()


async def test_cancelling_what_ends_a_worker_leaves_no_control_group(started, bubblewrap, monkeypatch):
    group, waiting, may_go_on = Group(), asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(Cgroup, "create", lambda limits: group)

    async def gone(_):
        waiting.set()
        await may_go_on.wait()

    programs = await started(bubblewrap)
    await programs.run(Program("python", ""), timeout_s=TIMEOUT_S)
    (worker,) = workers(programs)
    monkeypatch.setattr(leftovers, "wait_until_dead", gone)
    end = asyncio.ensure_future(worker.session.open_sandbox.end())
    await waiting.wait()
    end.cancel()
    with pytest.raises(asyncio.CancelledError):
        await end
    may_go_on.set()
    assert await asyncio.to_thread(group.removed.wait, TIMEOUT_S)


async def test_a_worker_that_cannot_be_started_leaves_no_control_group_and_no_handle(bubblewrap, monkeypatch, tmp_path):
    group = Group()
    monkeypatch.setattr(Cgroup, "create", lambda limits: group)
    group.join = lambda argv: [str(tmp_path / "nothing")]
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(FileNotFoundError):
        await SupervisedSandbox.open(bubblewrap, Job(tmp_path, "true"))
    assert group.removed.is_set()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


async def test_a_run_that_is_cancelled_twice_leaves_no_control_group(bubblewrap, monkeypatch, tmp_path):
    group, busy = Group(), threading.Event()
    monkeypatch.setattr("runners.processes.launch.Cgroup.create", lambda limits: group)
    monkeypatch.setattr("runners.processes.launch.disk.wait_until_too_large", lambda *_: asyncio.Event().wait())
    run = asyncio.ensure_future(bubblewrap.run(Job(tmp_path, "touch begun; sleep 60")))
    while not (tmp_path / "begun").exists():
        await asyncio.sleep(0.01)
    threads = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(threads)
    threads.submit(busy.wait)
    run.cancel()
    while threads._work_queue.empty():  # until the removal waits for its turn
        await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    busy.set()
    assert await asyncio.to_thread(group.removed.wait, TIMEOUT_S)


@pytest.mark.parametrize(
    ("sandbox", "why"),
    [(NoSandbox(), "cannot stay open"), (Docker(image="any"), "an image need not have what a worker is made of")],
)
async def test_it_is_said_why_there_are_no_warm_workers(sandbox, why, tmp_path):
    told = []
    await (await warm(sandbox, tmp_path, told.append, workers=1)).close()
    assert [why in text and text.startswith(sandbox.name) for text in told] == [True]


async def test_a_worker_that_does_not_begin_is_told_of_once(bubblewrap, cache):
    class Closed(type(bubblewrap)):
        async def open(self, job, streams, handles=()):
            raise SandboxFailed("not today")

    told = []
    programs = await warm(Closed(), cache, told.append, workers=1)
    for _ in range(2):
        assert (await programs.run(Program("python", "print(1)"), timeout_s=TIMEOUT_S)).verdict_class == "passed"
    await programs.close()
    assert [text for text in told if "not today" in text] == [told[-1]]


async def test_a_sandbox_that_cannot_stay_open_runs_each_program_afresh(started):
    fake = FakeSandbox(
        lambda job: Completed(0, None, "", f"\n{(job.project / '.witness').read_text().strip()} end\n", 1.0)
    )
    programs = await started(fake)
    assert (await programs.run(Program("cpp", "int main() { }"), timeout_s=TIMEOUT_S)).wall_ms == 1.0
    assert len(fake.jobs) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nprint('tempfile' in sys.modules)",
        "from sys import modules\nprint('tempfile' in modules)",
        "from sys import *\nprint('tempfile' in globals()['mod' + 'ules'])",
        "import sys as s\nprint('tempfile' in getattr(s, 'modules'))",
        "from gc import get_objects\nprint(len(get_objects()) == 0)",
        "from os import fork, kill\nprint(fork is kill)",
        "import importlib.util\nprint(importlib.util.find_spec('tempfile') is None)",
    ],
)
async def test_a_program_that_asks_what_is_imported_or_sends_signals_gets_a_fresh_interpreter(
    text, started, bubblewrap
):
    programs = await started(bubblewrap)
    result = await programs.run(Program("python", text), timeout_s=TIMEOUT_S)
    assert (result.verdict_class, result.log) == ("passed", "False")
    assert workers(programs) == []


async def test_a_program_finds_no_class_of_the_program_before_it(started, bubblewrap, need):
    need("javac")
    programs = await started(bubblewrap)
    main = "public class Main {{\n  public static void main(String[] a) throws Exception {{ {} }}\n}}\n"
    first = Program("java", main.format("new Helper();") + "class Helper { }\n")
    compiled = Program("java", main.format("new Helper();"))
    loaded = Program("java", main.format('Class.forName("Helper");'))
    got = [await programs.run(program, timeout_s=TIMEOUT_S) for program in (first, compiled, loaded)]
    assert [result.verdict_class for result in got] == ["passed", "undefined-name", "exception"]


async def test_a_compiler_is_renewed_when_it_has_gone(started, bubblewrap, need):
    need("javac")
    programs = await started(bubblewrap)
    program = Program("java", "public class Main {\n  public static void main(String[] a) { }\n}\n")
    for _ in range(3):
        assert (await programs.run(program, timeout_s=TIMEOUT_S)).verdict_class == "passed"
        for one in workers(programs):
            if hasattr(one, "open_sandbox"):
                kill(one.open_sandbox)


def test_the_supervisor_refuses_to_rule_over_the_hosts_processes():
    here = Path("/proc/self/ns/pid").readlink()
    supervisor = [sys.executable, "-I", "-S", str(INSIDE.source / "supervisor.py")]
    done = subprocess.run(
        supervisor, env={"GHOSTTAPE_CONTROL": f"0:{here}"}, capture_output=True, check=False, text=True
    )
    assert done.returncode == 1
    assert "host's own process namespace" in done.stderr
