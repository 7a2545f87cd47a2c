from datetime import date

from ledger.model import Entry
from ledger.report import money, render

DAY = date(2024, 3, 1)
ENTRIES = [Entry(DAY, "food", 1250), Entry(DAY, "rent", 80000), Entry(DAY, "gifts", 40000)]


def test_money_has_two_places_and_a_sign():
    assert [money(cents) for cents in (0, 7, 1250, -399)] == ["0.00", "0.07", "12.50", "-3.99"]


def test_the_report_has_a_line_for_each_category_and_the_sum():
    assert render(ENTRIES).splitlines() == [
        "🏠 rent           800.00 ####################",
        "· gifts          400.00 ##########",
        "🍕 food            12.50",
        "  total         1212.50",
    ]


def test_a_report_on_nothing_is_the_sum_alone():
    assert render([]).split() == ["total", "0.00"]
