"""`ghosttape judge` with a real chat server: what a judge is worth, kept, and shown with the scores of an examination."""

import json
from dataclasses import dataclass
from functools import partial
from statistics import fmean

import pytest

from corpora.calibration import LabelledCase, read_cases, write_cases
from replay.records import Ending, Moment, Record, Suggestion
from replay.run.store import Store
from tests.support.efcb_questions import write_questions  # noqa: F401 - the fixture
from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tests.support.program import both_of
from tests.support.served_beside import beside


@pytest.fixture
def run(tmp_path):
    return partial(both_of, tmp_path)


def test_a_judge_is_calibrated_and_its_worth_stands_with_its_scores(run, tmp_path, write_questions):  # noqa: F811
    data = write_questions("one", count=6)
    write_cases(
        tmp_path / "c.jsonl",
        [LabelledCase(name=f"c{n}", truth="t", response=f"r{n}", label=n) for n in range(8)],
    )
    with beside(FakeModelServer(OpenAIDialect(), FakeScript(pieces=("4",)))) as server:
        who = ("--provider", "openai", "--model", "j", "--base-url", f"{server.url}/v1")
        found = json.loads((run("judge", "calibrate", "c.jsonl", *who, "--json"))[0])
        asked = len(server.asked)
        judge = ("--judge-provider", "openai", "--judge-model", "j", "--judge-base-url", f"{server.url}/v1")
        words = ("ask", "efcb", "--data", str(data), *who, *judge, "--tasks", "reverse-qa", "--out", "kept")
        out, _ = run(*words, "--calibration", "c.worth.json")
        plain, _ = run(*words)
    again = json.loads((run("judge", "calibrate", "c.jsonl", *who, "--json", "--require-recorded"))[0])
    assert again == found
    assert asked == 16  # eight cases, twice
    assert found["bias"]["value"] == pytest.approx(4 - 3.5)
    assert (found["consistency"]["value"], found["spearman"]["value"]) == (1.0, None)
    flat, plain = (" ".join(text.split()) for text in (out, plain))
    assert (
        "judge openai j: calibrated on 8 cases that people scored: kappa 0.00, rank correlation no value, bias 0.50"
        in flat
    )
    assert "judge openai j: no calibration: what this judge's scores are worth is not known" in plain


def test_cases_are_drawn_from_an_examination_to_be_scored(run, tmp_path, write_questions):  # noqa: F811
    data = write_questions("one", count=6)
    run(
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
    out, _ = run("judge", "label", "c.jsonl", "--from", "kept", "--count", "4")
    assert "0 of 4 cases scored" in out
    assert {case.response for case in read_cases(tmp_path / "c.jsonl")} == {"a text"}


@dataclass
class ByLength(FakeScript):
    """A judge that scores a completion by its length; `server` is set once it listens."""

    server: FakeModelServer | None = None

    def written(self, stops, limit):
        _, user = (message["content"] for message in self.server.asked[-1].body["messages"])
        yield str(len(user.partition("Completion:\n")[2]) % 6)


def write_run(folder, lengths):
    """A run of DevBench with one answer to each task, of these lengths."""
    with Store.create(folder, {}) as store:
        for task, length in enumerate(lengths):
            moment = Moment(
                tape="devbench",
                event=1,
                path=f"python/low_context/{task}.py",
                language="python",
                kind="low_context",
                offset=2,
                line=1,
                character=0,
                t=0,
                before="a\n",
                after="\nb",
            )
            suggestion = Suggestion(text="x" * length, start=2, end=2, latency=1.0)
            store.put(Record(moment=moment, ending=Ending("shown"), suggestion=suggestion))


def test_the_suggestions_of_a_run_are_judged_and_the_same_again_without_a_network(run, tmp_path):
    lengths = [1, 2, 3, 4, 5, 6, 10, 15]
    write_run(tmp_path / "one", lengths)
    script = ByLength()
    with beside(FakeModelServer(OpenAIDialect(), script)) as server:
        script.server = server
        words = (
            "judge",
            "suggestions",
            "one",
            "--provider",
            "openai",
            "--model",
            "j",
            "--base-url",
            f"{server.url}/v1",
        )
        found = json.loads((run(*words, "--json", "--concurrency", "4"))[0])
        asked = len(server.asked)
        labelled = [LabelledCase(name=f"c{n}", truth="t", response="x" * n, label=n % 6) for n in range(1, 9)]
        write_cases(tmp_path / "c.jsonl", labelled)
        run("judge", "calibrate", "c.jsonl", "--task", "relevance", *words[3:])
        table = " ".join((run(*words, "--calibration", "c.worth.json"))[0].split())
    again = json.loads((run(*words, "--json", "--require-recorded"))[0])
    assert again == found
    assert asked == 2 * len(lengths)
    scores = [length % 6 for length in lengths]
    assert found["total"]["all"]["value"] == pytest.approx(2 * fmean(scores))
    assert found["dimensions"]["helpfulness"]["all"]["value"] == pytest.approx(fmean(scores))
    rows = [
        json.loads(line) for line in (tmp_path / ".ghosttape/judged/one/suggestions.jsonl").read_text().splitlines()
    ]
    assert {len(row["text"]): row["total"] for row in rows} == {length: 2 * (length % 6) for length in lengths}
    assert "relevance: calibrated on 8 cases that people scored: kappa 1.00, rank correlation 1.00, bias 0.00" in table
    assert "helpfulness: no calibration: what this judge's scores are worth is not known" in table
    assert f"low_context {2 * fmean(scores):.2f}" in table
    limited = run("judge", "label", "r.jsonl", "--from", "one", "--task", "relevance", "--count", "3")
    assert "0 of 3 cases scored" in limited[0]
    assert {(case.truth, case.task) for case in read_cases(tmp_path / "r.jsonl")} == {("a\n[[GAP]]\nb", "relevance")}


def test_what_is_wrong_is_said_in_a_sentence(run, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"name": "a", "truth": "t", "response": "r"}\n')
    assert "no case has a label" in (run("judge", "calibrate", "c.jsonl", "--provider", "fixed", status=2))[1]
    assert "'x' is none of mpr-gen" in (run("judge", "label", "c.jsonl", "--task", "x", status=2))[1]
    (tmp_path / "off.jsonl").write_text(
        '{"name": "a", "truth": "t", "response": "r", "label": 6, "task": "relevance"}\n'
    )
    off = run("judge", "calibrate", "off.jsonl", "--provider", "fixed", "--text", "3", status=2)
    assert "the label 6 of a is off the scale of this rubric, 0 to 5" in off[1]
    other = run("judge", "label", "off.jsonl", "--task", "helpfulness", status=2)
    assert "off.jsonl has cases of relevance: name another file" in other[1]
    assert "is not there: draw cases" in (run("judge", "label", "d.jsonl", status=2))[1]
    assert (
        "is no calibration"
        in (
            run(
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
