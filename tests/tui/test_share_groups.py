"""The shares of a run in groups, and the column of samples."""

import pytest

from replay.numbers.intervals import share
from tui.inspector.app import Inspector
from tui.inspector.moment_columns import columns_of
from tui.inspector.pages.share_groups import groups_page
from tui.text_dialog import TextDialog


def cell(passed, n, **names):
    return {**names, "share": share(passed, n)}


def test_each_language_category_and_cell_has_its_share():
    summary = {
        "languages": [cell(3, 4, language="python")],
        "categories": [cell(1, 1, category="low_context"), cell(0, 0, category="[red]odd[/]\x1b")],
        "cells": [cell(2, 3, language="python", category="low_context")],
        "metrics": {"pass_by_length": {"1-5": share(1, 2), "6-20": share(0, 0)}},
    }
    lines = [line.split() for line in str(groups_page(summary)).splitlines()]
    assert ["python", "4", "75", "%", "30–95"] in lines
    assert ["low_context", "1", "100", "%", "21–100"] in lines
    assert ["[red]odd[/]␛", "0"] in lines
    assert ["python,", "low_context", "3", "67", "%", "21–94"] in lines
    assert ["1-5", "characters", "2", "50", "%", "9–91"] in lines


def test_tapes_are_groups_where_there_are_several():
    metrics = {"metrics": {"pass_at_1": share(1, 2)}}
    assert "by tape" not in str(groups_page({"tapes": {"a": metrics}}))
    assert "by tape" in str(groups_page({"tapes": {"a": metrics, "b": metrics}}))


def test_without_verdicts_there_are_no_groups():
    assert "There are no groups" in str(groups_page({}))


async def test_a_key_shows_the_groups_and_leaves_them(folder):
    app = Inspector(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("i")
        assert isinstance(app.screen, TextDialog)
        await pilot.press("escape")
        assert not isinstance(app.screen, TextDialog)


@pytest.mark.parametrize(("samples", "titles"), [(1, False), (5, True)])
async def test_samples_are_numbered_where_there_are_several(folder, samples, titles):
    config = folder / "config.toml"
    config.write_text(f"{config.read_text()}samples = {samples}\n")
    app = Inspector(folder)
    async with app.run_test(size=(120, 40)):
        assert ("#" in [column.title for column in columns_of(app._run)]) is titles
