"""A real run of two tapes, as the live screen meets it."""

from tests.support.live_run import beside, real_run, scene  # noqa: F401
