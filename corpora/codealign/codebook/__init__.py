"""How the catalogue grows: people compare two passing solutions and say what they would tell an author; a model groups what they said."""

from corpora.codealign.codebook.pairs import SolutionPair, drawn_pairs, read_pairs, write_pairs
from corpora.codealign.codebook.rater_preferences import (
    Preference,
    Showing,
    read_preferences,
    showings,
    write_preference,
)

__all__ = [
    "Preference",
    "Showing",
    "SolutionPair",
    "drawn_pairs",
    "read_pairs",
    "read_preferences",
    "showings",
    "write_pairs",
    "write_preference",
]
