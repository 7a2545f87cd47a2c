"""Programs of one file that are their own tests, as benchmarks have them."""

from runners.programs.program import (
    CXX,
    HIDE,
    JAVA,
    JAVAC,
    LANGUAGES,
    TSC,
    WITNESSED,
    Cold,
    Program,
    Programs,
    cold,
    files_of,
    plan_of,
    variables_of,
    verdict,
    witness_files,
)
from runners.programs.reached import ReachedChecks

__all__ = [
    "CXX",
    "HIDE",
    "JAVA",
    "JAVAC",
    "LANGUAGES",
    "TSC",
    "WITNESSED",
    "Cold",
    "Program",
    "Programs",
    "ReachedChecks",
    "cold",
    "files_of",
    "plan_of",
    "variables_of",
    "verdict",
    "witness_files",
]
