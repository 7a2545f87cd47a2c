"""The pull requests of a repository on GitHub, through its API: those that were merged, the newest first."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import httpx
import msgspec

from corpora.efcb.making.git_pull_requests import PullRequest, patch_of
from corpora.efcb.patches import applied, hunks_of, parses
from corpora.efcb.questions import MaskedFile
from corpora.github_api import GitHubApi

# Texts that were fetched, kept in a file, so that a command that was stopped does not fetch them again.


class _Line(msgspec.Struct, frozen=True):
    key: str
    text: str | None


@dataclass(slots=True)
class KeptTexts:
    """Key → text, or None where there is none. A line that was cut off when its writer was killed is fetched again."""

    file: Path
    _known: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lines = self.file.read_bytes().split(b"\n") if self.file.is_file() else []
        for line in lines:
            try:
                found = msgspec.json.decode(line, type=_Line)
            except msgspec.DecodeError:
                continue  # cut off, or blank
            self._known[found.key] = found.text
        if lines and lines[-1]:
            self._append(b"")

    async def get(self, key: str, fetch: Callable[[], Awaitable[str | None]]) -> str | None:
        """The text of a key; fetched and kept where it is not known yet.

        Raises:
            OSError: it cannot be kept.

        """
        if key not in self._known:
            self._known[key] = await fetch()
            self._append(msgspec.json.encode(_Line(key, self._known[key])))
        return self._known[key]

    def _append(self, line: bytes) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("ab") as file:
            file.write(line + b"\n")


MOST = 300
"""How many are kept where nobody says how many: EFCB has 148 to 239 of a repository."""
_PAGE = 100
_DIFF, _RAW = "application/vnd.github.diff", "application/vnd.github.raw+json"
_NO_DIFF = (httpx.codes.NOT_FOUND, httpx.codes.NOT_ACCEPTABLE, httpx.codes.UNPROCESSABLE_ENTITY)
"""What GitHub answers where a diff is too large (406), or cannot be made."""


class _Base(msgspec.Struct, frozen=True):
    sha: str


class _PullRow(msgspec.Struct, frozen=True):
    number: int
    title: str
    base: _Base
    body: str | None = None
    merged_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class GitHubPullRequests:
    """Reads the pull requests of `OWNER/NAME`. Diffs and files never change, so they are kept in `texts` and asked for once."""

    api: GitHubApi
    name: str
    texts: KeptTexts

    async def merged(self, limit: int, notify: Callable[[int, int], None]) -> list[PullRequest]:
        """At most so many of those with a description and a patch of EFCB's size, the newest first, each patch once.

        `notify` gets how many were looked at, and how many of them are kept.

        Raises:
            FetchError: GitHub cannot be reached, refuses, or answers otherwise than documented; what it gave is kept.

        """
        found: dict[str, PullRequest] = {}
        looked = 0
        async for row in self._rows():
            looked += 1
            request = await self._request(row)
            if request is not None and request.fits:
                found.setdefault(request.patch, request)
            notify(looked, len(found))
            if len(found) == limit:
                break
        return list(found.values())

    async def _rows(self) -> AsyncIterator[_PullRow]:
        """Those that were merged and say what they do."""
        pages = self.api.pages(
            f"/repos/{self.name}/pulls",
            list[_PullRow],
            state="closed",
            sort="created",
            direction="desc",
            per_page=_PAGE,
        )
        async for page in pages:
            for row in page:
                if row.merged_at is not None and (row.body or "").strip():
                    yield row

    async def _request(self, row: _PullRow) -> PullRequest | None:
        path = f"/repos/{self.name}/pulls/{row.number}"
        diff = await self.texts.get(f"{path} diff", lambda: self.api.text(path, _DIFF, _NO_DIFF))
        if diff is None:
            return None
        body = (row.body or "").replace("\r\n", "\n").strip()
        return PullRequest(f"{self.name}#{row.number}", row.title.strip(), body, patch_of(diff), row.base.sha)

    async def whole_file(self, request: PullRequest, path: str) -> MaskedFile | None:
        """A file of a pull request as it was before; None where the patch does not apply to it there, or it does not parse before and after.

        GitHub names the commit on which a pull request is based, and shows the patch against the one at which its branch began: where the file changed in
        between, the patch may not apply.

        Raises:
            FetchError: as for `merged`.

        """
        place = f"/repos/{self.name}/contents/{quote(path)}"
        key = f"{place} {request.parent}"
        before = await self.texts.get(
            key, lambda: self.api.text(place, _RAW, (httpx.codes.NOT_FOUND,), ref=request.parent)
        )
        text = before or ""
        after = applied(text.split("\n") if text else [], hunks_of(request.patch).get(path, ()))
        sound = after is not None and all(
            "\ufffd" not in each and parses(path, each) for each in (text, "\n".join(line or "" for line in after))
        )
        return MaskedFile(path, text) if sound else None
