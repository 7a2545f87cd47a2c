"""Runs to report."""

from tests.support.reported_runs import run_of  # noqa: F401
