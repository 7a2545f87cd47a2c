"""Code under test cannot claim that the machine failed, nor end the run: what it leaves behind is read, and no more than that."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from runners import files
from runners.files import remove_tree
from runners.limits import disk
from runners.project import ProjectPlan, prepare
from runners.protocol import Completed
from runners.sandboxes import AUTO
from runners.verdicts import against_baseline, classify
from tests.support.places import ROOT
from tests.support.scale import sampled

REPORTS = "import os, sys, socket, signal, pathlib\nos.makedirs(at := 'target/surefire-reports')\n"
DOWN = "for _ in range({}):\n    os.mkdir(name := {!r} * {})\n    os.chdir(name)\n"
HONEST = '<testsuite><testcase classname="T" name="a"/></testsuite>'

CLAIMS = {
    "long names in each other": (DOWN.format(30, "n", 200) + "sys.exit(1)", "output"),
    "folders without end": (DOWN.format(1_500, "d", 1) + "sys.exit(1)", "output"),
    "folders without end among the reports": ("os.chdir(at)\n" + DOWN.format(1_500, "d", 1), "output"),
    "reports that may not be searched": (f"open(at + '/TEST-a.xml', 'w').write({HONEST!r}); os.chmod(at, 0o400)", None),
    "a project that is closed": ("os.chmod('.', 0); sys.exit(1)", "failed"),
    "a pipe as report": ("os.mkfifo(at + '/TEST-a.xml')", "failed"),
    "a socket as report": ("socket.socket(socket.AF_UNIX).bind(at + '/TEST-a.xml')", "failed"),
    "a report that is a loop": ("os.symlink('TEST-a.xml', at + '/TEST-a.xml')", "failed"),
    "reports in a loop": ("os.rmdir(at); os.symlink('surefire-reports', at)", "failed"),
    "a folder that is a loop": (
        "os.chdir('..'); os.rename('app', 'x'); os.symlink('app', 'app'); sys.exit(1)",
        "failed",
    ),
    "an unknown encoding": (
        "open(at + '/TEST-a.xml', 'w').write('<?xml version=\"1.0\" encoding=\"x\"?><a/>')",
        "failed",
    ),
    "deep XML": ("open(at + '/TEST-a.xml', 'w').write('<a>' * 200_000 + '</a>' * 200_000)", "failed"),
    "names that are no text": (
        "open(at.encode() + b'/TEST-\\xff.xml', 'w').write('<testsuite/>'); os.mkdir(b'\\xfe\\n')",
        "failed",
    ),
    "no room, it says": ("print('ENOSPC: No space left on device'); sys.exit(1)", "failed"),
    "no command, it says": ("print('sh: mvn: not found', file=sys.stderr); sys.exit(127)", "failed"),
    "no sandbox, it says": ("print('SandboxFailed: bwrap: No such file', file=sys.stderr); sys.exit(1)", "failed"),
    "a huge line": ("print('x' * 3_000_000); sys.exit(1)", "failed"),
    "lines without end": ("print('\\x1b[' * 500_000 + '\\n' * 200_000); sys.exit(1)", "failed"),
    "a signal to itself": ("os.kill(os.getpid(), signal.SIGTERM)", "crashed"),
    "a signal to all": ("os.kill(-1, signal.SIGKILL)", None),
    **{f"status {status}": (f"sys.exit({status})", None) for status in (125, 127, 137)},
}


@pytest.fixture
async def project(sandbox, cache):
    plan = ProjectPlan("python", command="python mvn", cwd="app", timeout_s=60.0)
    made = await prepare({"app/mvn": "", "app/a.txt": ""}, plan, sandbox, cache, lambda _: None)
    yield made
    made.close()
    assert not made.workspace.folder.exists()


@pytest.mark.sampled
@pytest.mark.parametrize("sandbox", AUTO, indirect=True)
@pytest.mark.parametrize("claim", sampled(list(CLAIMS)))
async def test_code_cannot_claim_that_the_machine_failed(claim, project):
    does, verdict_class = CLAIMS[claim]
    ran = await project.run({"app/mvn": REPORTS + does})
    assert ran.wall_ms > 0, ran  # without any it would count as a failure of the machine
    result = against_baseline(ran, classify(Completed(0, None, "", "", 1.0), "true"))
    assert result.verdict_class == verdict_class if verdict_class else result.verdict_class != "infrastructure", result
    assert not list(project.workspace.folder.glob("copy-*"))


@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
async def test_reports_lie_in_the_project_even_if_its_folder_has_become_a_link(project, tmp_path):
    (outside := tmp_path / "target/surefire-reports").mkdir(parents=True)
    (outside / "TEST-a.xml").write_text(HONEST)
    link = f"os.chdir('..'); os.rename('app', 'x'); os.symlink({str(tmp_path)!r}, 'app')"
    assert (await project.run({"app/mvn": REPORTS + link})).tests is None


READ = """
import os, sys
from pathlib import Path
from runners.limits import disk; from runners.verdicts import junit_files
from runners.files import remove_tree
top = Path(sys.argv[1])
(inner := top / "target/surefire-reports").mkdir(parents=True)
(inner / "TEST-a.xml").write_text("<testsuite/>")
(top / "target/closed/in").mkdir(parents=True)
os.chmod(top / "target/closed", 0)
inner.chmod(int(sys.argv[2], 8))
report = junit_files.read(top, junit_files.places("mvn test"))
print(report and report.counts, disk.exceeds(top, 1 << 20))
remove_tree(top)
print(top.exists())
"""


@pytest.mark.parametrize("mode", ["400", "300", "0"])
def test_for_an_ordinary_user_closed_reports_are_none(mode, tmp_path, need):
    need("setpriv")
    drop = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    command = [*drop, sys.executable, "-c", READ, tmp_path / "p", mode]
    done = subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert done.stdout == "None False\nFalse\n", done.stderr


@pytest.fixture
def little_room(tmp_path, monkeypatch):
    """A workspace on a file system of 200 MiB, less than a project may take."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    (place := tmp_path / "small").mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "none", place], check=False).returncode:
        pytest.skip("this root may not mount a file system, as in a container")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("command", "verdict_class"),
    sampled(
        [
            ("echo ENOSPC; exit 1", "failed"),
            ("head -c 30000000 /dev/zero >part; echo No space left on device; exit 1", "failed"),
            ("head -c 300000000 /dev/zero >/tmp/own; exit 1", "failed"),
            ("head -c 300000000 /dev/zero >much", "infrastructure"),
            ("head -c 300000000 /dev/zero >much || { sleep 0.5; rm much; exit 1; }", "infrastructure"),
        ]
    ),
)
@pytest.mark.parametrize("name", AUTO)
async def test_that_no_room_was_left_is_believed_only_where_it_was_seen(
    command, verdict_class, name, request, little_room
):
    sandbox = request.getfixturevalue("bubblewrap") if name == "bubblewrap" else _made(name, request)
    project = await prepare({"a": "x"}, ProjectPlan("system", command=command), sandbox, little_room, str)
    result = await project.run({})
    project.close()
    assert result.verdict_class == verdict_class, result
    assert not result.maybe_infrastructure


