import io

import pytest

from ledger.cli import main


@pytest.fixture
def spending(tmp_path):
    path = tmp_path / "spending.txt"
    path.write_text("2024-03-01 food 12.50\n2024-03-03 food 9.50\n2024-03-02 rent 800\n", encoding="utf-8")
    return str(path)


def run(*arguments):
    out = io.StringIO()
    return main(list(arguments), out), out.getvalue()


def test_the_report_is_printed(spending):
    status, printed = run(spending)
    assert status == 0
    assert "rent" in printed
    assert printed.endswith("822.00\n")


def test_without_a_file_the_usage_is_printed():
    assert run() == (2, "usage: ledger FILE\n")


def test_a_file_that_cannot_be_read_is_reported(tmp_path):
    (tmp_path / "bad.txt").write_text("nonsense\n", encoding="utf-8")
    assert run(str(tmp_path / "bad.txt"))[0] == 2
    assert run(str(tmp_path / "none.txt"))[0] == 2
