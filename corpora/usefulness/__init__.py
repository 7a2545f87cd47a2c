"""Relevance and helpfulness of suggestions, scored by a judge, as DevBench does (Golnari et al. 2026, section 3.3 and Appendix B.4)."""

from corpora.usefulness.usefulness_judge import (
    DIMENSIONS,
    GAP,
    JudgedSuggestion,
    SuggestionJudges,
    code_with_gap,
    suggestions_of,
)
from corpora.usefulness.usefulness_report import usefulness

__all__ = ["DIMENSIONS", "GAP", "JudgedSuggestion", "SuggestionJudges", "code_with_gap", "suggestions_of", "usefulness"]
