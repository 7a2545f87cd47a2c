"""Programs of one file that are their own tests, as benchmarks have them."""

from runners.programs.program import (
    CXX,
    CXX_OPTIONS,
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
    "CXX_OPTIONS",
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
