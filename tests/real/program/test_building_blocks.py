"""`ghosttape corpora build codev` on a small repository in the sandbox: blocks are kept that its tests notice, and they are a benchmark."""

import json
from dataclasses import dataclass, field
from functools import partial

import pytest

from corpora.codev.samples import is_samples_file
from tests.support.block_builds import BUILD, CODE, STARTS, lay_out
from tests.support.counting_server import is_probe
from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tests.support.program import both_of as run
from tests.support.served_beside import beside


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A folder with the corpus, and what the command said of it."""
    folder = tmp_path_factory.mktemp("built")
    lay_out(folder)
    return folder, json.loads(run(folder, *BUILD)[0])


def test_from_a_folder_to_blocks_with_one_command_and_again_the_same(built):
    folder, found = built
    assert found["tests_by"] == "rules"
    assert (found["tests_passing"], found["functions"]) == (3, 5), "two of the ledger, and the tests"
    assert found["tests_unseen"] == json.loads((folder / found["chains"]).read_text())["unseen"] == [STARTS]
    said = " ".join(run(folder, *BUILD[:-1])[0].split())
    assert (
        f"of 1 test not all is seen, where processes are started, tests trace themselves, or nothing was reported of them: {STARTS} (all: `unseen` in "
        in said
    )
    assert is_samples_file(folder / "app.jsonl")
    lines = [json.loads(line) for line in (folder / "app.jsonl").read_text().splitlines()]
    kept = {CODE[line["start"] : line["end"]] for line in lines[1:]}
    assert "total += amount" in kept
    assert not any("print" in text for text in kept)
    assert sum(found["kept"].values()) == len(kept) == len(lines) - 1
    before = (folder / "app.jsonl").read_bytes()
    assert json.loads(run(folder, *BUILD)[0]) == found
    assert (folder / "app.jsonl").read_bytes() == before
    asked = json.loads(run(folder, *BUILD, "--evaluate", "oracle")[0])
    told = asked.pop("evaluation")
    assert asked == found
    assert told["passed"] == told["testable"] == told["tasks"] == len(kept)
    words = ("evaluate", "app.jsonl", "--scenario", "2", "--json", "--provider")
    oracle, nothing = (json.loads(run(folder, *words, name)[0]) for name in ("oracle", "fixed"))
    assert (oracle["corpus"], oracle["cluster_by"]) == ("app", "function")
    assert oracle["passed"] == oracle["testable"] == oracle["tasks"] == nothing["tasks"]
    inner = nothing["verdicts"].pop("passed")  # these blocks are complete: nothing is wanted
    assert inner == sum(line["inner"]["start"] == line["inner"]["end"] for line in lines[1:] if line["inner"])
    run(folder, "corpora", "export", "codev", "app.jsonl", "-o", "published")
    words = ("evaluate", "codev", "--data", "published", "--scenario", "3", "--json", "--provider", "oracle")
    published = json.loads(run(folder, *words)[0])
    assert (published["corpus"], published["cluster_by"]) == ("codev", "function")
    rests = (CODE[line["end"] : end] for line in lines[1:] for end in (line["function_end"], None))
    assert published["passed"] == published["tasks"] == sum(bool(rest.strip()) for rest in rests)


@dataclass(slots=True)
class Blocks(FakeScript):
    """A chat that knows one block: the answer is wrapped in talk, and it has no fences where that block is not asked for."""

    server: FakeModelServer | None = None

    def written(self, stops, limit):
        asked = self.server.asked[-1].body["messages"][-1]["content"]
        yield "A first idea:\n```python\ntotal -= amount\n```\n"
        yield (
            "No, better:\n```python\ntotal += amount\n```\nDone."
            if f"{LOOP}<fim_suffix>" in asked
            else "I do not know."
        )


LOOP = CODE[: CODE.index("total += amount")]


def test_a_chat_model_is_asked_in_the_words_of_the_paper_and_its_last_fences_count(built):
    folder, found = built
    script = Blocks()
    with beside(FakeModelServer(OpenAIDialect(), script)) as server:
        script.server = server
        words = ("evaluate", "app.jsonl", "--out", "chat", "--json", "--chat", "codev", "--provider", "openai")
        where = ("--model", "wise", "--base-url", f"{server.url}/v1", "--repairs", "none")
        told = json.loads((run(folder, *words, *where))[0])
        asked_for = [asked.body["messages"] for asked in server.asked if "messages" in asked.body]
        questions = [asked for asked in asked_for if not is_probe(asked[1]["content"])]
    assert len(questions) == sum(found["kept"].values())
    assert all("/ledger.py<fim_prefix>" in asked[1]["content"] for asked in questions)
    assert all(asked[0]["content"].startswith("You complete code.") for asked in questions)
    assert all("def unchecked(amounts)" in asked[1]["content"] for asked in questions), "the whole file is shown"
    assert told["passed"] == 1
    records = [json.loads(line) for line in run(folder, "records", "chat")[0].splitlines()]
    texts = [record["suggestion"]["text"] for record in records if record["suggestion"]]
    assert sorted(texts) == ["total += amount", *["total -= amount"] * (len(questions) - 1)]


WAYS = (
    "python -m pytest -q checks",
    "python verify.py",
    "python -m pytest -q -p no:cacheprovider checks/spec_shapes.py",
)


@dataclass(slots=True)
class Proposals(FakeScript):
    """A chat that proposes a way to run tests, another one each time."""

    ways: list[str] = field(default_factory=lambda: [*WAYS])

    def written(self, stops, limit):
        way = {"toolchain": "python", "command": self.ways.pop(0), "requires": ["pytest"]}
        yield f"```json\n{json.dumps({'proposals': [way]})}\n```"


def test_where_rules_end_a_chat_model_is_asked_round_by_round_and_what_it_proposes_is_shown(tmp_path):
    (tmp_path / "shapes" / "checks").mkdir(parents=True)
    (tmp_path / "shapes" / "shapes.py").write_text("def area(a, b):\n    return a * b\n")
    spec = "from shapes import area\n\n\ndef test_area():\n    assert area(2, 3) == 6\n"
    (tmp_path / "shapes" / "checks" / "spec_shapes.py").write_text(spec)
    (tmp_path / "blocks.toml").write_text("[blocks]\nMETHOD = 1\n")
    build = partial(run, tmp_path, "corpora", "build", "codev", "shapes", "-o", "shapes.jsonl")
    with beside(FakeModelServer(OpenAIDialect(), Proposals())) as server:
        asks = ("--ask-model", "--provider", "openai", "--model", "wise", "--base-url", f"{server.url}/v1")
        chats = ("--settings", '{"provider": {"api": "chat", "connect_s": 60}}')
        err = (build(*asks, *chats, "--until", "environment", status=3))[1]
        assert f"command: {WAYS[0]}" in err
        assert "none of it was run: answer y at a terminal, or add --run-proposals" in err
        server.script.ways[:] = WAYS[1:]  # the first answer is kept
        out, err = build(*asks, *chats, "--blocks", "blocks.toml", "--yes", "--rounds", "3")
    assert [err.index(f"command: {way}") for way in WAYS] == sorted(err.index(f"command: {way}") for way in WAYS)
    assert f"environment: {WAYS[2]} (found by wise)" in " ".join(out.split())
    assert json.loads((tmp_path / "shapes.jsonl").read_text().splitlines()[1])["path"] == "shapes.py"


def test_only_chat_models_are_asked_in_a_chat(built):
    folder, _ = built
    words = ("evaluate", "app.jsonl", "--provider")
    assert "provider gguf has none" in run(folder, *words, "gguf", "--chat", "codev", status=2)[1]
    assert "did you mean 'codev'" in run(folder, *words, "openai", "--chat", "codex", status=2)[1]
