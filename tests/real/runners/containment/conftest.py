"""Hostile programs, the host that they would harm, and every sandbox that must hold them."""

from tests.support.containment import host, interpreter, job, walls  # noqa: F401
