"""What runs programs, and a repository from which blocks were built."""

from tests.support.built_blocks import built  # noqa: F401
from tests.support.sandboxes import fresh_programs as programs  # noqa: F401
