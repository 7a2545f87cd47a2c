"""Repositories from the search API of GitHub (REST, version 2022-11-28), and what is known of one there."""

from __future__ import annotations

import base64
import binascii
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import datetime

import httpx
import msgspec

from corpora.agent.repositories.criteria import ChoiceCriteria, RepositoryFacts, is_readable
from corpora.errors import FetchError
from corpora.github_api import GitHubApi

_PAGE = 50
_MOST = 1_000
"""GitHub gives no more results of one search."""


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
    truncated: bool = False
    """Whether files are missing, as there are too many."""


class _Content(msgspec.Struct, frozen=True):
    content: str = ""


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
            found = await GitHubApi(self.client).get("/search/repositories", _Found, **query)
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
        return await self._facts(await GitHubApi(self.client).get(f"/repos/{name}", _Repository))

    async def _facts(self, item: _Repository) -> RepositoryFacts:
        tree = await GitHubApi(self.client).get(
            f"/repos/{item.full_name}/git/trees/{item.default_branch}", _Tree, recursive=1
        )
        paths = [entry.path for entry in tree.tree if entry.type == "blob"]
        texts = {path: await self._text(item, path) for path in paths if is_readable(path)}
        known = RepositoryFacts(item.full_name, item.clone_url, item.created_at, item.stargazers_count, paths, texts)
        return replace(known, is_whole=not tree.truncated)

    async def _text(self, item: _Repository, path: str) -> str:
        found = await GitHubApi(self.client).get(
            f"/repos/{item.full_name}/contents/{path}", _Content, ref=item.default_branch
        )
        try:
            return base64.b64decode(found.content).decode("utf-8", "replace")
        except binascii.Error as error:
            raise FetchError(f"GitHub: the content of {path} in {item.full_name} is malformed") from error
