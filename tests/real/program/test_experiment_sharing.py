"""What the cells of an experiment share: counted, and the same numbers as alone; those of one that is killed again and again have the same numbers as of one that is not.

`tests/performance/killed_experiment.py` is the same at full size, with ten kills.
"""

import os
import random
import signal
import subprocess
import time

from tests.support.counting_server import counting_server
from tests.support.places import LEDGER, SCRIPT
from tests.support.shared_experiment import numbers, states, summaries, write_experiment


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


def test_kills_change_no_number(ghosttape, ghosttape_here, tmp_path, need):
    need("bwrap")
    with counting_server(latency_s=0.05) as server:
        path = write_experiment(tmp_path, server.url)
        plain = ghosttape_here(tmp_path, "experiment", path, "--json", "--out", "plain").json
        asked = server.asked

        server.prompts.clear()
        assert killed(path, server, 4, random.Random(7)) == 4
        document = ghosttape("experiment", path, "--json").json
        assert summaries(document) == summaries(plain)
        assert set(server.asked) == set(asked)
        # a question under way when its process was killed is asked again, and counted again
        assert document["work"]["asked"] == len(server.asked) <= len(asked) + 4
        assert states(document) == states(plain)


def test_shared_work_is_done_once_and_each_cell_is_as_alone(ghosttape, tmp_path, need):
    need("bwrap")
    with counting_server() as server:
        path = write_experiment(tmp_path, server.url)
        plain = ghosttape("experiment", path, "--json", "--out", "plain").json
        assert len(server.asked) == plain["work"]["asked"]
        assert len(plain["cells"]) == 6
        assert len(plain["left_out"]) == 2
        # each prompt is asked once, whatever repairs take of the answer
        for cell in plain["cells"]:
            if cell["choice"]["repairs"] == "none":
                assert cell["work"]["asked"] == 0, cell["name"]
                assert cell["work"]["answered_from_record"] > 0
        assert plain["work"]["saved"] > 0

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
