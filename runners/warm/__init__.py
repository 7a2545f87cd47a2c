"""Warm workers: the verdicts of `runners.programs.cold`, sooner."""

from runners.warm.programs import Warm, warm

__all__ = ["Warm", "warm"]
