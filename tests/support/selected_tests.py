"""A small project whose tests are selected: a graft runs those that touch it."""

import asyncio

import pytest

from replay.judge.tape_cases import prepare_tests
from replay.play.player_instructions import MomentEnded, Spot
from replay.records import Ending, Suggestion
from replay.tapes.tape import Tests as ProjectTests
from replay.tapes.timeline import Timeline
from runners.sandboxes import make
from tests.support.tapes import Typist, moment_of

HEAD, BODY = "def f(x):\n    ", "return x + 1"
OTHER = '\n\n\ndef g(x):\n    """Double."""\n    return x * 2\n'
FINAL = f"{HEAD}{BODY}{OTHER}"
RUNS = "from a import f, g\n\n\ndef test_f():\n    assert f(1) > 0\n\n\ndef test_g():\n    assert g(2) == 4\n"
READS = '\n\ndef test_text():\n    assert "x + 1" in open("a.py").read()\n'
ORDER = "from a import f\n\nDONE = []\n\n\ndef test_first():\n    DONE.append(1)\n\n\ndef test_f():\n    assert DONE and f(1) == 2\n"


def timeline_of(tests, body=BODY):
    typist = Typist(
        tests=ProjectTests(toolchain="python", requires=("pytest>=8",), command="python -m pytest -q", timeout_s=60.0),
    )
    typist.type(HEAD).type(body).type(OTHER)
    typist.header.workspace.files["test_a.py"] = tests
    return Timeline(typist.tape())


def moment_ended(text, number=0, stop="block"):
    moment = moment_of(2 + len(HEAD), HEAD, "", stop=stop, trigger=f"t{number}")
    offered = Suggestion(text=text, start=len(HEAD), end=len(HEAD), latency=0.0)
    return MomentEnded(moment, HEAD, "", Ending("shown"), offered, spot=Spot(moment, HEAD, ""))


@pytest.fixture
async def prepare(cache, need):
    """A function that gives a judge that selects, and what it was told."""
    need("bwrap")
    judges = []

    async def prepare(tests, body=BODY):
        told = []
        slots = asyncio.Semaphore(2)
        judges.append(
            await prepare_tests(timeline_of(tests, body), make("bubblewrap"), cache, slots, told.append, selects=True)
        )
        return judges[-1].judge, told

    yield prepare
    for judge in judges:
        await judge.close()
