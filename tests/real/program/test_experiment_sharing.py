"""What the cells of an experiment share: counted, the same numbers as alone, and also after kills.

`tests/performance/killed_experiment.py` is the same at full size, with ten kills.
"""

import os
import random
import signal
import subprocess
import time

import pytest

from tests.support.counting_server import counting_server
from tests.support.devbench_data import instance, write
from tests.support.places import LEDGER, SCRIPT

FILE = """
tapes = ["{tape}"]
corpora = ["bench"]

[matrix]
providers = ["one"]
policies = ["blocks", "pause:300"]
repairs = ["all", "none"]

[options]
limit = 2
latency = "fixed:80"

[providers.one]
provider = "openai"
base-url = "{url}"
model = "one"

[prices.one]
input = 2.0
output = 10.0

[corpus.bench]
corpus = "devbench"
data = "data"
limit = 2
no-packages = true
languages = "python"
categories = "low_context"
"""
WALL = {"run", "machine"}
"""What depends on the machine, or names a folder."""
MEASURED = WALL | {"latency_ms"}
"""Of a corpus the latencies are measured too; of a tape they are `fixed:80`."""


@pytest.fixture
def experiment(tmp_path, need):
    """A provider, two policies and two sets of repairs over a tape and two small tasks."""
    need("bwrap")
    sound = {"prefix": "def twice(x):\n", "suffix": "\nassert twice(2) == 4", "assertions": "assert twice(3) == 6"}
    rows = [instance(number, f"    return 2 * x  # {number}", **sound) for number in range(1, 3)]
    write(tmp_path / "data", *rows)

    def written(url):
        path = tmp_path / "many.toml"
        path.write_text(FILE.format(url=url, tape=LEDGER))
        return path

    return written


def numbers(value, left_out=None):
    """A document without what the wall clock decides."""
    if isinstance(value, dict):
        left_out = left_out or (MEASURED if "corpus" in value else WALL)
        return {name: numbers(each, left_out) for name, each in value.items() if name not in left_out}
    return [numbers(each, left_out) for each in value] if isinstance(value, list) else value


def summaries(document):
    return {cell["name"]: numbers(cell["summary"]) for cell in document["cells"]}


def killed(path, server, times, draw):
    """Start the command again and again, each time until the server has one question more, and kill it a little later; return how often it was still at work."""
    alive = 0
    for asked in range(1, times + 1):
        process = subprocess.Popen(
            [SCRIPT, "experiment", str(path), "--json"],
            cwd=path.parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while len(server.asked) < asked and process.poll() is None:
            time.sleep(0.02)
        time.sleep(draw.uniform(0.0, 0.4))
        if process.poll() is None:
            alive += 1
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return alive


def states(document):
    """How many states each cell needed, whoever tested them."""
    return {cell["name"]: cell["work"]["tested"] + cell["work"]["saved"] for cell in document["cells"]}


def test_kills_change_no_number_and_shared_work_is_done_once_and_each_cell_is_as_alone(ghosttape, experiment):
    with counting_server(latency_s=0.05) as server:
        path = experiment(server.url)
        plain = ghosttape("experiment", path, "--json", "--out", "plain").json
        asked = server.asked
        assert len(asked) == plain["work"]["asked"]
        assert len(plain["cells"]) == 6
        assert len(plain["left_out"]) == 2
        # each prompt is asked once, whatever repairs take of the answer
        for cell in plain["cells"]:
            if cell["choice"]["repairs"] == "none":
                assert cell["work"]["asked"] == 0, cell["name"]
                assert cell["work"]["answered_from_record"] > 0
        assert plain["work"]["saved"] > 0

        server.prompts.clear()
        assert killed(path, server, 4, random.Random(7)) == 4
        document = ghosttape("experiment", path, "--json").json
        assert summaries(document) == summaries(plain)
        assert set(server.asked) == set(asked)
        # a question under way when its process was killed is asked again, and counted again
        assert document["work"]["asked"] == len(server.asked) <= len(asked) + 4
        assert states(document) == states(plain)

        # what a cell costs is what it would cost alone; alone, an answer whose reader has enough is not read to its end, where servers tell tokens
        assert {cell["summary"]["cost"]["untold"] for cell in plain["cells"]} == {0}
        free = {name: {**each, "cost": None} for name, each in summaries(plain).items()}
        provider = ("--provider", "openai", "--base-url", server.url, "--model", "one", "--repairs", "none", "--json")
        of_tape = ("--limit", "2", "--policy", "pause:300", "--latency", "fixed:80")
        alone = ghosttape("replay", LEDGER, *provider, *of_tape).json
        assert {**numbers(alone), "cost": None} == free["tapes-pause-300-none"]
        of_corpus = ("--data", "data", "--no-packages", "--limit", "2", "--languages", "python")
        alone = ghosttape("evaluate", "devbench", *provider, *of_corpus, "--categories", "low_context").json
        assert {**numbers(alone), "cost": None} == free["bench-none"]
