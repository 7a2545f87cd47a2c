"""How many blocks of each type are wanted, and in which order those of a type are tried."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from corpora.codev.samples import BlockGroup
from corpora.errors import DataError

PUBLISHED = Path(__file__).with_name("distribution.toml")
_Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class BlockDistribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of blocks by type (rows of the paper's Table 2), in any unit."""

    blocks: dict[BlockGroup, _Share]

    def wanted(self, number: int) -> dict[BlockGroup, int]:
        """How many blocks of each type there are among so many, by largest remainders: they add up to `number`.

        Example: of 31 by Table 2, 3 METHOD, 8 IF, 6 FOR, 4 TRY and 10 STATEMENT.
        """
        total = sum(self.blocks.values())
        exact = {group: number * share / total for group, share in self.blocks.items()}
        found = {group: int(value) for group, value in exact.items()}
        rests = sorted(exact, key=lambda group: found[group] - exact[group])
        for group in rests[: number - sum(found.values())]:
            found[group] += 1
        return found


def read_distribution(file: Path = PUBLISHED) -> BlockDistribution:
    """Read a file of shares.

    Raises:
        DataError: it cannot be read, is malformed, or wants nothing.

    """
    try:
        found = msgspec.toml.decode(file.read_bytes(), type=BlockDistribution)
    except OSError as error:
        raise DataError(file, 0, f"cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise DataError(file, 0, f"is no distribution of blocks: {error}") from error
    if not sum(found.blocks.values()):
        raise DataError(file, 0, "wants no block of any type: give at least one a number above 0 in [blocks]")
    return found


def in_lots(names: Iterable[str], seed: int) -> Sequence[str]:
    """Names in the order in which the seed draws them; names that come or go change nothing between the others."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest())


def still_wanted(wanted: Mapping[BlockGroup, int], kept: Mapping[BlockGroup, int]) -> dict[BlockGroup, int]:
    """Type → how many more blocks of it are wanted; types that have enough are left out."""
    return {group: number - kept.get(group, 0) for group, number in wanted.items() if number > kept.get(group, 0)}
