"""What a finished run says about the code: one class, one line of reason, and the counts."""

from runners.verdicts.judging import classify, ending, infrastructure
from runners.verdicts.machine import Machine, machine_failure
from runners.verdicts.result import CLASSES, LOG_LENGTH, MESSAGE_LENGTH, Class, Result, among, both, in_full
from runners.verdicts.wording import first_line, plain, tail

__all__ = [
    "CLASSES",
    "LOG_LENGTH",
    "MESSAGE_LENGTH",
    "Class",
    "Machine",
    "Result",
    "among",
    "both",
    "classify",
    "ending",
    "first_line",
    "in_full",
    "infrastructure",
    "machine_failure",
    "plain",
    "tail",
]
