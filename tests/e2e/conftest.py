"""The program as a person starts it: the console script, in a process and a folder of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # so that tests here can share ablation_answers.py
SCRIPT = str(Path(sys.executable).with_name("ghosttape"))


@dataclass
class Outcome:
    """How a command ended. `json` is what it printed, which must be one document and nothing else."""

    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def ghosttape(tmp_path):
    """Run the console script with some words, in an empty folder."""

    def run(*words, status=0, timeout=600, env=None):
        done = subprocess.run(
            [SCRIPT, *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env={**os.environ, **(env or {})},
        )
        assert status is None or done.returncode == status, f"status {done.returncode}\n{done.stderr}\n{done.stdout}"
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
