"""How GitHub is asked: pages, limits and errors, with answers in the form that its documentation gives."""

import asyncio

import httpx
import pytest

from corpora.errors import FetchError
from corpora.github_api import ADDRESS, GitHubApi, client_of, github_client, github_name


def asked(answers, call, **settings):
    """What a call comes to against these answers, one after the other; the requests, and how long it waited."""
    requests, waits, left = [], [], list(answers)

    def reply(request):
        requests.append(request)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(seconds):
        waits.append(seconds)

    async def run():
        async with github_client("secret", httpx.MockTransport(reply)) as client:
            return await call(GitHubApi(client, sleep=sleep, now=lambda: 1_000.0, **settings))

    return asyncio.run(run()), requests, waits


def get(api):
    return api.get("/x", dict[str, int])


OK = httpx.Response(200, json={"a": 1})


def test_a_list_is_read_page_by_page():
    pages = [
        httpx.Response(
            200, json=[1, 2], headers={"link": f'<{ADDRESS}/x?page=2>; rel="next", <{ADDRESS}/x?page=2>; rel="last"'}
        ),
        httpx.Response(200, json=[3], headers={"link": f'<{ADDRESS}/x?page=1>; rel="first"'}),
    ]

    async def whole(api):
        return [page async for page in api.pages("/x", list[int], per_page=2)]

    found, requests, _ = asked(pages, whole)
    assert found == [[1, 2], [3]]
    assert [str(each.url) for each in requests] == [f"{ADDRESS}/x?per_page=2", f"{ADDRESS}/x?page=2"]


@pytest.mark.parametrize(
    "other", ["https://elsewhere.example", ADDRESS.replace("https", "http"), f"{ADDRESS}:8443", f"{ADDRESS}:80"]
)
def test_a_next_page_on_another_server_never_gets_the_token(other):
    pages = [httpx.Response(200, json=[1], headers={"link": f'<{other}/x>; rel="next"'}), httpx.Response(200, json=[2])]

    async def whole(api):
        return [page async for page in api.pages("/x", list[int])]

    with pytest.raises(FetchError, match="on another server"):
        asked(pages, whole)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1020"}, 21),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "900"}, 1),
    ],
)
@pytest.mark.parametrize("status", [403, 429])
def test_a_limit_that_ends_soon_is_waited_for(status, headers, wait_s):
    told = []
    found, requests, waits = asked([httpx.Response(status, headers=headers), OK], get, notify=told.append)
    assert (found, len(requests), waits) == ({"a": 1}, 2, [wait_s])
    assert told == (["GitHub's limit ends in 21 s"] if wait_s > 10 else [])


def test_a_limit_that_ends_late_is_said_with_its_end():
    answer = httpx.Response(403, headers={"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4600"})
    with pytest.raises(FetchError, match=r"no more requests until 01:16 UTC \(status 403\): wait$"):
        asked([answer], get)


@pytest.mark.parametrize("fault", [httpx.Response(502), httpx.ConnectError("refused")])
def test_what_fails_at_the_server_or_on_the_way_is_asked_again(fault):
    assert asked([fault, fault, OK], get)[::2] == ({"a": 1}, [1, 2])


@pytest.mark.parametrize(
    ("fault", "said"),
    [(httpx.Response(502), "status 502 for /x"), (httpx.ConnectError("no route"), "cannot be reached: no route")],
)
def test_what_fails_each_time_is_an_error(fault, said):
    with pytest.raises(FetchError, match=said):
        asked([fault] * 4, get)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(401), "refuses the token in GITHUB_TOKEN"),
        (httpx.Response(403), "status 403 for /x"),
        (httpx.Response(404), "there is no such thing, or the token may not see it"),
        (httpx.Response(200, text="<html>"), "otherwise than documented"),
    ],
)
def test_a_refusal_is_not_repeated(answer, said):
    with pytest.raises(FetchError, match=said):
        asked([answer], get)


def test_the_environment_names_token_and_address():
    client = client_of({"GH_TOKEN": "t", "GITHUB_API_URL": "http://127.0.0.1:1/api"})
    assert (client.headers["authorization"], str(client.base_url)) == ("Bearer t", "http://127.0.0.1:1/api/")
    assert "authorization" not in client_of({}).headers


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pypa/packaging", "pypa/packaging"),
        ("https://github.com/pypa/packaging.git", "pypa/packaging"),
        ("pypa/..", ""),
        ("../x", ""),
        ("packaging", ""),
        ("a/b/c", ""),
    ],
)
def test_repositories_are_named_by_owner_and_name(text, name):
    assert github_name(text) == name


def test_white_space_around_a_token_is_no_part_of_it_and_an_empty_one_is_none():
    client = client_of({"GITHUB_TOKEN": " \n", "GH_TOKEN": "t\r\n"})
    assert client.headers["authorization"] == "Bearer t"


@pytest.mark.parametrize("token", ["a\nb", "ключ", "a\x01b"])
def test_a_token_that_no_header_can_carry_is_refused_without_being_said(token):
    with pytest.raises(FetchError, match="the token in GH_TOKEN has characters") as refused:
        client_of({"GH_TOKEN": token})
    assert token not in str(refused.value)


def test_a_token_never_reaches_the_message_of_a_failure(monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_marked0123456789\n")
    fault = httpx.LocalProtocolError("Illegal header value b'Bearer ghp_marked0123456789'")
    with pytest.raises(FetchError, match="cannot be reached: Illegal header value b'Bearer …'"):
        asked([fault] * 4, get)
