"""Run by someone who is not root and may not make control groups, the sandboxes hold what they can, and say what they cannot."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.kept import PLACE as KEPT_PLACE
from tests.support.places import ROOT
from tests.support.second_tries import LEFT_OUT

USER = 12345 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""Limits of processes are those of a user: tests that run at the same time have users of their own."""
CORE = ["fork_bomb", "memory_bomb", "busy_thread", "outliving_child", "read_home", "write_outside"]
CORE += ["network", "set_id_files", "locked_folders", "rare_calls", "locked_filler", "unlinked_files"]
LIMITS = "from runners.limits.enforcement import enforced_limits; print(*(k.limit for k in enforced_limits() if not k.ok), sep=', ')"


@pytest.fixture
def as_user(missing):
    """Return a function that runs Python as another user, who sees it and this checkout where they are."""
    if os.geteuid() != 0:
        pytest.skip("not root: the other tests of this folder already run as an ordinary user")
    for tool in ("unshare", "setpriv"):
        if shutil.which(tool) is None:
            missing(f"{tool} is not on PATH")
    with tempfile.TemporaryDirectory(prefix="ghosttape-user-") as home:
        shutil.chown(home, USER, USER)

        def run(*words):
            user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all"]
            kept = [
                f"--unset={LEFT_OUT}",
                f"{KEPT_PLACE}={home}/kept",
            ]  # what this run of the tests keeps is not that user's
            python = ["env", *kept, f"HOME={home}", f"TMPDIR={home}", sys.executable, "-B", *words]
            script = "\n".join(
                ["set -e", *_opened(sys.base_prefix, sys.prefix, ROOT), f"cd {shlex.quote(str(ROOT))}", 'exec "$@"']
            )
            command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *user, *python]
            return subprocess.run(command, capture_output=True, text=True, check=False)

        yield run


def _opened(*paths):
    """Yield shell commands that show folders to everyone although one above them is closed, in a private mount space."""
    closed = {}
    for path in map(Path, paths):
        above = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if above:
            closed.setdefault(above[0], []).append(path)
    yield "hold=$(mktemp -d) && mount -t tmpfs -o mode=700 none $hold"
    names = {path: f"$hold/{number}" for number, path in enumerate(path for paths in closed.values() for path in paths)}
    for path, name in names.items():
        yield f"mkdir {name} && mount --bind {shlex.quote(str(path))} {name}"
    for folder, inside in closed.items():
        yield f"mount -t tmpfs -o mode=755 none {shlex.quote(str(folder))}"
        for path in inside:
            yield f"mkdir -p {shlex.quote(str(path))} && mount --bind {names[path]} {shlex.quote(str(path))}"
    yield "umount -l $hold && rmdir $hold"


def test_hostile_programs_are_held(as_user):
    names = " or ".join(CORE)
    chosen = f"(is_held and ({names}) and (bubblewrap or unshare)) or (would_do and locked_folders)"
    test = str(Path(__file__).with_name("test_hostile_programs.py"))
    done = as_user("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, test)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert f"{2 * len(CORE) + 1} passed" in done.stdout, done.stdout


def test_it_is_said_which_limits_cannot_be_kept(as_user):
    done = as_user("-c", LIMITS)
    assert (done.stdout, done.stderr) == ("memory, processor time\n", "")


AT_THE_LIMIT = """
import asyncio, resource, sys, tempfile
from pathlib import Path
from runners.errors import MachineFails
from runners.project import ProjectPlan, prepare
from runners.sandboxes import make
from runners.verdicts import RetryPolicy

async def main():
    tries = []
    project = await prepare({}, ProjectPlan("system", command="true"), make(sys.argv[1]), Path(tempfile.mkdtemp()), print)
    assert (await project.run({})).verdict_class == "passed"
    used = len(list(Path("/proc/self/task").iterdir()))
    resource.setrlimit(resource.RLIMIT_NPROC, (used + int(sys.argv[2]),) * 2)

    async def run():
        tries.append("try")
        return await project.run({})

    try:
        print((await RetryPolicy().result(run)).message)
    except MachineFails as error:
        print(len(tries), error)
    finally:
        project.close()

asyncio.run(main())
"""


@pytest.mark.parametrize("spare", [0, 1, 2])
@pytest.mark.parametrize("sandbox", ["bubblewrap", "unshare"])
def test_where_no_process_can_be_started_the_first_try_says_which_limit_it_is(as_user, sandbox, spare):
    done = as_user("-c", AT_THE_LIMIT, sandbox, str(spare))
    assert done.stdout.startswith("1 no process could be started to run tests: this user may have "), done
    assert "raise that limit (ulimit -u)" in done.stdout
