"""Repositories from the search API of GitHub (REST, version 2022-11-28), and what is known of one there."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import httpx
import msgspec

from corpora.agent.choosing.criteria import ChoiceCriteria, RepositoryFacts, is_readable
from corpora.errors import FetchError
from server.keys import masked

ADDRESS = "https://api.github.com"
TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
"""The environment variables that may hold a token; without one GitHub allows 10 searches a minute and 60 other requests an hour."""
_PAGE = 50
_MOST = 1_000
"""GitHub gives no more results of one search."""
_TIMEOUT_S = 30.0
_T = TypeVar("_T")


class _Repository(msgspec.Struct, frozen=True):
    full_name: str
    clone_url: str
    created_at: datetime
    stargazers_count: int
    default_branch: str
    archived: bool = False


class _Found(msgspec.Struct, frozen=True):
    total_count: int
    items: list[_Repository]


class _Entry(msgspec.Struct, frozen=True):
    path: str
    type: str


class _Tree(msgspec.Struct, frozen=True):
    tree: list[_Entry]


class _Content(msgspec.Struct, frozen=True):
    content: str = ""


def github_client(token: str, transport: httpx.AsyncBaseTransport | None = None) -> httpx.AsyncClient:
    """A client of the API; `token` may be empty."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return httpx.AsyncClient(
        base_url=ADDRESS, headers=headers, timeout=_TIMEOUT_S, transport=transport, follow_redirects=True
    )


@dataclass(frozen=True, slots=True)
class GitHubSearch:
    """Looks for repositories."""

    client: httpx.AsyncClient

    async def search(self, criteria: ChoiceCriteria, language: str, limit: int) -> AsyncIterator[RepositoryFacts]:
        """The repositories of a language that are young and liked enough, those with the most stars first; at most so many.

        Raises:
            FetchError: GitHub cannot be reached, refuses, or answers otherwise than documented.

        """
        words = (
            f"language:{language} stars:>{criteria.stars} created:>={criteria.since:%Y-%m-%d} archived:false fork:false"
        )
        given = 0
        for page in range(1, _MOST // _PAGE + 1):
            query: dict[str, str | int] = {
                "q": words,
                "sort": "stars",
                "order": "desc",
                "per_page": _PAGE,
                "page": page,
            }
            found = await self._get("/search/repositories", _Found, **query)
            for item in found.items:
                if given == limit:
                    return
                given += 1
                yield await self._facts(item)
            if page * _PAGE >= min(found.total_count, _MOST):
                return

    async def named(self, name: str) -> RepositoryFacts:
        """What is known of `OWNER/NAME`.

        Raises:
            FetchError: as for `search`.

        """
        return await self._facts(await self._get(f"/repos/{name}", _Repository))

    async def _facts(self, item: _Repository) -> RepositoryFacts:
        tree = await self._get(f"/repos/{item.full_name}/git/trees/{item.default_branch}", _Tree, recursive=1)
        paths = [entry.path for entry in tree.tree if entry.type == "blob"]
        texts = {path: await self._text(item, path) for path in paths if is_readable(path)}
        return RepositoryFacts(item.full_name, item.clone_url, item.created_at, item.stargazers_count, paths, texts)

    async def _text(self, item: _Repository, path: str) -> str:
        found = await self._get(f"/repos/{item.full_name}/contents/{path}", _Content, ref=item.default_branch)
        try:
            return base64.b64decode(found.content).decode("utf-8", "replace")
        except binascii.Error as error:
            raise FetchError(f"GitHub: the content of {path} in {item.full_name} is malformed") from error

    async def _get(self, path: str, as_type: type[_T], **query: str | int) -> _T:
        try:
            answer = await self.client.get(path, params=query)
        except httpx.HTTPError as error:
            raise FetchError(f"GitHub cannot be reached: {masked(str(error)) or type(error).__name__}") from error
        if not answer.is_success:
            raise FetchError(_refusal(path, answer))
        try:
            return msgspec.json.decode(answer.content, type=as_type)
        except msgspec.DecodeError as error:
            raise FetchError(f"GitHub answers {path} otherwise than documented: {error}") from error


def _refusal(path: str, answer: httpx.Response) -> str:
    """Why GitHub refused, and what to do."""
    if answer.headers.get("x-ratelimit-remaining") == "0" or answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
        return f"GitHub allows no more requests for now (status {answer.status_code}): wait, or set {TOKENS[0]}"
    if answer.status_code == httpx.codes.UNAUTHORIZED:
        return f"GitHub refuses the token in {' or '.join(TOKENS)}"
    return f"GitHub: status {answer.status_code} for {path}"
