"""CodeAlign as a benchmark: a model solves problems under instructions, rules and judges verify, and the problems' tests run too."""

from corpora.codealign.benchmark.benchmark_run import AlignmentRun
from corpora.codealign.benchmark.problems import StandaloneProblem, problems_in

__all__ = ["AlignmentRun", "StandaloneProblem", "problems_in"]
