"""The command `corpora pull-requests`: questions about the pull requests of clones, and of repositories on GitHub."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.text import Text

from corpora.efcb.making import PullRequest, QuestionMaker, write_questions
from corpora.efcb.making.git_pull_requests import enough, kept, whole_files
from corpora.efcb.making.github_pull_requests import MOST, GitHubPullRequests, KeptTexts
from corpora.efcb.questions import MaskedFile
from corpora.github_api import GitHubApi, client_of, github_name
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of
from tui.terminal_text import one_line
from tui.watching.waiting import Waiting


def made(repositories: Sequence[str], out: Path, seed: int, limit: int | None) -> dict[str, dict[str, int]]:
    """Write questions about the pull requests of each repository below `out`; returns how many of each task.

    Raises:
        HistoryError: one is no repository, or has too few pull requests.
        FetchError: GitHub cannot be reached, or refuses.
        ConfigurationError: two have the same name, or one is neither a folder nor of GitHub.

    """
    names = [_name(repository) for repository in repositories]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ConfigurationError(f"two repositories are called {twice}: rename the folder of one")
    counts = {}
    with Waiting(SafeConsole(stderr=True), "pull requests are read") as waiting:
        for repository, name in zip(repositories, names, strict=True):
            waiting.show(name)
            if Path(repository).is_dir():
                maker = QuestionMaker(kept(repository, limit), seed, whole_files(repository))
                counts[name] = write_questions(maker, out, name)
            else:
                counts[name] = asyncio.run(_of_github(github_name(repository), out, seed, limit or MOST, waiting))
    return counts


def _name(repository: str) -> str:
    """What the folder of a repository's questions is called."""
    if Path(repository).is_dir():
        return Path(repository).resolve().name
    if name := github_name(repository):
        return name.partition("/")[2]
    raise ConfigurationError(f"{repository} is neither a folder nor OWNER/NAME of GitHub")


async def _of_github(name: str, out: Path, seed: int, limit: int, waiting: Waiting) -> dict[str, int]:
    folder = name.partition("/")[2]
    async with client_of() as client:
        api = GitHubApi(client, notify=lambda told: waiting.show(f"{name}: {told}"))
        texts = KeptTexts(out / f"{name.replace('/', '+')}.fetched.jsonl")
        requests = GitHubPullRequests(api, name, texts)

        def notify(looked: int, found: int) -> None:
            waiting.show(f"{name}: {number_of(looked, 'pull request')} read, {found:,} of {limit:,} kept", found, limit)

        found = enough(await requests.merged(limit, notify), name)
        loop = asyncio.get_running_loop()

        def whole_file(request: PullRequest, path: str) -> MaskedFile | None:
            return asyncio.run_coroutine_threadsafe(requests.whole_file(request, path), loop).result()

        waiting.show(f"{name}: the files that are masked")
        return await asyncio.to_thread(write_questions, QuestionMaker(found, seed, whole_file), out, folder)


def show_made(counts: Mapping[str, Mapping[str, int]], out: Path) -> None:
    """Print how many questions were made, and what to do with them."""
    console = SafeConsole()
    for name, own in counts.items():
        told = ", ".join(f"{number:,} {task}" for task, number in own.items())
        console.print(f"{one_line(name)}: {told}")
    console.print(Text(f"What rules solve of them without a model: ghosttape ask efcb --data {out}", "bold"))
