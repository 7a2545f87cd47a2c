"""Sizes and themes in which pictures of screens are compared: `make test` has one of a small and one of a middle screen, `make test-real` all others."""

import itertools

import pytest

SMALL_DARK, MIDDLE_LIGHT = ((80, 24), "dark"), ((120, 40), "light")
ALL = [*itertools.product([(80, 24), (120, 40), (200, 60)], ["dark", "light"])]


def in_looks(*looks):
    """Try a test with each of these sizes and themes."""
    names = [f"{columns}x{lines}-{theme}" for (columns, lines), theme in looks]
    return pytest.mark.parametrize(("size", "theme"), looks, ids=names)


in_two_looks = in_looks(SMALL_DARK, MIDDLE_LIGHT)
in_other_looks = in_looks(*(look for look in ALL if look not in {SMALL_DARK, MIDDLE_LIGHT}))
