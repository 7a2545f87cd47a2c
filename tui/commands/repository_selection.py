"""The command `corpora choose`: repositories that may become a benchmark, each with the reasons for and against it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from corpora.agent.repositories.criteria import (
    ChoiceCriteria,
    ChoiceReason,
    LightJudge,
    RepositoryChoice,
    RepositoryFacts,
    light_by_model,
    light_by_rules,
)
from corpora.agent.repositories.github import GitHubSearch
from corpora.agent.repositories.local import local_facts
from corpora.errors import CorpusError, DataError, FetchError
from corpora.github_api import client_of, github_name
from corpora.history.advice import AdvisingProvider
from server.settings import ProviderSettings
from tui.errors import ConfigurationError
from tui.terminal_text import one_line

_MARKS = {True: "+", False: "-", None: "?"}


@dataclass(frozen=True, slots=True)
class ChoosingRequest:
    """The arguments of `corpora choose`."""

    named: Sequence[str]
    """Folders, and repositories of GitHub as OWNER/NAME or by address."""
    search: str
    """The language to search GitHub for; empty: no search."""
    limit: int
    months: float
    stars: int
    provider: ProviderSettings | None
    """The chat model that judges READMEs; None: rules."""


def names_in(file: Path) -> list[str]:
    """The lines of a list of repositories, without blank ones and comments.

    Raises:
        DataError: it cannot be read.

    """
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(file, 0, f"cannot be read: {error}") from error
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


async def choose(request: ChoosingRequest) -> list[RepositoryChoice]:
    """Judge the repositories, in their order. One that cannot be looked at is not chosen, and its reason says why.

    Raises:
        ConfigurationError: none is named, or one is neither a folder nor of GitHub.
        FetchError, DataError: none can be looked at.
        ProviderError: the model cannot be asked.

    """
    if not request.named and not request.search:
        raise ConfigurationError("name repositories (folders, OWNER/NAME), a list with --list, or --search LANGUAGE")
    criteria = ChoiceCriteria(datetime.now(UTC), request.months, request.stars)
    criteria = replace(criteria, light=_judge(request.provider))
    found, failures = list[RepositoryChoice](), list[CorpusError]()
    async with client_of() as client:
        for name, source in _sources(request, criteria, GitHubSearch(client)):
            try:
                async for facts in source:
                    found.append(await criteria.judged(facts))
            except (FetchError, DataError) as error:
                failures.append(error)
                found.append(RepositoryChoice(name, name, (ChoiceReason("reached", False, str(error)),)))
    if failures and len(failures) == len(found):
        raise failures[0]
    return found


def _judge(settings: ProviderSettings | None) -> LightJudge:
    if settings is None:
        return light_by_rules
    chat = AdvisingProvider(settings, one_line(settings.model or settings.name))

    async def by_model(facts: RepositoryFacts) -> ChoiceReason:
        return await light_by_model(facts, chat.answer)

    return by_model


def _sources(
    request: ChoosingRequest, criteria: ChoiceCriteria, search: GitHubSearch
) -> Iterator[tuple[str, AsyncIterator[RepositoryFacts]]]:
    """Each repository that is named, and the search, with what is known there."""
    for name in request.named:
        yield name, _named(name, search)
    if request.search:
        yield f"search for {request.search}", search.search(criteria, request.search, request.limit)


async def _named(name: str, search: GitHubSearch) -> AsyncIterator[RepositoryFacts]:
    if Path(name).is_dir():  # noqa: ASYNC240 - one look at a folder that a person names
        yield local_facts(Path(name))
    elif known := github_name(name):
        yield await search.named(known)
    else:
        raise ConfigurationError(f"{name} is neither a folder nor OWNER/NAME of GitHub")


def as_json(found: Sequence[RepositoryChoice]) -> dict[str, Any]:
    """The choices as a document."""
    return {"repositories": [{"chosen": each.chosen, "choice": each} for each in found]}


def show_choices(found: Sequence[RepositoryChoice]) -> None:
    """Print each repository with its reasons, and how many are chosen."""
    for each in found:
        typer.echo(f"{'chosen    ' if each.chosen else 'not chosen'} {one_line(each.name)}")
        for reason in each.reasons:
            typer.echo(f"    {_MARKS[reason.met]} {one_line(reason.said)}")
    typer.echo(f"{sum(each.chosen for each in found)} of {len(found)} chosen")


def write_chosen(found: Sequence[RepositoryChoice], out: Path) -> None:
    """Write the places of those that are chosen, one a line, as --list reads them."""
    out.write_text("".join(f"{each.place}\n" for each in found if each.chosen), "utf-8")
