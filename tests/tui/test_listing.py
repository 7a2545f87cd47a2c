"""`ghosttape records` prints every record; `ghosttape compare` refuses runs that share no moment."""

import json
import subprocess
import sys

import pytest

from replay.run.store import Store
from tui.commands.looking.comparing import compared
from tui.commands.looking.listing import print_records
from tui.errors import ConfigurationError


def test_each_record_is_a_line_with_all_that_the_store_has(folder, capsys):
    print_records(folder)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    with Store.open(folder) as store:
        records = list(store.records())
    assert [line["moment"]["event"] for line in lines] == [record.moment.event for record in records]
    assert [line.get("verdict", {}).get("log") for line in lines if line.get("verdict")] == [
        record.verdict.log for record in records if record.verdict
    ]


def test_nobody_who_reads_on_is_no_failure(folder):
    code = f"from pathlib import Path; from tui.commands.looking.listing import print_records; print_records(Path({str(folder)!r}))"
    command = f"{sys.executable} -c {code!r} | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "{0\n"
    assert not done.stderr


def test_runs_without_a_moment_in_common_are_not_compared(folder, tmp_path):
    with Store.create(tmp_path / "other", {}):
        pass
    with pytest.raises(ConfigurationError, match="have no moment in common"):
        compared(folder, tmp_path / "other", "hole", 0.05)
