"""Sizes and themes in which pictures of screens are compared: `make test` has the small dark screen, `make test-real` all others."""

import itertools

import pytest

SMALL_DARK = ((80, 24), "dark")
ALL = [*itertools.product([(80, 24), (120, 40), (200, 60)], ["dark", "light"])]


def in_looks(*looks):
    """Try a test with each of these sizes and themes."""
    names = [f"{columns}x{lines}-{theme}" for (columns, lines), theme in looks]
    return pytest.mark.parametrize(("size", "theme"), looks, ids=names)


in_one_look = in_looks(SMALL_DARK)
in_other_looks = in_looks(*(look for look in ALL if look != SMALL_DARK))
