"""A cell of an experiment is the run of its flags."""

from tests.support.places import LEDGER

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


def test_a_cell_equals_the_same_run_alone(ghosttape, tmp_path):
    path = written(tmp_path, more="")
    path.write_text(path.read_text().replace('"ngram", ', "").replace('"demo"', f'"{LEDGER}"'))
    cells = ghosttape("experiment", path, "--json").json["cells"]
    none = next(cell for cell in cells if cell["choice"]["repairs"] == "none")["summary"]
    flags = (
        "--provider",
        "fixed",
        "--text",
        "return total",
        "--repairs",
        "none",
        "--limit",
        "2",
        "--latency",
        "fixed:80",
    )
    alone = ghosttape("replay", LEDGER, *flags, "--json").json
    assert {**none, "run": ""} == {**alone, "run": ""}