def _made(name, request):
    from runners.sandboxes import fault, make

    if reason := fault(name):
        request.getfixturevalue("lacking")(reason)
    return make(name)


@pytest.mark.parametrize(
    ("before", "lowest", "allowed", "short"),
    [
        (100 << 30, 99 << 30, 512 << 20, False),
        (100 << 30, 511 << 20, 512 << 20, True),
        (300 << 20, 290 << 20, 512 << 20, False),
        (300 << 20, 140 << 20, 512 << 20, True),
        (20 << 20, 12 << 20, 512 << 20, True),
        (20 << 20, 12 << 20, 4 << 20, False),
    ],
)
def test_room_was_short_if_much_of_what_a_run_may_need_had_gone(before, lowest, allowed, short, tmp_path):
    assert disk.FreeSpace(tmp_path, reserved=True, before=before, lowest=lowest).was_short(allowed) is short


async def test_the_least_room_during_a_run_is_noted(tmp_path, monkeypatch):
    room = disk.FreeSpace.of(tmp_path)
    left = iter([5 << 20, *[90 << 20] * 100])
    monkeypatch.setattr(disk, "free_bytes", lambda *_, **__: next(left))
    watch = asyncio.ensure_future(disk.wait_until_too_large(tmp_path, 512 << 20, room))
    await asyncio.sleep(0.3)
    watch.cancel()
    assert room.lowest == 5 << 20


def _open():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_deep_folder_does_not_take_all_open_files_when_it_is_removed(tmp_path, monkeypatch):
    top, most, real = tmp_path / "top", [], os.open
    (top / "/".join("d" * 200)).mkdir(parents=True)

    def opened(*words, **named):
        most.append(_open())
        return real(*words, **named)

    before = _open()
    monkeypatch.setattr(files.os, "open", opened)
    remove_tree(top)
    assert not top.exists()
    assert max(most) <= before + 100


def test_a_program_that_says_it_has_no_room_is_no_doubt():
    done = Completed(1, None, "ENOSPC", "OSError: [Errno 28] No space left on device\nENFILE", 5.0)
    assert not classify(done, "", "python").maybe_infrastructure
