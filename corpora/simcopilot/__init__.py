"""SimCopilot (Jiang et al. 2025): 1,163 gaps in 15 programs in Python and Java, tested by what the programs write."""

from corpora.simcopilot.corpus import SimCopilot

__all__ = ["SimCopilot"]
