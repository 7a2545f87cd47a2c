"""Reports of runs, and what is read out of their pages."""

import pytest

from replay.run.store import Store
from tests.support.report_page import ReadPage
from tui.commands.inspect.reporting import write_report


@pytest.fixture
def reported(tmp_path):
    """A function that writes the report of some folders, and reads it."""

    def report(*folders):
        out = tmp_path / "report.html"
        write_report(folders, out)
        return ReadPage(out)

    return report


@pytest.fixture
def run_of(tmp_path):
    """A function that makes a run of some records, with its facts."""

    def make(records, config=None, name="one", **facts):
        with Store.create(tmp_path / name, config or {"policy": "blocks", "tests": True}) as store:
            store.put_all(records)
            for fact, value in facts.items():
                store.put_fact(fact, value)
        return tmp_path / name

    return make
