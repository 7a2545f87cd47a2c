"""The pictures of the screens in the docs: `live`, `inspect`, `hole`, `time`, `compare`, `prefer` and `label`, dark at 160 columns and 48 lines, light at 80 and 24; and `try`.

    python -m tools.pictures docs/pictures

The demo is replayed for them with the embedded model, and with the baseline `ngram` to compare it with. For `try` a project of the demo becomes a repository of
four commits. That takes four minutes. `python -m tools.pictures docs/pictures try` (or `prefer`) takes that one alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from corpora.calibration import write_cases
from corpora.codealign.codebook import Showing, SolutionPair
from corpora.usefulness import DIMENSIONS
from tools.terminal_picture import lines_left, run_on_terminal, terminal_picture
from tui.commands.inspect.comparing import side_by_side
from tui.commands.questions.judge_commands import suggestion_cases
from tui.comparing.app import ComparisonApp
from tui.inspector.app import Inspector
from tui.live.app import LiveApp
from tui.live.state import Lane
from tui.live.widgets.page_view import seen
from tui.rating.labelling import LabellingApp
from tui.rating.preferring import PreferringApp
from tui.themes import ThemedApp

LOOKS = {"dark": (160, 48), "light": (80, 24)}
"""The size of the terminal, in columns and lines, by theme."""
PAGES = {"inspect": "1", "hole": "2", "time": "7"}
"""The keys of the inspector's pages, by picture."""
_VERDICTS, _SPEED = 5, "20"
"""The picture of the live screen is taken after so many verdicts, while a suggestion stands on it, of a run at so many times the tape's pace."""
_GHOST = 8
_TRY = ("try", "--latency", "fixed:50")
"""The words of the command that is shown. With a latency that is given nothing is said of the machine that took the picture."""
_COMMITS = {
    "read entries": ("README.md", "ledger/__init__.py", "ledger/model.py", "ledger/parse.py", "tests/test_parse.py"),
    "balances of accounts": ("ledger/balance.py", "tests/test_balance.py"),
    "a report": ("ledger/report.py", "tests/test_report.py"),
    "the command line": ("ledger/cli.py", "ledger/__main__.py", "tests/test_cli.py"),
}
"""The commits of the repository that is tried: subject → the files that it brings in."""
_PATIENCE_S = 120.0
_REQUEST = "Write a function most_common(text) that returns the word which occurs most often in a text."
_FIRST = """def most_common(text):
    words = text.lower().split()
    counts = {}
    for word in words:
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    best = None
    for word in counts:
        if best is None or counts[word] > counts[best]:
            best = word
    return best
"""
_SECOND = '''from collections import Counter


def most_common(text: str) -> str | None:
    """The word that occurs most often, the first of several; None where there is none."""
    counts = Counter(text.lower().split())
    return max(counts, key=counts.__getitem__, default=None)
'''


