"""What can go wrong in a replay.

ReplayError
├── TapeError       a tape (or a recording) is malformed, or an event in it is impossible
├── ProjectError    the project that a tape belongs to cannot be laid out
├── ServerError     the language server under test died or does not speak inline completion
├── ProviderFailsError  the provider cannot answer, or failed again and again
├── StoreError      a run's folder cannot be read or written
├── KeptResultsError  the file of kept results cannot be read or written
├── GateError       a gate is malformed, or what CI reads of it cannot be written
├── LimitReachedError  nothing more may be asked: a limit of questions or of cost is reached
└── LeftOutError    a tape or a corpus cannot be played here
"""

from __future__ import annotations


class ReplayError(Exception):
    """Root of what this package raises."""


class TapeError(ReplayError):
    """A tape is malformed, or holds an event that cannot have happened: `file:line: reason`."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}:{line}: {reason}" if line else f"{source}: {reason}")
        self.source, self.line, self.reason = source, line, reason


class ProjectError(ReplayError):
    """The project of a tape cannot be laid out on disk."""


class ServerError(ReplayError):
    """The language server under test died, or does not offer inline completion."""


class ProviderFailsError(ReplayError):
    """The provider cannot answer, or failed again and again; the message says why, and what to do."""


class StoreError(ReplayError):
    """The folder of a run cannot be read or written."""


class KeptResultsError(ReplayError):
    """The file of kept results in the cache folder cannot be read or written: remove it, and it is made again."""


class GateError(ReplayError):
    """A gate is malformed, or what CI reads of it cannot be written."""


class LimitReachedError(ReplayError):
    """One more question could pass a limit that the person has set; what was finished is kept."""


class LeftOutError(ReplayError):
    """A tape or a corpus cannot be played here. `lacking`: something is merely missing on this machine; `project`: a clone with this commit."""

    def __init__(self, reason: str, *, lacking: bool, project: str = "") -> None:
        super().__init__(reason)
        self.lacking, self.project = lacking, project


def first_of(group: BaseExceptionGroup) -> BaseException:
    """The first error in a group of errors, at any depth."""
    found = group.exceptions[0]
    return first_of(found) if isinstance(found, BaseExceptionGroup) else found
