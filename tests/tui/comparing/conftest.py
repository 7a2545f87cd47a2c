"""Two real runs over the same tapes."""

from tests.support.two_runs import two_runs  # noqa: F401
