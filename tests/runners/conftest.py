"""The sandboxes that work here without a container engine, and what runs in them."""

from tests.support.containment import host, interpreter, job, walls  # noqa: F401
from tests.support.sandboxes import (  # noqa: F401
    alive,
    bubblewrap,
    fresh_programs,
    missing,
    need_for,
    programs,
    python,
    run,
    sandbox,
)
