"""What can go wrong with a recording."""

from __future__ import annotations

from replay.errors import ReplayError


class RecordingStopped(ReplayError):  # noqa: N818 - named for what happened
    """The recording cannot go on; the message says why. What was written so far is a tape."""
