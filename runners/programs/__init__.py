"""Programs of one file that are their own tests, as benchmarks have them."""

from runners.programs.program import (
    CXX,
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
    verdict,
)

__all__ = [
    "CXX",
    "JAVA",
    "JAVAC",
    "LANGUAGES",
    "TSC",
    "WITNESSED",
    "Cold",
    "Program",
    "Programs",
    "cold",
    "files_of",
    "plan_of",
    "verdict",
]
