"""A run made through the store, a run of the engine, and no preferences of a person."""

import pytest
from textual.app import App

from tests.support.asking_again import asked_run, played  # noqa: F401
from tests.support.inspected_run import folder, own_preferences, real_run  # noqa: F401


@pytest.fixture(autouse=True)
def lasting_notifications(monkeypatch):
    """Messages stay until they are looked at, however long a busy machine takes."""
    monkeypatch.setattr(App, "NOTIFICATION_TIMEOUT", 600)
