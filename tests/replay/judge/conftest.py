"""A judge that selects the tests of a small project."""

from tests.support.selected_tests import prepare  # noqa: F401
