"""Warm workers: the verdicts of `runners.programs.cold`, sooner."""

from runners.warm.programs import warm

__all__ = ["warm"]
