"""What a project's code writes claims nothing."""

import pytest

from runners.project import ProjectPlan, prepare

REPORTS = "import os, sys, socket, signal, pathlib\nos.makedirs(at := 'target/surefire-reports')\n"


@pytest.fixture
async def project(sandbox, cache):
    plan = ProjectPlan("python", command="python mvn", cwd="app", timeout_s=60.0)
    made = await prepare({"app/mvn": "", "app/a.txt": ""}, plan, sandbox, cache, lambda _: None)
    yield made
    made.close()
    assert not made.workspace.folder.exists()


@pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True)
async def test_a_hundred_thousand_files_are_a_project_like_any_other(project):
    many = "for n in range(100_000):\n    os.close(os.open(f'{at}/{n}', os.O_CREAT))\nsys.exit(1)"
    result = await project.run({"app/mvn": REPORTS + many})
    assert (result.verdict_class, list(project.workspace.folder.glob("copy-*"))) == ("failed", [])
