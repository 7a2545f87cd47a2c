"""`ghosttape ask` with a real chat server that answers by known rules, and the same again from what was kept."""

import json
from dataclasses import dataclass
from functools import partial
from statistics import fmean

import pytest

from corpora.efcb.efcb_files import read
from corpora.efcb.questions import PullRequestQuestion
from tests.support.efcb_questions import write_questions  # noqa: F401 - the fixture
from tests.support.fakes.dialects import OpenAIDialect
from tests.support.fakes.model_server import FakeModelServer, FakeScript
from tests.support.program import both_of
from tests.support.served_beside import beside

JUDGES = "Answer with"


@dataclass
class Rules(FakeScript):
    """Answers each chat by a rule; `server` is set once it listens."""

    server: FakeModelServer | None = None

    def written(self, stops, limit):
        system, user = (message["content"] for message in self.server.asked[-1].body["messages"])
        yield self.score(user, yes_or_no="1 if" in system) if JUDGES in system else reply(user)

    @staticmethod
    def score(user, *, yes_or_no):
        """The judge likes long answers, and now and then it says something else than a number."""
        length = len(user.partition("Predicted response:\n")[2].partition("\n\nGround truth:\n")[0])
        if length % 7 == 0:
            return "I cannot say."
        return str(length % 2) if yes_or_no else str(length % 11)


def reply(user):
    """The last choice, but a sentence where the question has a certain length; else a text as long as the question is."""
    if "Choice A:" in user:
        return "D" if len(user) % 5 else "I would take D because it is the last."
    return "x" * (len(user) % 13)


@pytest.fixture
def ask(tmp_path):
    return partial(both_of, tmp_path, "ask", "efcb")


def expected(question: PullRequestQuestion):
    """What a question comes to by the rules above, worked out without ghosttape's own scoring."""
    said = reply(question.messages[-1].content)
    if question.task.startswith("gmcq"):
        return float(said == "D" and question.ideal == "D")
    length = len(said)
    if length % 7 == 0:
        return None
    return length % 2 if question.task == "reverse-qa-hallu" else length % 11


def test_scores_are_those_of_the_rules_and_the_same_again_without_a_network(ask, write_questions, tmp_path):  # noqa: F811
    data = write_questions("one", "two", count=12)
    script = Rules()
    with beside(FakeModelServer(OpenAIDialect(), script)) as server:
        script.server = server
        url = f"{server.url}/v1"
        who = ("--provider", "openai", "--model", "m", "--base-url", url)
        judge = ("--judge-provider", "openai", "--judge-model", "j", "--judge-base-url", url)
        words = ("--data", str(data), *who, *judge, "--out", "kept", "--json")
        first = json.loads((ask(*words))[0])
        asked = len(server.asked)
    again = json.loads((ask(*words, "--require-recorded"))[0])
    assert again == first
    assert len(server.asked) == asked

    questions = read(data)
    scores = {each.name: expected(each) for each in questions}
    rows = [json.loads(line) for line in (tmp_path / "kept" / "questions.jsonl").read_text().splitlines()]
    assert {row["name"]: row["score"] for row in rows} == scores
    means = {task: mean_of(questions, scores, task) for task in first["tasks"]}
    assert {task: found["figures"]["mean"]["value"] for task, found in first["tasks"].items()} == pytest.approx(means)
    by_hand = (
        means["gmcq-easy"]
        + means["gmcq-hard"]
        + means["mpr-gen"] / 10
        + means["reverse-qa"] / 10
        + 1
        - means["reverse-qa-hallu"]
    ) / 5
    assert first["efcb_score"]["value"] == pytest.approx(by_hand)
    unread = sum(len(each.messages[-1].content) % 5 == 0 for each in questions if each.task.startswith("gmcq"))
    assert unread > 0
    assert first["tasks"]["mpr-gen"]["checks"]["applies"]["mean"]["value"] == 0  # a row of x is no patch
    assert sum(found["unparsable"] for found in first["tasks"].values()) == unread
    assert sum(found["unscored"] for found in first["tasks"].values()) == list(scores.values()).count(None) > 0


def mean_of(questions, scores, task):
    own = {
        repository: [
            scores[each.name]
            for each in questions
            if (each.task, each.repository) == (task, repository) and scores[each.name] is not None
        ]
        for repository in ("one", "two")
    }
    return fmean(map(fmean, own.values()))


def test_what_a_server_does_not_answer_is_in_no_score_and_asked_again(ask, write_questions):  # noqa: F811
    data = write_questions("one", count=5)
    script = Rules()
    with beside(FakeModelServer(OpenAIDialect(), script)) as server:
        script.server = server
        who = ("--provider", "openai", "--model", "m", "--base-url", f"{server.url}/v1", "--tasks", "gmcq-easy")
        words = ("--data", str(data), *who, "--out", "kept", "--json")
        script.cut_after = 0
        failed = json.loads((ask(*words, status=1))[0])
        script.cut_after = None
        whole = json.loads((ask(*words))[0])
    assert failed["tasks"]["gmcq-easy"]["failed"] == 5
    assert failed["tasks"]["gmcq-easy"]["figures"] == {}
    assert (whole["tasks"]["gmcq-easy"]["failed"], whole["tasks"]["gmcq-easy"]["figures"]["one"]["n"]) == (0, 5)


def test_without_a_model_only_the_rules_answer(ask, write_questions):  # noqa: F811
    out, _ = ask("--data", str(write_questions("one", count=6)))
    assert "what rules solve that ask no model (6 questions)" in out
    assert "No model was asked" in out


def test_what_is_wrong_is_said_in_a_sentence(ask, tmp_path):
    assert "name your copy with --data" in (ask(status=2))[1]
    assert "no questions of EFCB are here" in (ask("--data", str(tmp_path), status=2))[1]
    assert "'hard' is none of gmcq-easy" in (ask("--data", str(tmp_path), "--tasks", "hard", status=2))[1]
    lonely = ask("--data", str(tmp_path), "--judge-model", "m", status=2)
    assert "name it with --judge-provider" in lonely[1]
