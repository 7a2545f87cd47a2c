"""Standalone problems from published benchmarks, for the instructions of developers: a request, a reference, and tests that see a whole program."""

from corpora.standalone.problem_files import read_problems
from corpora.standalone.problem_set import ReadProblems

__all__ = ["ReadProblems", "read_problems"]
