"""`ghosttape corpora generate` with a chat server that returns good, duplicate, broken and unnoticed tasks, and no task at all."""

import asyncio
import json
from dataclasses import dataclass, field

import pytest

from server.providers.fakes.dialects import OpenAIDialect
from server.providers.fakes.model_server import FakeModelServer, FakeScript, FakeStatus
from tests.support.places import SCRIPT

GOOD = {
    "prefix": "def clamp(value, low, high):\n    if low > high:\n        raise ValueError(low)",
    "golden_completion": "    return max(low, min(value, high))",
    "suffix": "",
    "assertions": "assert clamp(5, 0, 3) == 3\nassert clamp(-1, 0, 3) == 0",
    "justification": "limits are set everywhere",
}
RENAMED = {
    **GOOD,
    "prefix": GOOD["prefix"].replace("clamp", "limit"),
    "assertions": GOOD["assertions"].replace("clamp", "limit"),
}
OTHER = {
    "prefix": "import re\n\nWORD = re.compile(r'\\w+')\n\n\ndef longest(text):\n    words = WORD.findall(text)",
    "golden_completion": "    return max(words, key=len, default='')",
    "suffix": "\n\nclass Report:\n    def __init__(self, lines):\n        self.lines = [longest(line) for line in lines]",
    "assertions": "assert longest('') == ''\nassert Report(['a bc', 'x']).lines == ['bc', 'x']",
}
ANSWERS = [
    f"Here it is:\n```json\n{json.dumps(GOOD)}\n```",
    json.dumps(RENAMED),
    json.dumps({**GOOD, "golden_completion": "    return value"}),
    json.dumps({**GOOD, "assertions": "print(1)"}),
    json.dumps({**GOOD, "golden_completion": "    return max(low,"}),
    json.dumps({**GOOD, "suffix": GOOD["golden_completion"]}),
    "I would rather not.",
    json.dumps({name: text for name, text in GOOD.items() if name != "assertions"}),
    json.dumps(OTHER),
]
EXPECTED = {
    "1": ("review", ""),
    "2": ("duplicate", "like python/low_context/1"),
    "3": ("broken", "AssertionError"),
    "4": ("unnoticed", "the tests pass without this part"),
    "5": ("unparsable", "the finished program has a syntax error"),
    "6": ("malformed", "the golden completion stands beside the gap too"),
    "7": ("malformed", "there is no JSON object in the answer"),
    "8": ("malformed", "Object missing required field `assertions`"),
    "9": ("review", ""),
}


@dataclass(slots=True)
class Turns(FakeScript):
    """One answer for each request, in turn."""

    turns: list[str] = field(default_factory=list)

    def written(self, stops, limit):
        yield self.turns.pop(0)


@pytest.fixture
def ghosttape(tmp_path, monkeypatch):
    monkeypatch.setenv("GHOSTTAPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")

    async def run(*words, status=0):
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            SCRIPT, *map(str, words), cwd=tmp_path, stdout=pipe, stderr=pipe, stdin=asyncio.subprocess.DEVNULL
        )
        out, err = await process.communicate()
        assert process.returncode == status, err.decode()
        return out.decode(), err.decode()

    return run


def words(server, count):
    named = ["--provider", "openai", "--base-url", f"{server.url}/v1", "--settings", '{"provider": {"api": "chat"}}']
    return ["corpora", "generate", "devbench", "--categories", "low_context", "--count", count, "--out", "new", *named]


async def test_each_answer_ends_at_its_stage_and_what_is_left_is_a_benchmark(ghosttape, tmp_path):
    async with FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS))) as server:
        await ghosttape(*words(server, 3))  # stopped, as it were, and continued
        out, _ = await ghosttape(*words(server, len(ANSWERS)), "--json")
        assert len(server.asked) == len(ANSWERS)  # none was asked for twice
    found = json.loads(out)
    fates = {fate["name"].rpartition("/")[2]: (fate["stage"], fate.get("reason", "")) for fate in found["answers"]}
    assert {name: stage for name, (stage, _) in fates.items()} == {name: stage for name, (stage, _) in EXPECTED.items()}
    assert all(EXPECTED[name][1] in reason for name, (_, reason) in fates.items())
    assert found["stages"]["malformed"] == 3
    assert sum(found["stages"].values()) == len(ANSWERS)
    roles = [[turn["role"] for turn in asked.body["messages"]] for asked in server.asked]
    assert roles == [["system", "user"]] * len(ANSWERS)
    assert server.asked[0].body["max_tokens"] == 4000
    evaluated = ["evaluate", "devbench", "--data", "new/review", "--provider", "oracle", "--json"]
    out, _ = await ghosttape(*evaluated, "--languages", "python")
    assert (json.loads(out)["tasks"], json.loads(out)["passed"]) == (2, 2)


async def test_the_table_names_each_stage_and_where_the_tasks_are(ghosttape, tmp_path):
    async with FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS))) as server:
        out, err = await ghosttape(*words(server, 1))
    assert "1 answer" in out
    assert "ghosttape evaluate devbench --data new/review" in out
    assert "asked for python, low_context: 1 of 1" in err
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads((tmp_path / "new" / "funnel.json").read_text()) == [
        {"name": "python/low_context/1", "stage": "review", "reason": ""}
    ]


async def test_a_task_of_the_benchmark_does_not_come_again(ghosttape, tmp_path):
    async with FakeModelServer(OpenAIDialect(), Turns(turns=[ANSWERS[0], ANSWERS[1]])) as server:
        await ghosttape(*words(server, 1))
        again = [word if word != "new" else "second" for word in words(server, 1)]
        out, _ = await ghosttape(*again, "--against", "new/review", "--json")
    assert json.loads(out)["answers"][0]["stage"] == "duplicate"


async def test_a_folder_of_something_else_is_left_as_it_is(ghosttape, tmp_path):
    precious = tmp_path / "new" / "benchmark" / "java" / "api_usage" / "api_usage.jsonl"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious\n")
    async with FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS))) as server:
        _, err = await ghosttape(*words(server, 1), status=2)
        assert server.asked == []
    assert "new: holds something else than new tasks" in err
    assert precious.read_text() == "precious\n"


async def test_a_server_that_fails_keeps_what_was_answered(ghosttape, tmp_path):
    async with FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS))) as server:
        server.script.first = []
        await ghosttape(*words(server, 1))
        server.script.first = [FakeStatus(401, message="bad key")] * 9
        _, err = await ghosttape(*words(server, 2), status=3)
    assert "bad key" in err
    assert len((tmp_path / "new" / "answers.jsonl").read_text().splitlines()) == 1
