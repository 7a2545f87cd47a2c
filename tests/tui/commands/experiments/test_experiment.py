"""Experiments as a person runs them: the matrix, its table, and what goes on after a stop."""

import json
from pathlib import Path

FILE = """
tapes = ["demo"]

[matrix]
providers = ["ngram", "words"]
repairs = ["all", "none"]

[options]
limit = 2
latency = "fixed:80"
{more}

[providers.words]
provider = "fixed"
text = "return total"
"""


def written(folder, more="no-tests = true"):
    path = folder / "try.toml"
    path.write_text(FILE.format(more=more))
    return path


def test_an_experiment_is_a_table_of_ordinary_runs_and_the_same_command_goes_on(here, tmp_path):
    path = written(tmp_path)
    first = here("experiment", path, "--json").json
    assert [cell["name"] for cell in first["cells"]] == ["ngram-all", "ngram-none", "words-all", "words-none"]
    assert all(cell["summary"]["moments"] == 4 for cell in first["cells"])
    lines = here("records", first["cells"][0]["run"]).out.splitlines()
    assert len([json.loads(line) for line in lines]) == 4

    again = here("experiment", path)
    assert again.err.count("finished before") == 4
    assert "words-none" in again.out
    assert max(map(len, again.out.splitlines())) <= 80
    compare = again.out[again.out.index("  ghosttape compare") :].replace("\\\n", "").split()
    runs = [str(Path(cell["run"]).relative_to(".ghosttape/experiments")) for cell in first["cells"]]
    assert compare[2:] == [",".join(runs[:2]), ",".join(runs[2:])]
    found = here("compare", *compare[2:], "--json", "--html", "compared.html").json
    assert [run["label"] for run in found["runs"]] == ["A1", "A2", "B1", "B2"]
    assert found["comparisons"][0]["moments"] == [8, 8]
    assert "B (B1 to B2) less A (A1 to A2)" in (tmp_path / "compared.html").read_text(encoding="utf-8")
    assert "each side needs as many runs" in here("compare", compare[2], runs[2], status=2).err
    assert "gates are of one run" in here("compare", *compare[2:], "--fail-under", "failed=0", status=2).err.replace(
        "\n", " "
    )
    assert here("experiment", path, "--json").json["cells"] == first["cells"]


def test_a_mistake_is_refused_before_anything_is_made(here, tmp_path):
    path = written(tmp_path, more="sede = 4")
    said = here("experiment", path, status=2).err
    assert "try.toml:11: [options]: unknown key 'sede' (did you mean 'seed'?)" in said
    assert not (tmp_path / ".ghosttape").exists()


def test_where_no_cell_can_begin_no_run_is_named_that_is_not_there(here, tmp_path):
    path = written(tmp_path)
    gone = 'provider = "openai"\nbase-url = "http://127.0.0.1:9/v1"\nmodel = "one"'
    text = path.read_text().replace('"ngram", ', "").replace('provider = "fixed"\ntext = "return total"', gone)
    path.write_text(text.replace('"all", "none"', '"all"'))
    said = here("experiment", path, status=3)
    assert "start the model server" in " ".join(said.out.split())
    assert "No cell was finished. The same command goes on." in said.out
    assert "ghosttape tui" not in said.out
