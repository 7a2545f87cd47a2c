"""Shows errors in the configuration to the person, who otherwise only sees that no completion appears."""

from __future__ import annotations

from collections.abc import Callable

from server.errors import ProviderError, ProviderMissing, SettingsError
from server.keys import masked
from server.settings import ProviderSettings

MOST_SHOWN = 3
"""The largest number of messages: some reasons differ from request to request."""
_LONGEST = 1000


class ConfigurationErrors:
    """Shows each reason once, and `MOST_SHOWN` reasons at most. Other errors are not shown."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._shown: set[str] = set()

    def report(self, error: ProviderError | SettingsError) -> None:
        """Show why requests fail, if the configuration is the reason."""
        if not isinstance(error, ProviderMissing | SettingsError):
            return
        reason = masked(str(error))[:_LONGEST]
        if reason not in self._shown and len(self._shown) < MOST_SHOWN:
            self._shown.add(reason)
            self._show(f"ghosttape: {reason}")


def refuse_oracle(provider: ProviderSettings) -> None:
    """Refuse to start with a provider that has no answers for an editor.

    Raises:
        SettingsError: the provider is the oracle, and no file of answers is named.

    """
    if provider.name == "oracle" and not provider.answers:
        raise SettingsError(
            "provider 'oracle' answers with what was really written next, which only a replay knows: "
            "ghosttape replay TAPES --provider oracle"
        )
