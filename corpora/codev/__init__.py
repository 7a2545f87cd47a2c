"""Codev-Bench: blocks inside real repositories, judged by just the unit tests that reach them (Pan et al. 2024, arXiv 2410.01353)."""
