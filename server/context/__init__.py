"""Chooses what a model sees of the project: the text around the cursor, and pieces of other places, each within its budget.

Pure: the same surroundings give the same bytes. The start of the prefix moves in steps of half its size, not with every key, and the
pieces before it change only with whole lines. So a model's cache of the prompt stays valid from one key to the next.
"""

from __future__ import annotations

from server.context.budget import CHARACTERS_A_TOKEN, ORDER, Budget, allotted
from server.context.context_selection import Context, RecentEdit, RecentEdits, Surroundings, choose
from server.context.pieces import Snippet, unix

__all__ = [
    "CHARACTERS_A_TOKEN",
    "ORDER",
    "Budget",
    "Context",
    "RecentEdit",
    "RecentEdits",
    "Snippet",
    "Surroundings",
    "allotted",
    "choose",
    "unix",
]
