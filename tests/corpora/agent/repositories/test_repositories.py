"""Which repositories are chosen, and why: by rules, by a model, from folders, and from GitHub by exchanges in the form that its documentation gives."""

from __future__ import annotations

import asyncio
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import httpx
import pytest

from corpora.agent.repositories.criteria import ChoiceCriteria, RepositoryFacts, light_by_model, light_by_rules
from corpora.agent.repositories.github import GitHubSearch
from corpora.agent.repositories.local import local_facts
from corpora.efcb.making.git_pull_requests import pull_requests
from corpora.errors import FetchError
from corpora.github_api import github_client
from corpora.history.advice import ScriptedChat

NOW = datetime(2026, 11, 24, tzinfo=UTC)
CRITERIA = ChoiceCriteria(NOW)
EXCHANGES = json.loads(Path(__file__).with_name("github_exchanges.json").read_text())


def facts(**changes: Any) -> RepositoryFacts:
    """A repository that is chosen."""
    members = {
        "name": "ada/light",
        "place": "",
        "created": datetime(2026, 9, 1, tzinfo=UTC),
        "stars": 51,
        "paths": ["tests/test_a.py", "a.py"],
        "texts": {"README.md": "A library. See https://example.com/cuda and ![redis](redis.svg).\n"},
    }
    return RepositoryFacts(**(members | changes))


@pytest.mark.parametrize(
    ("changes", "criterion", "said"),
    [
        (
            {"created": datetime(2026, 7, 24, tzinfo=UTC)},
            "created",
            "created on 2026-07-24; asked for: since 2026-07-25",
        ),
        ({"stars": 50}, "stars", "50 stars; asked for: more than 50"),
        ({"paths": ["a.py", "tests/data.json"]}, "tests", "no file is named as tests are"),
        ({"texts": {"README.md": "Needs a CUDA card."}}, "light", "it seems to need a GPU (README.md: 'CUDA')"),
        ({"texts": {"setup.py": "ext_modules=[]"}}, "light", "it seems to need a compiler (setup.py: 'ext_modules')"),
        (
            {"paths": ["tests/test_a.py", "docker-compose.yml"]},
            "light",
            "it seems to need a service beside it (docker-compose.yml)",
        ),
    ],
)
def test_a_repository_that_lacks_one_thing_is_not_chosen_and_it_is_said_why(
    changes: dict[str, Any], criterion: str, said: str
) -> None:
    found = asyncio.run(CRITERIA.judged(facts(**changes)))
    assert not found.chosen
    assert [(reason.criterion, reason.said) for reason in found.reasons if reason.met is False] == [(criterion, said)]


def test_what_nobody_can_say_does_not_count_against_it() -> None:
    assert asyncio.run(CRITERIA.judged(facts())).chosen
    found = asyncio.run(CRITERIA.judged(facts(created=None, stars=None)))
    assert found.chosen
    assert [reason.met for reason in found.reasons] == [None, None, True, True]


def test_files_that_are_not_listed_may_be_tests() -> None:
    paths = {"tree": [{"path": "a.py", "type": "blob"}], "truncated": True}
    item = {**EXCHANGES["GET /repos/ada/light?"], "created_at": "2026-09-01T00:00:00Z", "stargazers_count": 51}
    transport = httpx.MockTransport(
        lambda asked: httpx.Response(200, json=paths if "trees" in asked.url.path else item)
    )
    found = asyncio.run(CRITERIA.judged(asyncio.run(named("ada/light", transport))))
    assert [reason.met for reason in found.reasons] == [True, True, None, True]
    assert found.chosen


def test_a_model_is_asked_only_of_what_is_left_and_its_word_counts() -> None:
    said = ['Sure: {"light": false, "reason": "It\\nwants a key."}', "I cannot say.", '{"light": true}']
    chat = ScriptedChat(said)
    criteria = ChoiceCriteria(NOW, light=lambda each: light_by_model(each, chat.answer))
    assert not asyncio.run(criteria.judged(facts(stars=1))).chosen
    assert chat.asked == []
    reasons = [asyncio.run(criteria.judged(facts())).reasons[-1] for _ in said]
    assert [(reason.met, reason.said) for reason in reasons] == [
        (False, "It wants a key. (by the model)"),
        (False, "the model's answer is of no use: I cannot say."),
        (True, "no reason (by the model)"),
    ]
    assert "A library." in chat.asked[0][-1].content


