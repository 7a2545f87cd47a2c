"""`ghosttape judge` with a real chat server: what a judge is worth, kept, and shown with the scores of an examination."""

import json

import pytest

from corpora.calibration import LabelledCase, read_cases, write_cases
from server.providers.fakes.dialects import OpenAIDialect
from server.providers.fakes.model_server import FakeModelServer, FakeScript
from tests.corpora.efcb.conftest import write_questions  # noqa: F401 - the fixture
from tests.e2e.test_questions import run_in


@pytest.fixture
def run(tmp_path):
    return run_in(tmp_path)


async def test_a_judge_is_calibrated_and_its_worth_stands_with_its_scores(run, tmp_path, write_questions):  # noqa: F811
    data = write_questions("one", count=6)
    write_cases(
        tmp_path / "c.jsonl",
        [LabelledCase(name=f"c{n}", truth="t", response=f"r{n}", label=n) for n in range(8)],
    )
    async with FakeModelServer(OpenAIDialect(), FakeScript(pieces=("4",))) as server:
        who = ("--provider", "openai", "--model", "j", "--base-url", f"{server.url}/v1")
        found = json.loads((await run("judge", "calibrate", "c.jsonl", *who, "--json"))[0])
        asked = len(server.asked)
        judge = ("--judge-provider", "openai", "--judge-model", "j", "--judge-base-url", f"{server.url}/v1")
        words = ("ask", "efcb", "--data", str(data), *who, *judge, "--tasks", "reverse-qa", "--out", "kept")
        out, _ = await run(*words, "--calibration", "c.worth.json")
        plain, _ = await run(*words)
    again = json.loads((await run("judge", "calibrate", "c.jsonl", *who, "--json", "--require-recorded"))[0])
    assert again == found
    assert asked == 16  # eight cases, twice
    assert found["bias"]["value"] == pytest.approx(4 - 3.5)
    assert (found["consistency"]["value"], found["spearman"]["value"]) == (1.0, None)
    assert "Against 8 labelled cases" in out
    assert "It was not calibrated" in plain


async def test_cases_are_drawn_from_an_examination_to_be_scored(run, tmp_path, write_questions):  # noqa: F811
    data = write_questions("one", count=6)
    await run(
        "ask",
        "efcb",
        "--data",
        str(data),
        "--provider",
        "fixed",
        "--text",
        "a text",
        "--tasks",
        "reverse-qa",
        "--out",
        "kept",
    )
    out, _ = await run("judge", "label", "c.jsonl", "--from", "kept", "--count", "4")
    assert "0 of 4 cases scored" in out
    assert {case.response for case in read_cases(tmp_path / "c.jsonl")} == {"a text"}


async def test_what_is_wrong_is_said_in_a_sentence(run, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"name": "a", "truth": "t", "response": "r"}\n')
    assert "no case has a label" in (await run("judge", "calibrate", "c.jsonl", "--provider", "fixed", status=2))[1]
    assert "'x' is none of mpr-gen" in (await run("judge", "label", "c.jsonl", "--task", "x", status=2))[1]
    assert "is not there: draw cases" in (await run("judge", "label", "d.jsonl", status=2))[1]
    assert (
        "is no calibration"
        in (
            await run(
                "ask",
                "efcb",
                "--data",
                ".",
                "--provider",
                "fixed",
                "--judge-provider",
                "fixed",
                "--calibration",
                "c.jsonl",
                status=2,
            )
        )[1]
    )
