"""What a model is shown of the project: the text around the cursor, and what lies about elsewhere, each within its budget.

Pure: the same surroundings give the same bytes. The start of the prefix moves in steps of half its size, not with every key,
and what comes before it changes only with whole lines, so that a model's cache of the prompt holds from one key to the next.
"""

from __future__ import annotations

from server.context.budget import CHARACTERS_A_TOKEN, ORDER, Budget, allotted
from server.context.choosing import Context, Surroundings, choose
from server.context.edits import Edit, RecentEdits
from server.context.pieces import Snippet, unix

__all__ = [
    "CHARACTERS_A_TOKEN",
    "ORDER",
    "Budget",
    "Context",
    "Edit",
    "RecentEdits",
    "Snippet",
    "Surroundings",
    "allotted",
    "choose",
    "unix",
]
