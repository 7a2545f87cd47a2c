"""Filters as the person's preferences keep them, and as the inspector uses them."""

from __future__ import annotations

from msgspec import structs

from replay.run.listing.selection import FACETS, SORTS, MomentSelection
from tui.preferences import Preferences, SavedFilter


def filter_of(selection: MomentSelection) -> SavedFilter:
    """Return what is kept of a selection."""
    facets = {name: list(values) for name, values in selection.facets.items()}
    return SavedFilter(facets, selection.text, selection.failures, selection.sort, selection.descending)


def selection_of(kept: SavedFilter) -> MomentSelection:
    """Return the selection that was kept; facets and orders that are unknown are left out."""
    facets = {name: tuple(values) for name, values in kept.facets.items() if name in FACETS}
    return MomentSelection(facets, kept.text, kept.failures, kept.sort if kept.sort in SORTS else "", kept.descending)


def without_filter(name: str, known: Preferences) -> Preferences:
    """Return the preferences without a saved filter."""
    return structs.replace(known, filters={other: kept for other, kept in known.filters.items() if other != name})
