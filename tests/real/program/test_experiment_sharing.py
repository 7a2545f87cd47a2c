"""The cells of an experiment that is killed again and again have the same numbers as of one that is not.

`tests/performance/killed_experiment.py` is the same at full size, with ten kills.
"""

import os
import random
import signal
import subprocess
import time

from tests.support.counting_server import counting_server
from tests.support.places import SCRIPT
from tests.support.shared_experiment import states, summaries, write_experiment


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
