"""`ghosttape corpora generate` with a chat server that returns good, duplicate, broken and unnoticed tasks, and no task at all."""

import json
from dataclasses import dataclass, field
from functools import partial

import pytest

from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript, FakeStatus
from tests.support.program import both_of
from tests.support.served_beside import beside

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
def run(tmp_path):
    return partial(both_of, tmp_path, env={"GHOSTTAPE_DATA": str(tmp_path / "data"), "COLUMNS": "80"})


def words(server, count):
    named = [
        "--provider",
        "openai",
        "--base-url",
        f"{server.url}/v1",
        "--settings",
        '{"provider": {"api": "chat", "connect_s": 60}}',
    ]
    return ["corpora", "generate", "devbench", "--categories", "low_context", "--count", count, "--out", "new", *named]


def test_each_answer_ends_at_its_stage_and_what_is_left_is_a_benchmark(run, tmp_path):
    with beside(FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS)))) as server:
        run(*words(server, 3))  # stopped, as it were, and continued
        out, _ = run(*words(server, len(ANSWERS)), "--json")
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
    out, _ = run(*evaluated, "--languages", "python")
    assert (json.loads(out)["tasks"], json.loads(out)["passed"]) == (2, 2)


def test_the_table_names_each_stage_and_where_the_tasks_are(run, tmp_path):
    with beside(FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS)))) as server:
        out, err = run(*words(server, 1))
    assert "1 answer" in out
    assert "ghosttape evaluate devbench --data new/review" in out
    assert "asked for python, low_context: 1 of 1" in err
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads((tmp_path / "new" / "funnel.json").read_text()) == [
        {"name": "python/low_context/1", "stage": "review", "reason": ""}
    ]


def test_a_task_of_the_benchmark_does_not_come_again(run, tmp_path):
    with beside(FakeModelServer(OpenAIDialect(), Turns(turns=[ANSWERS[0], ANSWERS[1]]))) as server:
        run(*words(server, 1))
        again = [word if word != "new" else "second" for word in words(server, 1)]
        out, _ = run(*again, "--against", "new/review", "--json")
    assert json.loads(out)["answers"][0]["stage"] == "duplicate"


def test_a_folder_of_something_else_is_left_as_it_is(run, tmp_path):
    precious = tmp_path / "new" / "benchmark" / "java" / "api_usage" / "api_usage.jsonl"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious\n")
    with beside(FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS)))) as server:
        _, err = run(*words(server, 1), status=2)
        assert server.asked == []
    assert "new: holds something else than new tasks" in err
    assert precious.read_text() == "precious\n"


def test_a_server_that_fails_keeps_what_was_answered(run, tmp_path):
    with beside(FakeModelServer(OpenAIDialect(), Turns(turns=list(ANSWERS)))) as server:
        server.script.first = []
        run(*words(server, 1))
        server.script.first = [FakeStatus(401, message="bad key")] * 9
        _, err = run(*words(server, 2), status=3)
    assert "bad key" in err
    assert len((tmp_path / "new" / "answers.jsonl").read_text().splitlines()) == 1
