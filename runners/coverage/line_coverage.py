from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runners import witness


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each file (path from the project's root) and line the tests that execute it; None: whatever all of them need.

    `unseen` are tests of which it is not known what they touch, as they start processes, or trace themselves.
    """

    lines: Mapping[str, Mapping[int, frozenset[str] | None]]
    unseen: frozenset[str] = frozenset()

    def touching(self, path: str, first: int, last: int) -> frozenset[str] | None:
        """Return the tests that may notice a change in these lines (from 1, both included); None: any of them may.

        That is so where a line is executed for all tests at once (as when files are imported), and where no test is known to
        execute any.
        """
        own = self.lines.get(path, {})
        touched = [own[line] for line in range(first, last + 1) if line in own]
        names = [tests for tests in touched if tests is not None]
        if not touched or len(names) < len(touched):
            return None
        return self.unseen.union(*names)


def unpacked(said: list[str], kind: str = "touched") -> bytes | None:
    """Return what a witness found out, of all that was said; None unless just one did, and as ours does."""
    packed = [word.removeprefix(f"{kind} ") for word in said if word.startswith(f"{kind} ")]
    return witness.unpacked(packed[0]) if len(packed) == 1 else None
