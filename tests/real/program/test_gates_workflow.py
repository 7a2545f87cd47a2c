"""The workflow of docs/gates.md, step by step: on the main branch, then on a pull request that changes nothing, then on one that makes it worse."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from tests.support.places import ROOT

DOCS = ROOT / "docs" / "gates.md"
FEW = "--limit 10"
"""Of the moments of each tape: enough to tell the developer's own text from a guess."""
MAIN, REQUEST = "github.ref == 'refs/heads/main'", "github.event_name == 'pull_request'"


def steps():
    """The steps of the workflow that run a command, by name."""
    (text,) = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    found = {step["name"]: step for step in yaml.safe_load(text)["jobs"]["completions"]["steps"] if "run" in step}
    assert list(found) == ["Install", "Replay", "Gates", "Comment", "Baseline"]
    return found


@pytest.fixture
def job(tmp_path):
    """Runs the steps of a job but the installation, in order, up to the first that fails; gives the name of that, and what was printed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}

    def run(condition, changed=""):
        printed = ""
        for name, step in steps().items():
            if name == "Install" or step.get("if", condition) != condition:
                continue
            command = step["run"].replace("--provider ngram", f"{changed or '--provider ngram'} {FEW}")
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            printed += done.stdout + done.stderr
            if done.returncode:
                return name, printed
        return "", printed

    return run


def test_the_workflow_keeps_a_baseline_and_stops_what_makes_it_worse(job, tmp_path):
    failed, printed = job(MAIN, "--provider oracle")
    assert failed == "", printed
    assert (tmp_path / ".ghosttape/runs/baseline/run.sqlite").exists()
    assert "not worse than" not in printed

    failed, printed = job(REQUEST, "--provider oracle")
    assert failed == "", printed
    assert "::notice title=ghosttape%3A failed=0::" in printed
    assert (tmp_path / "comment.md").read_text(encoding="utf-8").startswith("## ghosttape compare\n")

    (tmp_path / ".ghosttape/runs/new").rename(tmp_path / "before")
    failed, printed = job(REQUEST)
    assert failed == "Gates"
    assert "::error title=ghosttape%3A not worse than baseline::it is worse by more than 5 points: -" in printed
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "gates.xml").getroot().iter("testcase")}
    assert [name for name, case in cases.items() if case.find("failure") is not None] == ["not worse than baseline"]
    assert "B passes" in (tmp_path / "summary.md").read_text(encoding="utf-8")
