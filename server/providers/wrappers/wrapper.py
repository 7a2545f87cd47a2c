"""What every provider around another one has from that."""

from __future__ import annotations

from dataclasses import dataclass

from server.context import Budget, Context
from server.prompt import Prompt
from server.providers.protocol import Provider


@dataclass(slots=True)
class ProviderWrapper:
    """A provider around another one: whatever it does not say itself is the inner provider's own."""

    inner: Provider

    @property
    def name(self) -> str:
        """The provider's own name."""
        return self.inner.name

    @property
    def budget(self) -> Budget:
        """The provider's own budget."""
        return self.inner.budget

    @property
    def continues(self) -> bool:
        """The provider's own."""
        return self.inner.continues

    def prompt(self, context: Context) -> Prompt:
        """The provider's own prompt."""
        return self.inner.prompt(context)

    async def start(self) -> None:
        """The provider's own."""
        await self.inner.start()

    async def close(self) -> None:
        """The provider's own."""
        await self.inner.close()
