"""What a person must hear of who only sees that nothing is offered: what is wrong with the configuration."""

from __future__ import annotations

from collections.abc import Callable

from server.errors import ProviderError, ProviderMissing, SettingsError
from server.keys import masked
from server.settings import ProviderSettings

MOST = 3
"""How many are shown: some reasons differ from question to question."""
_LONGEST = 1000


class Complaints:
    """Shows each reason once, and no more than `MOST` of them. Failures of another kind pass, and are not shown."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._shown: set[str] = set()

    def hear(self, error: ProviderError | SettingsError) -> None:
        """Take in why a question failed, or will."""
        reason = masked(str(error))[:_LONGEST]
        if not isinstance(error, ProviderMissing | SettingsError) or reason in self._shown or len(self._shown) == MOST:
            return
        self._shown.add(reason)
        self._show(f"ghosttape: {reason}")


def refuse_oracle(provider: ProviderSettings) -> None:
    """Refuse to start with a provider that has nothing to say to an editor.

    Raises:
        SettingsError: it is the oracle, without answers of its own.

    """
    if provider.name == "oracle" and not provider.answers:
        raise SettingsError(
            "provider 'oracle' says what was really written next, which only a replay knows: "
            "ghosttape replay TAPES --provider oracle"
        )
