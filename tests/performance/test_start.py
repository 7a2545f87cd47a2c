"""How long the program takes until it does something, against the libraries that it cannot do without, in a process of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

GHOSTTAPE = Path(sys.executable).with_name("ghosttape")
ASKED = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": {}},
    }
)
MOST = 3.0
"""What a start may take, in times of the floor. Measured: 1.6 (the server), 1.9 (`replay --help`)."""


def run(argv, said=""):
    done = subprocess.run(argv, input=said.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return done.stdout


STARTS = {
    "serve": (
        ["serve", "--stdio"],
        f"Content-Length: {len(ASKED)}\r\n\r\n{ASKED}",
        b'"serverInfo"',
        "pygls.lsp.server, httpx",
    ),
    "replay --help": (["replay", "--help"], "", b"--policy", "typer._adapters, rich.table"),
}
"""The words of a command, what it is told, what it answers, and the libraries that it needs."""


@pytest.mark.parametrize("name", STARTS)
def test_a_start_is_not_much_more_than_the_libraries(measure, benchmark, name):
    words, said, answer, libraries = STARTS[name]
    given = measure(lambda: run([GHOSTTAPE, *words], said), lambda: run([sys.executable, "-c", f"import {libraries}"]))
    assert answer in given
    if not benchmark.disabled:  # once, and beside other tests, says nothing of the time
        assert benchmark.extra_info["ratio"] < MOST
