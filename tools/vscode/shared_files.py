"""Write what the VS Code extension and ghosttape share: `make vscode`. A test compares the files with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from replay.recording.recorder import PROGRAM_IN_LINE
from tools.vscode import examples, policies, providers

FOLDER = Path(__file__).parents[2] / "vscode-ext"


def files() -> Iterator[tuple[Path, str]]:
    """The path and the text of each file."""
    manifest = FOLDER / "package.json"
    yield FOLDER / "src/typing/policies/policies.json", policies.tables()
    yield FOLDER / "test/typing/policies/pacing.json", policies.examples()
    yield FOLDER / "test/typing/policies/own.json", examples.own()
    yield FOLDER / "test/typing/flights.json", examples.flights()
    yield FOLDER / "src/recording/programs.json", json.dumps({"tests": PROGRAM_IN_LINE}, indent=2) + "\n"
    yield FOLDER / "src/providers/providers.json", providers.tables()
    yield manifest, providers.with_schema(manifest.read_text(encoding="utf-8"))


if __name__ == "__main__":
    for path, text in files():
        path.write_text(text, encoding="utf-8")
