"""Runs, and reports of them."""

from tests.support.reported_runs import reported, run_of  # noqa: F401
