"""`ghosttape instructions pairs`, `prefer`, `ratings` and `codebook`: from real runs to candidate instructions, with a scripted chat server over HTTP."""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from corpora.codealign.catalogue import instruction_from
from corpora.codealign.codebook import Preference, read_pairs, showings, write_preference
from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tui.cli.app import app

TELLS = {"first": "Please add types.", "second": "early exit please"}
NEW = {"code": "use-early-exit", "type": "structural", "ask": "Leave as soon as the answer is known."}


@dataclass
class Coder(FakeScript):
    """Codes each text by a word in it; `server` is set once it listens."""

    server: FakeModelServer | None = None

    def written(self, stops, limit):
        system, user = (message["content"] for message in self.server.asked[-1].body["messages"])
        texts = re.findall(r"^(\d+)\. (.+)$", user.partition("Texts:\n")[2], re.MULTILINE)
        known = "new one" not in system
        codes = [
            {"code": "add-type-hints"} if "types" in text else {"code": NEW["code"]} if known else NEW
            for _, text in texts
        ]
        yield json.dumps([{"text": int(number), **code} for (number, _), code in zip(texts, codes, strict=True)])


def problem(number):
    return {
        "name": f"made/{number}",
        "language": "python",
        "request": f"Write add{number}, which adds two numbers.",
        "reference": f"def add{number}(a, b):\n    return a + b\n",
        "tests": f"assert add{number}(1, 2) == 3",
    }


def solution(number):
    return f"def add{number}(a: int, b: int) -> int:\n    return a + b\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """What runs a command beside the event loop of the test, and returns what it wrote to standard output and standard error."""
    monkeypatch.chdir(tmp_path)

    async def run(*words, status=0):
        done = await asyncio.to_thread(CliRunner().invoke, app, list(words))
        assert done.exit_code == status, done.output
        return done.stdout, done.stderr

    return run


def rate(tmp_path, rater):
    """A rater who always prefers the reference, and tells the model's author one thing or another by the pair's name."""
    pairs = read_pairs(tmp_path / "pairs.jsonl")
    for shown in showings(pairs, rater, 0):
        choice = "first" if shown.pair.sources[0] == "reference" else "second"
        tells = TELLS["first" if int(shown.pair.name) % 2 else "second"]
        one = Preference(pair=shown.pair.name, rater=rater, repeated=shown.repeated, swapped=shown.swapped, choice=choice, asks=(tells,))  # fmt: skip
        write_preference(tmp_path / "pairs.preferences.jsonl", one)


async def test_from_runs_to_candidate_instructions_and_again_without_a_network(run, tmp_path):
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(problem(n)) + "\n" for n in range(6)))
    answer = "```python\n" + "".join(map(solution, range(6))) + "```"
    words = ("--provider", "fixed", "--text", answer, "--instructions", "add-type-hints", "--setting", "predefined")
    await run("instructions", "run", "own.jsonl", *words, "--out", "run")
    out, _ = await run("instructions", "pairs", "run", "-o", "pairs.jsonl", "--count", "5")
    assert "5 pairs in pairs.jsonl" in out
    out, _ = await run("instructions", "prefer", "pairs.jsonl", "--rater", "ada")  # no terminal: nothing is shown
    assert "ada: 0 of 9 pairs answered" in out
    _, err = await run("instructions", "ratings", "pairs.jsonl", status=2)
    assert "nobody has rated" in err
    for rater in ("ada", "bob"):
        rate(tmp_path, rater)
    found = json.loads((await run("instructions", "ratings", "pairs.jsonl", "--json"))[0])
    assert found["preferred"]["reference"]["value"] == 1
    assert [one["left_out"] for one in found["raters"].values()] == ["", ""]
    script = Coder()
    async with FakeModelServer(OpenAIDialect(), script) as server:
        script.server = server
        who = ("--provider", "openai", "--model", "m", "--base-url", f"{server.url}/v1")
        words = ("instructions", "codebook", "pairs.jsonl", *who, "--export", "own", "--json")
        first = json.loads((await run(*words))[0])
        asked = len(server.asked)
    assert asked == 2
    assert {one["id"]: len(one["texts"]) for one in first["codes"]} == {"add-type-hints": 6, "use-early-exit": 4}
    assert (first["agreement"]["value"], first["agreement"]["n"]) == (1, 10)
    assert json.loads((await run(*words, "--require-recorded"))[0]) == first
    assert [path.name for path in Path(tmp_path / "own").iterdir()] == ["use-early-exit.toml"]
    own = instruction_from(tmp_path / "own/use-early-exit.toml")
    assert (own.type, own.by_rule, own.languages) == ("structural", False, ("python", "java", "javascript"))
    assert own.asks == (NEW["ask"], TELLS["second"])
    shown, _ = await run("instructions", "codebook", "pairs.jsonl", *who, "--require-recorded")
    assert "in the catalogue" in shown
    assert "kappa 1.00 over 10 texts" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pairs", "none", "-o", "p.jsonl"], "holds no run"),
        (["prefer", "none.jsonl"], "cannot be read"),
        (["ratings", "none.jsonl"], "cannot be read"),
        (["codebook", "none.jsonl", "--provider", "fixed", "--second-model", "m"], "--second-provider"),
        (["codebook", "none.jsonl", "--provider", "fixed"], "cannot be read"),
    ],
)
def test_wrong_use_is_named(tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["instructions", *words])
    assert (done.exit_code, said in " ".join(done.output.split())) == (2, True), done.output
