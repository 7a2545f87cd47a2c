"""What a stage keeps, also where it was stopped in the middle of a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.agent.block_sampling import STAGE, TriedPart
from corpora.agent.work import StageFolder


@pytest.mark.parametrize("left", ["", '{"key": "cut o'])
def test_a_line_that_was_cut_off_is_replaced_by_the_next(left: str, tmp_path: Path) -> None:
    folder, parts = StageFolder(tmp_path), [TriedPart(key=key, ends="noticed") for key in "abc"]
    folder.add(STAGE, parts[0])
    with (tmp_path / f"{STAGE}.jsonl").open("a") as opened:
        opened.write(left)
    assert list(folder.added(STAGE, TriedPart)) == parts[:1]
    for part in parts[1:]:
        folder.add(STAGE, part)
    assert list(folder.added(STAGE, TriedPart)) == parts
