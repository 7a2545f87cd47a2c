# ruff: noqa: T201 - prints what it finds
"""An experiment of 2 providers, 2 policies and 2 sets of repairs over the demo and DevBench instances, run whole and killed ten times.

`python -m tests.performance.killed_experiment ../shared/data`, with how many instances as a second argument (60). Both runs have a cache of
their own. The answers are a scripted server's, which the prompt decides. Exit status 1 where a number differs, or shared work is done twice.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.counting_server import counting_server
from tests.support.places import SCRIPT

KILLS = 10
FILE = """
tapes = ["demo"]
corpora = ["bench"]

[matrix]
providers = ["one", "two"]
policies = ["blocks", "pause:300"]
repairs = ["all", "none"]

[options]
latency = "fixed:80"

[providers.one]
provider = "openai"
base-url = "{url}"
model = "one"

[providers.two]
provider = "openai"
base-url = "{url}"
model = "two"

[prices.one]
input = 2.0
output = 10.0

[prices.two]
input = 1.0
output = 1.0

[corpus.bench]
corpus = "devbench"
data = "{data}"
no-packages = true
languages = "python"
limit = {limit}
"""
WALL = {"run", "machine"}
"""What depends on the machine, or names a folder."""
MEASURED = WALL | {"latency_ms"}
"""Of a corpus the latencies are measured too; of a tape they are `fixed:80`."""


def numbers(value, left_out=None):
    """A document without what the wall clock decides."""
    if isinstance(value, dict):
        left_out = left_out or (MEASURED if "corpus" in value else WALL)
        return {name: numbers(each, left_out) for name, each in value.items() if name not in left_out}
    return [numbers(each, left_out) for each in value] if isinstance(value, list) else value


def started(path):
    """The command, in a group of processes of its own, with a cache beside the file."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(path.parent / "cache")}
    with (path.parent / "document.json").open("wb") as out, (path.parent / "said.txt").open("ab") as said:
        words = [SCRIPT, "experiment", str(path), "--json"]
        return subprocess.Popen(
            words, cwd=path.parent, stdout=out, stderr=said, env=environment, start_new_session=True
        )


def whole(path):
    """Run to the end; return the document and how long it took (s)."""
    began = time.perf_counter()
    status = started(path).wait()
    if status:
        raise SystemExit(f"status {status}: {(path.parent / 'said.txt').read_text()[-2000:]}")
    return json.loads((path.parent / "document.json").read_bytes()), time.perf_counter() - began


def killed(path, seconds, draw):
    """Kill the command ten times while it is at work, each time after about a fifteenth of the time (s) that the whole takes."""
    alive = 0
    for _ in range(KILLS):
        process = started(path)
        time.sleep(2.0 + seconds / 15 * draw.uniform(0.5, 1.5))
        alive += process.poll() is None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return alive


def states(document):
    """How many states each cell needed, whoever tested them."""
    return {cell["name"]: cell["work"]["tested"] + cell["work"]["saved"] for cell in document["cells"]}


def main(data, limit):
    """Print what was counted; return whether anything differs."""
    with tempfile.TemporaryDirectory() as place, counting_server() as server:
        paths = [Path(place, name, "many.toml") for name in ("plain", "killed")]
        for path in paths:
            path.parent.mkdir()
            path.write_text(FILE.format(url=server.url, data=data.resolve() / "devbench", limit=limit))
        plain, seconds = whole(paths[0])
        asked = server.asked
        print(
            f"plain: {seconds:.0f} s, {len(plain['cells'])} cells, {len(asked)} questions, {plain['work']}", flush=True
        )
        server.prompts.clear()
        alive = killed(paths[1], seconds, random.Random(18))
        document, rest = whole(paths[1])
        print(f"killed {alive} times at work, then {rest:.0f} s: {len(server.asked)} questions, {document['work']}")
        first, second = (
            {cell["name"]: numbers(cell["summary"]) for cell in each["cells"]} for each in (plain, document)
        )
        checks = {
            "the same numbers": first == second,
            "ten kills at work": alive == KILLS,
            "the same questions, and at most one more for each kill": set(server.asked) == set(asked)
            and len(server.asked) <= len(asked) + KILLS,
            "tested and saved are those of the plain run, in each cell": states(document) == states(plain),
            "states are tested once": document["work"]["tested"] == plain["work"]["tested"],
        }
        for name, holds in checks.items():
            print(f"{'yes' if holds else 'NO '} {name}")
        for name in first:
            if first[name] != second[name] or states(document)[name] != states(plain)[name]:
                print(name, states(plain)[name], states(document)[name])
    return int(not all(checks.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60))
