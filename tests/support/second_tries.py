"""What a second try of a test came to, as pytest reports it."""

from pathlib import Path
from xml.etree import ElementTree as ET

LEFT_OUT = "GHOSTTAPE_TEST_LEFT_OUT"
"""A file for what was left out, by which `tests/real` sums several runs up."""


def has_passed(report: Path) -> bool:
    """Whether each test of a report (JUnit) passed; one that was skipped has not."""
    cases = [*ET.parse(report).iter("testcase")] if report.exists() else []
    return bool(cases) and not any(
        case.find(bad) is not None for case in cases for bad in ("failure", "error", "skipped")
    )
