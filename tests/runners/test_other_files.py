"""Files of a project that are no text, that can be executed, and symbolic links: laid out as a commit has them."""

import pytest

from runners.errors import PathRefused
from runners.other_files import NOTHING, OtherFiles, is_inside, make_executable, write_others
from runners.project import ProjectPlan, prepare
from runners.protocol import Completed
from tests.support.fakes.sandbox import FakeSandbox

SHOWN = (
    'set -e; ./run; cat link; echo; readlink linked; [ ! -L out ]; [ "$(od -An -tx1 data.bin | tr -d " ")" = fffe00 ]'
)


@pytest.mark.parametrize(
    ("path", "target", "expected"),
    [
        ("a", "b", True),
        ("a", "./b/c", True),
        ("sub/a", "../b", True),
        ("sub/deep/a", "../../b", True),
        ("sub/a", "..", True),
        ("a", "..", False),
        ("sub/a", "../../b", False),
        ("a", "/etc/passwd", False),
        ("a", "sub/..", False),
        ("a", "deep/link/../../..", False),
        ("a", "", False),
        ("a", "b\0c", False),
    ],
)
def test_only_links_that_stay_in_the_project_are_inside(path, target, expected):
    assert is_inside(path, target) is expected


def test_links_out_are_not_made_and_those_of_links_lead_nowhere_else(tmp_path):
    links = {"sub/up": "..", "again": "sub/up/sub/up", "out": "../secret", "sly": "sub/up/../secret", "abs": "/etc"}
    (tmp_path / "project/sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    write_others(tmp_path / "project", OtherFiles(links=links))
    made = {path.name: path.resolve() for path in (tmp_path / "project").rglob("*") if path.is_symlink()}
    assert made == {"up": tmp_path / "project", "again": tmp_path / "project"}


def test_a_link_takes_the_place_of_no_file_and_none_is_followed(tmp_path):
    (tmp_path / "a").write_text("text")
    (tmp_path / "outside").write_text("mine")
    (tmp_path / "led").symlink_to(tmp_path / "outside")
    write_others(tmp_path, OtherFiles(links={"a": "b"}, executable=frozenset({"led", "gone"})))
    assert (tmp_path / "a").read_text() == "text"
    assert (tmp_path / "outside").stat().st_mode & 0o100 == 0


def test_links_that_the_file_system_refuses_are_left_out(tmp_path):
    links = {"long": "a" * 6000, "half": "\ud800", "good": "b"}
    write_others(tmp_path, OtherFiles(links=links))
    assert [path.name for path in tmp_path.iterdir()] == ["good"]


@pytest.mark.parametrize("what", ["link", "file", "link above"])
async def test_a_project_of_node_keeps_what_it_has_of_the_name_node_modules(what, need, cache):
    need("node", "npm")
    links = {"link": {"node_modules": "missing"}, "file": {}, "link above": {"sub": "missing"}}[what]
    files = {"node_modules": "text"} if what == "file" else {"a.js": ""}
    plan = ProjectPlan("node", command="true", cwd="sub" if what == "link above" else ".")
    done = Completed(0, None, "", "", 1.0)
    project = await prepare(
        files, plan, FakeSandbox(lambda job: done), cache, lambda _: None, others=OtherFiles(links=links)
    )
    try:
        base = project.workspace.folder / "base"
        assert {path.name: str(path.readlink()) for path in base.iterdir() if path.is_symlink()} == links
        assert what != "file" or (base / "node_modules").read_text() == "text"
    finally:
        project.close()


@pytest.mark.parametrize(
    "others", [OtherFiles({"../x": b""}), OtherFiles(links={"../x": "y"}), OtherFiles(links={"/x": "y"})]
)
def test_a_path_that_leads_out_is_refused(others, tmp_path):
    (tmp_path / "project").mkdir()
    with pytest.raises(PathRefused):
        write_others(tmp_path / "project", others)
    with pytest.raises(PathRefused):
        make_executable(tmp_path / "project", frozenset({"../x"}))


def test_a_digest_tells_contents_links_and_modes_apart():
    kinds = [
        OtherFiles({"a": b"1"}),
        OtherFiles({"a": b"2"}),
        OtherFiles(links={"a": "1"}),
        OtherFiles({"a": b"1"}, executable=frozenset({"a"})),
        NOTHING,
    ]
    assert len({each.digest for each in kinds}) == len(kinds)
    assert NOTHING.digest == ""


async def test_tests_in_every_sandbox_read_them_and_a_changed_program_can_still_be_executed(sandbox, cache):
    others = OtherFiles(
        {"data.bin": b"\xff\xfe\x00"}, {"link": "text", "linked": "sub", "out": "../x"}, frozenset({"run"})
    )
    files = {"run": "#!/bin/sh\necho ran\n", "text": "said", "sub/a": ""}
    project = await prepare(files, ProjectPlan("system", command=SHOWN), sandbox, cache, lambda _: None, others=others)
    try:
        result = await project.run({})
        assert (result.verdict_class, result.log.split()) == ("passed", ["ran", "said", "sub"])
        result = await project.run({"run": "#!/bin/sh\necho changed\n"})
        assert (result.verdict_class, result.log.split()) == ("passed", ["changed", "said", "sub"])
    finally:
        project.close()
