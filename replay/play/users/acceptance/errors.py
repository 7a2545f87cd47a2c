"""What can go wrong with the acceptance model: ReplayError → CoefficientsError, TrialsError."""

from __future__ import annotations

from replay.errors import ReplayError


class CoefficientsError(ReplayError):
    """A file of coefficients cannot be read, or no model can be made of it."""


class TrialsError(ReplayError):
    """Accept / reject data cannot be read: `file:line: reason`."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}:{line}: {reason}" if line else f"{source}: {reason}")
        self.source, self.line, self.reason = source, line, reason
