"""What `ghosttape watch` says of what happens, a line each."""

from __future__ import annotations

import shlex

from tui.folders.replays import ReplayBegan, ReplayEnded, SettingsChanged, WatchEvent
from tui.folders.tapes import TapeBroken
from tui.summary_figures import judged_counts, moments_words, passed_words
from tui.terminal_text import message


def event_line(event: WatchEvent) -> str:
    """One line about an event."""
    match event:
        case ReplayBegan(tape=tape):
            said = f"{tape.name}: is replayed"
        case ReplayEnded(tape=tape, summary=None, reason=reason):
            said = f"{tape.name}: could not be replayed: {reason}"
        case ReplayEnded(tape=tape, run=run, summary=summary):
            judged = judged_counts(summary or {})
            parts = [
                f"{moments_words(summary or {})} moments",
                passed_words(summary or {}) and f"passed {passed_words(summary or {})}",
            ]
            parts += [f"{judged.untestable:,} untestable" if judged.untestable else ""]
            said = f"{tape.name}: {', '.join(filter(None, parts))}  (ghosttape tui {shlex.quote(str(run))})"
        case TapeBroken(path=path, reason=reason):
            said = f"{path.name} is broken: {reason}"
        case SettingsChanged():
            said = "ghosttape.toml has changed: every tape is replayed again"
    return message(said)
