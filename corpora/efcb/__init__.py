"""EFCB (Liang 2025, Environment Free Coding Benchmarks): 5,512 questions about pull requests, with what rules solve that ask no model."""

from corpora.efcb.efcb_files import read
from corpora.efcb.questions import PullRequestQuestion, TaskName

__all__ = ["PullRequestQuestion", "TaskName", "read"]
