"""What can go wrong while tapes become files of other formats.

ReplayError (replay.errors)
└── ExportRefusedError   an export as a whole cannot be done; nothing of it was written
"""

from __future__ import annotations

from replay.errors import ReplayError


class ExportRefusedError(ReplayError):
    """An export cannot be done; no file of it was written."""
