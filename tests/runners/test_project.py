"""A project's life: laid out, set up, tested many times, removed."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from runners.errors import PathRefused, SandboxFailed, SandboxMissing, SetupFailed
from runners.files import copy_tree, remove_tree, write_all
from runners.project import ProjectPlan, prepare
from runners.protocol import PROJECT, Completed
from runners.sandboxes import make, pick
from tests.support.fakes.sandbox import FakeSandbox
from tests.support.places import ROOT

FILES = {
    "m.py": "def f(x):\n    return x + 1\n",
    "test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
}
PASSED = Completed(0, None, "", "", 1.0)


@pytest.fixture
def project(cache):
    """Return a function that prepares a project, which is removed at the end of the test."""
    made = []

    async def make_project(files, plan, sandbox):
        made.append(await prepare(files, plan, sandbox, cache, lambda _: None))
        return made[-1]

    yield make_project
    for one in made:
        one.close()
        assert not one.workspace.folder.exists()


async def test_the_tests_of_a_changed_project_decide(project, sandbox):
    python = await project(
        FILES, ProjectPlan("python", ("pytest>=8", "iniconfig>=2"), command="python -m pytest -q"), sandbox
    )
    good, bad, again = [await python.run(changed) for changed in ({}, {"m.py": "def f(x):\n    return x\n"}, {})]
    assert [(one.verdict_class, one.passed, one.failed) for one in (good, bad, again)] == [
        ("passed", 1, 0),
        ("assertion", 0, 1),
        ("passed", 1, 0),
    ]
    assert bad.message == "assert 1 == 2"


async def test_a_run_cannot_change_the_base_or_another_run(project, bubblewrap):
    command = "ls; cat kept; echo changed >kept; echo new >new; rm -f gone; ln -sf /etc/passwd link"
    plain = await project(
        {"kept": "as it was", "gone": "still here"}, ProjectPlan("system", command=command), bubblewrap
    )
    logs = {result.log for result in await asyncio.gather(*(plain.run({}) for _ in range(3)))} | {
        (await plain.run({})).log
    }
    assert logs == {"gone\nkept\nas it was"}
    assert (plain.workspace.folder / "base" / "kept").read_text() == "as it was"


async def test_the_setup_is_run_once_and_kept(project, bubblewrap):
    plan = ProjectPlan(
        "system", setup="date +%N >made; chmod 500 made", command="cat made; ls -l made; test -x made", cwd="sub"
    )
    plain = await project({"sub/file": ""}, plan, bubblewrap)
    first, second = await plain.run({}), await plain.run({})
    assert first.verdict_class == "passed"
    assert first.log == second.log


async def test_a_failing_setup_is_told_with_its_log_and_leaves_nothing(project, bubblewrap, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where nobody else makes anything
    with pytest.raises(SetupFailed, match="status 3: no compiler"):
        await project({}, ProjectPlan("system", setup="echo no compiler; exit 3"), bubblewrap)
    assert list(tmp_path.iterdir()) == []


async def test_the_setup_has_no_network(project, bubblewrap):
    plain = await project({}, ProjectPlan("system", setup="cat /proc/net/dev >seen", command="cat seen"), bubblewrap)
    assert (await plain.run({})).log.count(":") == 1


async def test_texts_arrive_byte_for_byte(project):
    seen = {}

    def look(job):
        seen.update({file.name: file.read_bytes() for file in job.project.iterdir()})
        return PASSED

    plain = await project(
        {"crlf": "a\r\nb\r", "lone": "\ud800"}, ProjectPlan("system", command="true"), FakeSandbox(look)
    )
    await plain.run({"crlf": "c\r\n\x0c\u2028", "ä": "é"})
    assert seen == {"crlf": b"c\r\n\x0c\xe2\x80\xa8", "lone": b"\xed\xa0\x80", "ä": "é".encode()}


@pytest.mark.parametrize("name", ["../out", "/etc/passwd", "a/../../out", "", ".", "a\0b", "file/below"])
async def test_a_file_outside_of_the_project_is_refused(name, project, bubblewrap):
    with pytest.raises(PathRefused):
        await project({"file": "", name: "x"}, ProjectPlan("system"), bubblewrap)


async def test_links_that_a_setup_made_are_not_followed_when_files_are_changed(project, bubblewrap, tmp_path):
    (tmp_path / "victim").write_text("untouched")
    plan = ProjectPlan("system", setup=f"ln -s {tmp_path}/victim file; ln -s {tmp_path} folder", command="cat file")
    plain = await project({}, plan, bubblewrap)
    assert (await plain.run({"file": "changed"})).log == "changed"
    with pytest.raises(PathRefused, match="folder"):
        await plain.run({"folder/victim": "changed"})
    assert (tmp_path / "victim").read_text() == "untouched"


async def test_pipes_and_closed_folders_that_a_run_makes_are_no_trap(project, bubblewrap):
    plan = ProjectPlan(
        "system", setup="mkfifo pipe; mkdir closed; touch closed/file; chmod 0 closed", command="test ! -e pipe"
    )
    plain = await project({}, plan, bubblewrap)
    assert (await plain.run({})).verdict_class == "passed"


async def test_a_sandbox_that_does_not_start_is_tried_once_more(project):
    def fail_first(job):
        if len(sandbox.jobs) == 1:
            raise SandboxFailed("no namespaces left")
        return PASSED

    plain = await project({}, ProjectPlan("system", command="true"), sandbox := FakeSandbox(fail_first))
    assert (await plain.run({})).verdict_class == "passed"


async def test_a_sandbox_that_never_starts_is_not_blamed_on_the_code(project):
    def fail(job):
        raise SandboxFailed("no namespaces left")

    plain = await project({}, ProjectPlan("system", command="true"), sandbox := FakeSandbox(fail))
    result = await plain.run({})
    assert (result.verdict_class, len(sandbox.jobs)) == ("infrastructure", 2)
    assert "no namespaces left" in result.message


async def test_a_job_has_what_the_plan_says(project):
    plan = ProjectPlan("system", command="make check", cwd="sub", timeout_s=7.0)
    plain = await project({"sub/file": ""}, plan, sandbox := FakeSandbox(lambda job: PASSED))
    await plain.run({})
    job = sandbox.jobs[0]
    assert (job.command, job.cwd, job.limits.wall_s) == ("make check", "sub", 7.0)
    assert [mount.target for mount in job.mounts] == ["/ghosttape"]


async def test_without_a_sandbox_the_project_is_where_it_is(project):
    plain = await project({"file": ""}, ProjectPlan("system", command=f"pwd; test ! -e {PROJECT}"), make("none"))
    result = await plain.run({})
    assert (result.verdict_class, result.log) == ("passed", str(plain.workspace.folder / "copy-0"))


async def test_folders_of_killed_processes_are_removed_by_the_next_and_those_in_use_are_not(project):
    code = "import os; from runners.temporary import temporary_folder; print(temporary_folder().folder, flush=True); os.kill(os.getpid(), 9)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=ROOT, stdout=subprocess.PIPE)
    left = Path((await process.communicate())[0].decode().strip())
    assert left.is_dir()
    one, two = [
        await project({}, ProjectPlan("system", command="true"), FakeSandbox(lambda job: PASSED)) for _ in range(2)
    ]
    assert [left.exists(), one.workspace.folder.exists(), two.workspace.folder.exists()] == [False, True, True]


def test_a_tree_is_copied_with_times_modes_and_links(tmp_path):
    (tmp_path / "a").mkdir()
    write_all(tmp_path / "a", {"sub/file": "text"})
    os.utime(tmp_path / "a/sub/file", (1, 1))
    (tmp_path / "a/sub/file").chmod(0o750)
    (tmp_path / "a/link").symlink_to("sub/file")
    os.mkfifo(tmp_path / "a/pipe")
    copy_tree(tmp_path / "a", tmp_path / "b")
    file = tmp_path / "b/sub/file"
    assert (file.read_text(), file.stat().st_mtime, file.stat().st_mode & 0o777) == ("text", 1, 0o750)
    assert str((tmp_path / "b/link").readlink()) == "sub/file"
    assert not (tmp_path / "b/pipe").exists()
    remove_tree(tmp_path / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_a_tree_is_copied_whole_whether_blocks_can_be_shared_or_not(tmp_path, monkeypatch):
    asked = []

    def clone(writer, request, reader):
        asked.append(request)
        os.write(writer, os.pread(reader, 100, 0))  # as the kernel would

    (tmp_path / "a").mkdir()
    write_all(tmp_path / "a", {"file": "text"})
    monkeypatch.setattr("runners.files._CANNOT_SHARE", set())
    copy_tree(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr("runners.files._CANNOT_SHARE", set())
    monkeypatch.setattr("runners.files.fcntl.ioctl", clone)
    copy_tree(tmp_path / "a", tmp_path / "c")
    assert [(tmp_path / name / "file").read_text() for name in "bc"] == ["text", "text"]
    assert len(asked) == 1


def test_the_sandbox_chosen_by_itself_is_a_real_one(bubblewrap):
    assert pick().name == "bubblewrap"


def test_a_sandbox_is_chosen_by_name():
    assert pick("none").name == "none"
    with pytest.raises(SandboxMissing, match=r"auto, bubblewrap, unshare, .*none"):
        pick("jail")


def test_none_is_never_chosen_by_itself(monkeypatch):
    monkeypatch.setattr("runners.sandboxes.fault", lambda name: "not allowed here")
    with pytest.raises(SandboxMissing, match=r"bubblewrap: not allowed here.*Install bubblewrap"):
        pick()


def test_a_sandbox_whose_program_is_missing_says_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "")
    for name, package in (("bubblewrap", "bubblewrap"), ("unshare", "util-linux")):
        with pytest.raises(SandboxMissing, match=f"install the package {package}"):
            asyncio.run(make(name).run(None))
