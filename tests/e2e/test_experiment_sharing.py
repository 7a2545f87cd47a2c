"""What the cells of an experiment share: counted, the same numbers as alone, and also after ten kills."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.corpora.devbench_data import instance, write
from tests.counting_server import counting_server

SCRIPT = str(Path(sys.executable).with_name("ghosttape"))
FILE = """
tapes = ["demo"]
corpora = ["bench"]

[matrix]
providers = ["one", "two"]
policies = ["blocks", "pause:300"]
repairs = ["all", "none"]


[options]
limit = 2
latency = "fixed:80"

[providers.one]
provider = "openai"
base-url = "{url}"
model = "one"

[providers.two]
provider = "openai"
base-url = "{url}"
model = "two"

[corpus.bench]
corpus = "devbench"
data = "data"
no-packages = true
languages = "python"
categories = "low_context"
"""
WALL = {"run", "latency_ms", "machine", "cost"}
"""What depends on the machine, names a folder, or is of an experiment alone."""


@pytest.fixture
def experiment(tmp_path, need):
    """Two providers, two policies and two sets of repairs over the demo and three small tasks."""
    need("bwrap")
    sound = {"prefix": "def twice(x):\n", "suffix": "\nassert twice(2) == 4", "assertions": "assert twice(3) == 6"}
    rows = [instance(number, f"    return 2 * x  # {number}", **sound) for number in range(1, 3)]
    write(tmp_path / "data", *rows)

    def written(url):
        path = tmp_path / "many.toml"
        path.write_text(FILE.format(url=url))
        return path

    return written


def numbers(value):
    """A document without what the wall clock decides."""
    if isinstance(value, dict):
        return {name: numbers(each) for name, each in value.items() if name not in WALL}
    return [numbers(each) for each in value] if isinstance(value, list) else value


def summaries(document):
    return {cell["name"]: numbers(cell["summary"]) for cell in document["cells"]}


def killed(path, times, draw):
    """Start the command and kill it, again and again; return how often it was still at work."""
    alive = 0
    for _ in range(times):
        process = subprocess.Popen(
            [SCRIPT, "experiment", str(path), "--json"],
            cwd=path.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(draw.uniform(2.0, 4.5))
        alive += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return alive


def test_ten_kills_change_no_number_and_shared_work_is_done_once(ghosttape, tmp_path, experiment):
    with counting_server(latency_s=0.05) as server:
        path = experiment(server.url)
        plain = ghosttape("experiment", path, "--json", "--out", "plain").json
        asked = server.asked
        assert len(asked) == plain["work"]["asked"]
        assert len(plain["cells"]) == 12
        assert len(plain["left_out"]) == 4
        # each provider is asked each prompt once, whatever repairs take of the answer
        for cell in plain["cells"]:
            if cell["choice"]["repairs"] == "none":
                assert cell["work"]["asked"] == 0, cell["name"]
                assert cell["work"]["answered_from_record"] > 0
        assert plain["work"]["saved"] > 0

        server.prompts.clear()
        killed(path, 10, random.Random(7))
        document = ghosttape("experiment", path, "--json").json
        assert summaries(document) == summaries(plain)
        assert set(server.asked) == set(asked)
        # a question under way when its process was killed is asked again, and counted again
        assert document["work"]["asked"] == len(server.asked) <= len(asked) + 10
        assert document["work"]["tested"] + document["work"]["saved"] >= plain["work"]["tested"]


def test_a_cell_has_the_numbers_of_the_same_run_alone(ghosttape, tmp_path, experiment):
    with counting_server() as server:
        cells = summaries(ghosttape("experiment", experiment(server.url), "--json").json)
        provider = ("--provider", "openai", "--base-url", server.url, "--model", "two", "--limit", "2", "--json")
        for policy in ("blocks", "pause:300"):
            alone = ghosttape(
                "replay", "demo", *provider, "--policy", policy, "--latency", "fixed:80", "--repairs", "none"
            )
            assert numbers(alone.json) == cells[f"tapes-two-{policy.replace(':', '-')}-none"]
        corpus = (
            "evaluate",
            "devbench",
            "--data",
            "data",
            "--no-packages",
            "--repairs",
            "none",
            "--languages",
            "python",
        )
        corpus += ("--categories", "low_context")
        assert numbers(ghosttape(*corpus, *provider).json) == cells["bench-two-none"]
