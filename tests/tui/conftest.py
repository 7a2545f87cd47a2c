"""A run made through the store, a run of the engine, and no preferences of a person."""

from tests.support.asking_again import asked_run, played  # noqa: F401
from tests.support.inspected_run import folder, own_preferences, real_run  # noqa: F401
