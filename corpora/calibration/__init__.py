"""What a judge is worth: how far its scores agree with labels of people, with themselves, and with the length of what is judged."""

from corpora.calibration.reliability import (
    JudgedCase,
    LabelledCase,
    judge_cases,
    read_cases,
    reliability_of,
    write_cases,
)

__all__ = ["JudgedCase", "LabelledCase", "judge_cases", "read_cases", "reliability_of", "write_cases"]