def replay(provider: str, out: Path, *more: str) -> subprocess.Popen[bytes]:
    """Begin to replay the demo with a provider into a folder."""
    script = str(Path(sys.executable).with_name("ghosttape"))
    return subprocess.Popen(
        [script, "replay", "demo", "--provider", provider, "--plain", "--out", str(out), *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@asynccontextmanager
async def shown(app: ThemedApp, theme: str) -> AsyncIterator[Pilot[None]]:
    """An app in a terminal of its theme's size; the remembered theme stays as it is."""
    async with app.run_test(size=LOOKS[theme]) as pilot:
        app.theme = theme
        await pilot.pause()
        yield pilot


async def inspect(run: Path, out: Path, theme: str) -> None:
    """The inspector at the first failure, on each of `PAGES`."""
    async with shown(app := Inspector(run), theme) as pilot:
        await pilot.press("f")
        for name, key in PAGES.items():
            await pilot.press(key)
            await pilot.pause(0.5)
            _keep(app, out / f"{name}-{theme}.svg")


async def compare(runs: tuple[Path, Path], out: Path, theme: str) -> None:
    """Two runs side by side, at the first moment that changed."""
    async with shown(app := ComparisonApp(side_by_side(*runs, "hole", 0.05)), theme) as pilot:
        await pilot.pause(0.5)
        _keep(app, out / f"compare-{theme}.svg")


async def label(run: Path, out: Path, theme: str) -> None:
    """The screen on which a person scores suggestions, at the first of a run."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "cases.jsonl"
        write_cases(file, suggestion_cases(run))
        async with shown(app := LabellingApp(file, DIMENSIONS["helpfulness"], "ada"), theme):
            _keep(app, out / f"label-{theme}.svg")


async def live(folder: Path, out: Path, theme: str) -> None:
    """The live screen on a run that goes on, when some moments are over."""
    async with shown(app := LiveApp(folder), theme) as pilot:
        until = time.monotonic() + _PATIENCE_S
        while not _shows_enough(app):
            if time.monotonic() > until:
                raise TimeoutError(f"the run did not come to {_VERDICTS} verdicts in {_PATIENCE_S:g} s")
            await pilot.pause(0.05)
        _keep(app, out / f"live-{theme}.svg")


def _shows_enough(app: LiveApp) -> bool:
    lanes = app.state.lanes.values()
    judged = sum(record.verdict is not None for lane in lanes for record in lane.records.values())
    return judged >= _VERDICTS and any(_has_ghost(app, lane) for lane in lanes)


def _has_ghost(app: LiveApp, lane: Lane) -> bool:
    documents = app._documents.get(lane.name)  # noqa: SLF001 - no one else asks an app what it draws
    ghost = seen(lane, documents)[1] if documents else None
    return ghost is not None and len(ghost.text.strip()) > _GHOST


def tried(out: Path) -> None:
    """What `ghosttape try` leaves on the terminal, at 100 columns and at 80."""
    for theme, columns in (("dark", 100), ("light", 80)):
        with tempfile.TemporaryDirectory() as place:
            repository = Path(place) / "ledger"
            commit_ledger(repository)
            script = str(Path(sys.executable).with_name("ghosttape"))
            lines = lines_left(run_on_terminal([script, *_TRY], repository, columns))
            typed = " ".join(["ghosttape", *_TRY])
            (out / f"try-{theme}.svg").write_text(terminal_picture(typed, lines, columns, theme), "utf-8")


def commit_ledger(folder: Path) -> None:
    """Make a repository of the demo's project `ledger`, in four commits."""
    project = Path(str(files("corpora"))) / "demo" / "ledger"
    _git(folder.parent, "init", "--quiet", "-b", "main", str(folder))
    for subject, paths in _COMMITS.items():
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes((project / path).read_bytes())
        _git(folder, "add", ".")
        _git(folder, "commit", "--quiet", "-m", subject)


def _git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null")
    date = "2026-01-31T12:00:00Z"  # commits of one name each time, as sessions are typed by it
    known = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run(["git", "-C", str(folder), *name, *words], check=True, env=known)


async def prefer(out: Path, theme: str) -> None:
    """Two passing solutions, of which one is preferred."""
    pair = SolutionPair(name="1", problem="count", language="python", request=_REQUEST, first=_FIRST, second=_SECOND, sources=("a", "b"))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        showing = [Showing(pair, swapped=False), Showing(pair, swapped=True, repeated=True)]
        async with shown(app := PreferringApp(showing, Path(folder) / "preferences.jsonl", "ada"), theme) as pilot:
            await pilot.press("2")
            app.query_one("#told", Input).value = "Let Counter count the words."
            await pilot.press("enter")
            await pilot.pause(0.5)
            _keep(app, out / f"prefer-{theme}.svg")


def _keep(app: ThemedApp, path: Path) -> None:
    path.write_text(app.export_screenshot(title=path.stem.partition("-")[0]), encoding="utf-8")


def take(out: Path) -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "smollm2", Path(folder) / "ngram"
        for provider, run in (("gguf", one), ("ngram", other)):
            replay(provider, run).wait()
        for theme in LOOKS:
            asyncio.run(inspect(one, out, theme))
            asyncio.run(label(one, out, theme))
            asyncio.run(compare((other, one), out, theme))
            playing = replay("gguf", going := Path(folder) / theme / "demo", "--speed", _SPEED)
            try:
                asyncio.run(live(going, out, theme))
            finally:
                playing.terminate()
                playing.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take the pictures of the screens.")
    parser.add_argument("out", type=Path)
    parser.add_argument("which", nargs="?", choices=["all", "prefer", "try"], default="all")
    given = parser.parse_args()
    if given.which == "all":
        take(given.out)
    if given.which in {"all", "prefer"}:
        for theme in LOOKS:
            asyncio.run(prefer(given.out, theme))
    if given.which in {"all", "try"}:
        tried(given.out)
