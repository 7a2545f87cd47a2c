"""A run made through the store, a run of the engine, no preferences of a person, and screens that a busy machine does not hurry."""

from tests.support.asking_again import asked_run, played  # noqa: F401
from tests.support.inspected_run import folder, own_preferences, real_run  # noqa: F401
from tests.support.steady_screens import lasting_notifications, steady_keys  # noqa: F401
