"""What runs programs."""

from tests.support.sandboxes import fresh_programs as programs  # noqa: F401
