"""What a finished run says about the code: one class, one line of reason, and the counts.

The class is defined in `result.py`, decided in `classification.py`, by the data in `class_rules.py`.
"""

from runners.verdicts.classification import (
    against_baseline,
    classify,
    classify_ending,
    ending,
    infrastructure,
    merge_baselines,
    restrict_to,
)
from runners.verdicts.result import CLASSES, LOG_LENGTH, MESSAGE_LENGTH, Result, VerdictClass
from runners.verdicts.retry import RetryPolicy, infrastructure_failure
from runners.verdicts.shown_text import first_line, plain, tail

__all__ = [
    "CLASSES",
    "LOG_LENGTH",
    "MESSAGE_LENGTH",
    "Result",
    "RetryPolicy",
    "VerdictClass",
    "against_baseline",
    "classify",
    "classify_ending",
    "ending",
    "first_line",
    "infrastructure",
    "infrastructure_failure",
    "merge_baselines",
    "plain",
    "restrict_to",
    "tail",
]
