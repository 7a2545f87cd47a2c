"""What `corpora build` runs with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpora.agent.building import STAGE_NAMES
from corpora.agent.distribution import read_distribution
from corpora.agent.sampling import SampleChoice
from server.nearest import did_you_mean
from tui.errors import ConfigurationError


def refuse_unknown(kind: str, until: str) -> None:
    """Refuse a kind of corpus or a stage that there is not.

    Raises:
        ConfigurationError: it is so.

    """
    if kind != "codev":
        raise ConfigurationError(f"no corpus of the kind {kind!r} is built{did_you_mean(kind, ['codev'])}: codev is")
    if until not in STAGE_NAMES:
        raise ConfigurationError(
            f"--until: {until!r} is no stage{did_you_mean(until, STAGE_NAMES)}: choose one of {', '.join(STAGE_NAMES)}"
        )


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
