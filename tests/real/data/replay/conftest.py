"""Data sets of accept / reject decisions."""

import pytest

from tools.acceptance import fit as fitting


@pytest.fixture(scope="module")
def study(shared):
    return fitting.read_any(shared / "acceptance" / "copilot_study.jsonl")
