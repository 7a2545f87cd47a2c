"""Warm workers: the verdicts of `runners.programs.cold`, sooner."""

from runners.warm.warm_programs import warm

__all__ = ["warm"]
