from datetime import date

import pytest

from ledger.model import Entry, LedgerError
from ledger.parse import cents_of, parse


@pytest.mark.parametrize(("text", "cents"), [("12", 1200), ("12.50", 1250), ("-3.99", -399), ("0.07", 7)])
def test_an_amount_is_whole_cents(text, cents):
    assert cents_of(text) == cents


@pytest.mark.parametrize("text", ["", "12.5", "12.345", "twelve", "1e3"])
def test_anything_else_is_no_amount(text):
    with pytest.raises(ValueError, match="not an amount"):
        cents_of(text)


def test_entries_are_read_in_order():
    text = "# March\n2024-03-01 food 12.50 lunch with Ada\n\n2024-03-02 rent 800\n"
    assert parse(text) == [
        Entry(date(2024, 3, 1), "food", 1250, "lunch with Ada"),
        Entry(date(2024, 3, 2), "rent", 80000),
    ]


@pytest.mark.parametrize("line", ["2024-03-01 food", "yesterday food 3", "2024-03-01 food three"])
def test_a_line_that_cannot_be_read_is_named(line):
    with pytest.raises(LedgerError, match="line 2") as refused:
        parse(f"2024-03-01 food 1\n{line}\n")
    assert refused.value.line == 2
