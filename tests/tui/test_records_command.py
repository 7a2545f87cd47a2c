"""`ghosttape records` prints every record; `ghosttape compare` refuses runs that share no moment."""

import json
import subprocess
import sys

import pytest

from replay.run.store import Store
from tests.support.preloaded import preloaded_script
from tui.commands.inspect.comparing import compared
from tui.commands.inspect.records_command import print_records, write_table
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
    code = f"from pathlib import Path; from tui.commands.inspect.records_command import print_records; print_records(Path({str(folder)!r}))"
    command = f"{sys.executable} -c {code!r} | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "{0\n"
    assert not done.stderr


def test_runs_without_a_moment_in_common_are_not_compared(folder, tmp_path):
    with Store.create(tmp_path / "other", {}):
        pass
    with pytest.raises(ConfigurationError, match="have no moment in common"):
        compared([[folder], [tmp_path / "other"]], "hole", 0.05)


def test_a_table_is_written_whole_or_not_at_all(folder, tmp_path):
    out = tmp_path / "records.jsonl"
    with Store.open(folder) as store:
        number = len(list(store.records()))
    assert write_table(folder, "jsonl", out) == number == len(out.read_text().splitlines())
    with pytest.raises(ConfigurationError, match="'xml' is none of csv, parquet, jsonl"):
        write_table(folder, "xml", tmp_path / "other")
    with pytest.raises(ConfigurationError, match="is a folder"):
        write_table(folder, "csv", tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*record*")) == ["records.jsonl"]


def test_a_table_goes_to_standard_output_where_no_file_is_named(folder):
    script = preloaded_script()
    done = subprocess.run([script, "records", folder, "--format", "csv"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith('"moment","tape","event"')
    refused = subprocess.run([script, "records", folder, "-o", "x"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--format" in refused.stderr
