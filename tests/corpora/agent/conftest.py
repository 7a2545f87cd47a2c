"""A made-up repository from which blocks were built."""

from tests.support.built_blocks import built  # noqa: F401