def test_a_folder_is_as_old_as_its_first_commit(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# It\n")
    (tmp_path / "test_it.py").write_text("def test_it(): ...\n")
    assert local_facts(tmp_path).created is None
    day = "2026-09-01T00:00:00Z"
    environment = {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day, "PATH": "/usr/bin:/bin"}
    who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, env=environment)
    found = local_facts(tmp_path)
    assert (found.created, found.stars) == (datetime(2026, 9, 1, tzinfo=UTC), None)
    assert (sorted(found.paths), list(found.texts)) == (["README.md", "test_it.py"], ["README.md"])
    assert asyncio.run(light_by_rules(found)).met

    (tmp_path / "inner").mkdir()
    assert local_facts(tmp_path / "inner").created is None
    subprocess.run(["git", "-C", tmp_path, *who, "commit", "-qm", "y", "--allow-empty"], check=True, env=environment)
    shallow = tmp_path.with_name("shallow")
    subprocess.run(["git", "clone", "-q", "--depth=1", tmp_path.as_uri(), shallow], check=True)
    assert local_facts(shallow).created is None


def test_no_program_that_a_repository_names_is_run(tmp_path: Path) -> None:
    git = ["git", "-C", tmp_path]
    subprocess.run([*git, "init", "-q"], check=True)
    tree = subprocess.run([*git, "write-tree"], check=True, capture_output=True, text=True).stdout.strip()
    when = "A <a@example.com> 1788220800 +0000"
    signed = f"tree {tree}\nauthor {when}\ncommitter {when}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\nx\n"
    words = [*git, "hash-object", "-w", "-t", "commit", "--stdin"]
    commit = subprocess.run(words, check=True, capture_output=True, text=True, input=signed).stdout.strip()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    for more in (
        ["update-ref", "HEAD", commit],
        ["config", "log.showSignature", "true"],
        ["config", "gpg.program", program],
    ):
        subprocess.run([*git, *more], check=True)
    assert local_facts(tmp_path).created == datetime(2026, 9, 1, tzinfo=UTC)
    assert list(pull_requests(str(tmp_path))) == []
    assert not (tmp_path / "was-run").exists()
    subprocess.run([*git, "log"], check=True, capture_output=True)
    assert (tmp_path / "was-run").exists()


def recorded(request: httpx.Request) -> httpx.Response:
    """Answer from the exchanges."""
    assert request.headers["authorization"] == "Bearer secret"
    key = f"{request.method} {request.url.path}?{unquote_plus(request.url.query.decode())}"
    return httpx.Response(200, json=EXCHANGES[key]) if key in EXCHANGES else httpx.Response(404, text=key)


async def found_by_search(limit: int) -> list[RepositoryFacts]:
    """What a search finds."""
    async with github_client("secret", httpx.MockTransport(recorded)) as client:
        return [each async for each in GitHubSearch(client).search(CRITERIA, "python", limit)]


def test_the_search_brings_young_and_liked_repositories_and_their_files_decide() -> None:
    choices = [asyncio.run(CRITERIA.judged(each)) for each in asyncio.run(found_by_search(20))]
    assert [(each.name, each.chosen) for each in choices] == [
        ("ada/light", True),
        ("bob/heavy", False),
        ("eve/untested", False),
    ]
    assert choices[1].reasons[-1].said == (
        "it seems to need a GPU (README.md: 'CUDA'); it seems to need a service beside it (README.md: 'Redis')"
    )
    assert [each.name for each in asyncio.run(found_by_search(1))] == ["ada/light"]


async def named(name: str, transport: httpx.MockTransport) -> RepositoryFacts:
    """What is known of a repository by its name."""
    async with github_client("secret", transport) as client:
        return await GitHubSearch(client).named(name)


def test_a_repository_of_a_list_is_judged_by_age_and_stars_too() -> None:
    found = asyncio.run(CRITERIA.judged(asyncio.run(named("ada/light", httpx.MockTransport(recorded)))))
    assert [reason.criterion for reason in found.reasons if reason.met is False] == ["created", "stars"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(401), "refuses the token in GITHUB_TOKEN"),
        (httpx.Response(403, headers={"x-ratelimit-remaining": "0"}), "no more requests for now .*: wait"),
        (httpx.Response(404), "status 404 for /repos/a/b"),
        (httpx.Response(200, text="[]"), "otherwise than documented"),
    ],
)
def test_a_refusal_says_what_to_do(answer: httpx.Response, said: str) -> None:
    with pytest.raises(FetchError, match=said):
        asyncio.run(named("a/b", httpx.MockTransport(lambda _: answer)))
