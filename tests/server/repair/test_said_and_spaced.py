"""What follows the cursor is said once, white space is the document's, and what does not parse yet ends where it should.

The rows are situations of bug reports of completion tools, and their kin; `expected` is the document with what is offered.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from server.repair.draft import Draft
from server.repair.offer import offered
from syntax.languages import LANGUAGES

ROWS = [json.loads(line) for line in Path(__file__).with_name("said_and_spaced.jsonl").read_text().splitlines()]
NAMES = [f"{row['language'] or 'text'}: {row['situation']}" for row in ROWS]


def _draft(row):
    return Draft(LANGUAGES.get(row["language"]), row["before"], row["after"], row["completion"], row["stop"])


def _document(draft):
    made = offered(draft)
    return draft.before + made.text + draft.after[made.covered :]


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_document_comes_out_as_it_should(row):
    assert _document(_draft(row)) == row["expected"], offered(_draft(row)).trail


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_what_was_offered_is_offered_unchanged_again(row):
    draft = _draft(row)
    assert _document(replace(draft, text=offered(draft).text)) == row["expected"]


def test_the_rows_are_of_many_languages_and_some_must_not_be_changed():
    assert len(Counter(row["language"] for row in ROWS)) >= 11
    kept = [row for row in ROWS if row["before"] + row["completion"] + row["after"] == row["expected"]]
    assert len(kept) >= 8
