"""Screens under test (Textual's Pilot) that wait for what happens, and not for the processor."""

import pytest
from textual.app import App
from textual.pilot import Pilot


@pytest.fixture(autouse=True)
def lasting_notifications(monkeypatch):
    """Messages stay until they are looked at, however long a busy machine takes."""
    monkeypatch.setattr(App, "NOTIFICATION_TIMEOUT", 600)


@pytest.fixture(autouse=True)
def steady_keys(monkeypatch):
    """A key or a pause ends when what it set off is handled: a message, and those that follow from it.

    Textual handles one round of messages, and waits for the others until the processor has nothing to do; to a process
    that waits for its turn on a busy machine that seems to be so at once.
    """
    handled = Pilot._wait_for_screen

    async def all_handled(self, timeout=600.0):
        return all([await handled(self, timeout) for _ in range(3)])

    monkeypatch.setattr(Pilot, "_wait_for_screen", all_handled)
