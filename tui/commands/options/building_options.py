"""What `corpora build` runs with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpora.agent.building import STAGE_NAMES
from corpora.agent.distribution import read_distribution
from corpora.agent.sampling import SampleChoice
from replay.options import ORACLE
from server.nearest import did_you_mean
from server.providers import registry
from server.settings import ProviderSettings
from tui.commands.options.chats import ASSISTANTS
from tui.commands.options.configuration import settings_of
from tui.commands.options.parameters import Given, members_of
from tui.errors import ConfigurationError


def refuse_unknown(kind: str, until: str, provider: str) -> None:
    """Refuse an unknown kind of corpus, stage or provider, and a provider that is named where the corpus is not built to its end. `""` names no provider.

    Raises:
        ConfigurationError, SettingsError: one of them is refused; the message names those that exist.

    """
    if kind != "codev":
        raise ConfigurationError(f"no corpus of the kind {kind!r} is built{did_you_mean(kind, ['codev'])}: codev is")
    if until not in STAGE_NAMES:
        raise ConfigurationError(
            f"--until: {until!r} is no stage{did_you_mean(until, STAGE_NAMES)}: choose one of {', '.join(STAGE_NAMES)}"
        )
    if provider and until != STAGE_NAMES[-1]:
        raise ConfigurationError(f"--evaluate needs blocks, and --until {until} ends before there are any")
    if provider and provider != ORACLE:
        registry.check(provider)


def advisor_of(given: Given, settings: str, *, asks: bool, runs: bool) -> ProviderSettings | None:
    """The model that is asked how a repository is tested; None: none is.

    Raises:
        ConfigurationError, SettingsError: it answers no questions, a setting is malformed, or what it proposes is to run and nothing is asked.

    """
    if not asks:
        if runs:
            raise ConfigurationError("--run-proposals is about what --ask-model brings: add that, or leave it out")
        return None
    if given["provider"] not in ASSISTANTS:
        raise ConfigurationError(
            f"--ask-model needs a model that answers questions: choose --provider {', '.join(ASSISTANTS[:-1])} or {ASSISTANTS[-1]}"
        )
    return settings_of(settings, members_of(ProviderSettings, given)).provider


def choice_of(
    number: int,
    blocks: Path | None,
    seed: int,
    lines: int,
    *,
    paths: Sequence[str] | None,
    excluded: Sequence[str] | None,
) -> SampleChoice:
    """Which blocks are wanted.

    Raises:
        DataError: the file of the distribution is malformed.

    """
    distribution = read_distribution() if blocks is None else read_distribution(blocks)
    return SampleChoice(number, distribution, seed, lines, tuple(paths or ()), tuple(excluded or ()))
