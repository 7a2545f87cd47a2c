"""DevBench (Golnari et al. 2026, arXiv 2601.11895): 1,800 gaps in programs that test themselves, in 6 languages and 6 categories."""

from corpora.devbench.corpus import DevBench

__all__ = ["DevBench"]
