"""What the terminal, Markdown and a page show of kept documents is what they showed when the documents were made.

`shown/NAME.json` is a summary (`replay-…`, `evaluate-…`), an ablation, an experiment or a comparison, as `--json` printed it. The files of other kinds
beside it are what was shown of it: `.txt` in a terminal of 80 columns, `.md` as Markdown, `.tables` the cells of a report. `records.jsonl` are the records of
a run, and `records.figures.json` is the summary of them, byte for byte.

To accept a change that is meant, run the tests with GHOSTTAPE_ACCEPT=1 and read the difference.
"""

import io
import os
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from replay.numbers.figures import summary
from replay.records import Record
from tests.support.places import ROOT
from tests.support.report_page import ReadPage
from tui.report.report_page import comparisons, page
from tui.report.reported import ReportedRun
from tui.tables.ablation_table import ablation_table
from tui.tables.comparison_markdown import comparison_markdown
from tui.tables.comparison_table import comparison_table
from tui.tables.evaluation_table import scores_table
from tui.tables.experiment import experiment_table
from tui.tables.replay import replay_table

SHOWN = ROOT / "tests/tui/shown"
TABLES = {
    "replay": replay_table,
    "evaluate": lambda found: scores_table(found, ("constructs", "comment", "reference")),
    "ablation": ablation_table,
    "experiment": experiment_table,
    "compare": lambda found: comparison_table(found, 2),
}


def kept(kind):
    return sorted(path.name.removesuffix(".json") for path in SHOWN.glob(f"{kind}*.json"))


def document(name):
    return msgspec.json.decode((SHOWN / f"{name}.json").read_bytes())


def check(name, text):
    path = SHOWN / name
    if os.environ.get("GHOSTTAPE_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for kind in TABLES for name in kept(kind)])
def test_a_terminal_shows_the_same(name):
    console = Console(width=80, file=io.StringIO(), color_system=None)
    console.print(TABLES[name.partition("-")[0]](document(name)))
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    assert max(map(len, lines)) <= 80
    check(f"{name}.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", kept("compare"))
def test_markdown_shows_the_same(name):
    check(f"{name}.md", comparison_markdown(document(name), 2))


@pytest.mark.parametrize(
    "names",
    [(name,) for kind in ("replay", "evaluate") for name in kept(kind)] + [("replay-samples", "replay-two-tapes")],
)
def test_a_page_shows_the_same(names, tmp_path):
    out = tmp_path / "page.html"
    out.write_text(page([_run(name) for name in names], print), encoding="utf-8")
    cells = [" | ".join(row) for table in ReadPage(out).tables for row in table]
    check(f"{'+'.join(names)}.tables", "\n".join(cells) + "\n")


@pytest.mark.parametrize("name", kept("compare"))
def test_a_page_shows_the_same_of_a_comparison(name):
    found = comparisons([], document(name)).each
    check(f"{name}.tables", "\n".join(_lines_of(found)) + "\n")


def _lines_of(found):
    for one in found:
        yield from (one.title, *one.notes, *one.sentences)
        for table in one.sections:
            yield from (table.title, " | ".join(table.columns), *(" | ".join(row) for row in table.rows))


def _run(name):
    found = document(name)
    config = {"corpus": found["corpus"]} if "corpus" in found else {"policy": "blocks"}
    return ReportedRun(name, Path(name), config, found, [], found.get("cluster_by", "hole"))


def test_the_summary_of_records_is_the_same_byte_for_byte():
    records = [msgspec.json.decode(line, type=Record) for line in (SHOWN / "records.jsonl").read_bytes().splitlines()]
    typed = dict.fromkeys(sorted({record.moment.tape for record in records}), 120)
    check("records.figures.json", msgspec.json.format(msgspec.json.encode(summary(records, typed))).decode() + "\n")
