"""A run made through the store, and no preferences of a person."""

from tests.support.inspected_run import folder, own_preferences  # noqa: F401
