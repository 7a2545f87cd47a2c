"""The public fake as tests use it: the plain server's plan and log, and the words that start it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.providers.language_server import plain_server


@dataclass(slots=True)
class PlainServer:
    """A language server of the standard library alone (`plain_server.py`), with its files in a folder."""

    folder: Path

    def __post_init__(self) -> None:
        """Begin without a plan."""
        self.plan({})

    @property
    def command(self) -> Sequence[str]:
        """What starts it."""
        return (sys.executable, "-I", plain_server.__file__, str(self._plan))

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"

    @property
    def _log(self) -> Path:
        return self.folder / "log.jsonl"

    def plan(self, steps: dict[str, Any]) -> None:
        """Say what it does from now on, by method (`plain_server.py` has the words)."""
        new = self.folder / "plan.new"
        new.write_text(json.dumps({**steps, "log": str(self._log)}), encoding="utf-8")
        new.replace(self._plan)  # at once: it reads while this is written

    def messages(self) -> list[dict[str, Any]]:
        """What it was sent, and `{"answered": id}` for what it answered, in their order."""
        if not self._log.exists():
            return []
        *whole, _ = self._log.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in whole]

    def sent(self, method: str) -> list[dict[str, Any]]:
        """The parameters of all messages of one method."""
        return [message.get("params", {}) for message in self.messages() if message.get("method") == method]
