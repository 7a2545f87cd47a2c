from datetime import date

from ledger.balance import total, totals
from ledger.model import Entry

DAY = date(2024, 3, 1)


def test_categories_are_summed_and_the_dearest_comes_first():
    entries = [Entry(DAY, "food", 300), Entry(DAY, "rent", 900), Entry(DAY, "food", 200), Entry(DAY, "art", 500)]
    assert list(totals(entries).items()) == [("rent", 900), ("art", 500), ("food", 500)]


def test_what_was_received_is_taken_off():
    assert total([Entry(DAY, "food", 300), Entry(DAY, "food", -100)]) == 200
