"""What can go wrong in an export.

ReplayError (replay.errors)
└── ExportRefusedError   the export cannot be done; nothing was written
"""

from __future__ import annotations

from replay.errors import ReplayError


class ExportRefusedError(ReplayError):
    """The export cannot be done; no file was written."""
