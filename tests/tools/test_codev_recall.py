"""Recall of retrieval where the right helper is known."""

import asyncio

import pytest
from scipy.stats import hypergeom

from corpora.codev.retrieval.evidence import FunctionIndex
from tools.codev_recall import by_chance, found_by, queries, table

FILES = {
    "prices.py": "def read_price_row(row):\n    return float(row[1])\n\n\ndef unrelated(matrix):\n    return matrix.T\n",
    "other.py": "def invert(matrix):\n    return matrix.inverse()\n\n\ndef draw(canvas):\n    canvas.line()\n",
    "more.py": "def paint(canvas):\n    canvas.fill()\n\n\ndef sort_names(names):\n    names.sort()\n",
    "rows.py": "from prices import read_price_row\n\n\ndef read_price_rows(rows):\n    return [read_price_row(row) for row in rows]\n\n\n"
    "def again(n):\n    return again(n - 1)\n",
}


def test_a_query_is_a_function_that_calls_another_one_and_its_own_name_is_no_helper():
    [query] = queries(FILES)
    assert (query.path, query.helpers) == ("rows.py", {"read_price_row"})
    assert FILES["rows.py"][query.start : query.end] == "return [read_price_row(row) for row in rows]"


def test_a_name_that_two_functions_have_is_no_known_helper():
    assert list(queries(FILES | {"twin.py": "def read_price_row(row):\n    return 1\n"})) == []


def test_words_in_common_find_the_helper_among_unlike_functions():
    assert asyncio.run(found_by(FunctionIndex.by_words(FILES), list(queries(FILES)))) == [True]


@pytest.mark.parametrize(("candidates", "helpers"), [(10, 1), (40, 5), (3, 1)])
def test_chance_is_hypergeometric(candidates, helpers):
    assert by_chance(candidates, helpers) == pytest.approx(1 - hypergeom(candidates, helpers, 3).pmf(0))


def test_the_table_has_wilsons_intervals():
    assert (
        table({"app": {"TF-IDF": (5, 9), "by chance": (1.7, 9)}}).splitlines()[-1]
        == "| app | 9 | 56% (27%–81%) | 19% |"
    )
