"""Answers that are known before the question is asked, told to the server in a file: the oracle's, published ones."""

from __future__ import annotations

from pathlib import Path

import msgspec

from replay.play.player_instructions import Ask
from server.providers.recorded import answer_key


class KnownAnswers:
    """A file of answers that the server's provider reads while it grows. Each answer is written just before its question is asked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def add(self, ask: Ask, text: str | None) -> None:
        """Append one JSON line (`key`, `text`) if there is an answer. A later line for one question counts."""
        if text is not None:
            stop = ask.moment.stop if ask.moment.next_edit is None else "edit"
            row = {"key": answer_key(ask.before, ask.after, stop), "text": text}
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(row) + b"\n")
