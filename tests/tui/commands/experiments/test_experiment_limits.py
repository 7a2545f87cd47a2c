"""What an experiment would take, where it ends, and what it cost."""

from pathlib import Path

import pytest

from server.context import CHARACTERS_A_TOKEN
from tests.support.counting_server import counting_server
from tests.support.devbench_data import instance, write
from tests.support.places import LEDGER

FILE = """
tapes = ["{tape}"]

[matrix]
providers = {providers}
policies = {policies}
repairs = {repairs}

[options]
limit = {limit}
latency = "fixed:80"
{more}

[prices.one]
input = 2.0
output = 10.0

[prices.two]
input = 1.0
output = 1.0
"""
"""One session is enough to count by: each has a server of its own, which takes a second to begin."""
PROVIDER = """
[providers.{name}]
provider = "openai"
base-url = "{url}"
model = "{name}"
"""


@pytest.fixture
def written(tmp_path):
    """Write the file of an experiment for a server, with no more cells than a test needs."""

    def write(
        server, more="no-tests = true", *, limit=6, providers=("one", "two"), policies=("blocks",), repairs=("all",)
    ):
        path = tmp_path / "dear.toml"
        axes = {"providers": list(providers), "policies": list(policies), "repairs": list(repairs)}
        tables = [PROVIDER.format(name=name, url=server.url) for name in providers]
        path.write_text(FILE.format(more=more, limit=limit, tape=LEDGER, **axes) + "".join(tables))
        return path

    return write


OVER_PROMPTS = """
corpora = ["bench"]

[matrix]
providers = ["one"]
prompts = ["long", "short"]

[options]
no-tests = true
no-packages = true

[corpus.bench]
corpus = "devbench"
data = "data"
languages = "python"
categories = "low_context"
limit = 2

[prompts.long]
before = 6000

[prompts.short]
before = 60
after = 0
snippets = 0
edits = 0

[providers.one]
provider = "openai"
base-url = "{url}"
model = "one"

[prices.one]
input = 2.0
output = 10.0
"""


def test_a_dry_run_bounds_the_tokens_and_the_cost_of_each_prompt(here, tmp_path):
    above = "".join(f"first_{number} = second_{number} + {number}\n" for number in range(2_000))
    write(tmp_path / "data", *(instance(number, "return 2", prefix=f"{above}x = {number}") for number in range(1, 3)))
    path = tmp_path / "prompts.toml"
    with counting_server(characters_a_token=CHARACTERS_A_TOKEN) as server:
        path.write_text(OVER_PROMPTS.format(url=server.url))
        planned = here("experiment", path, "--dry-run", "--json").json["cells"]
        done = here("experiment", path, "--json").json["cells"]
    for plan, cell in zip(planned, done, strict=True):
        work = cell["work"]
        assert plan["questions"] == work["asked"] == 2
        assert work["input_tokens"] <= plan["input_tokens"], cell["name"]
        assert work["cost"] <= plan["cost"]
    long, short = zip(planned, done, strict=True)
    assert long[0]["input_tokens"] > long[1]["work"]["input_tokens"] > 0.5 * long[0]["input_tokens"] > 6_000
    assert short[0]["input_tokens"] < 1_000


def test_an_experiment_ends_before_it_asks_more_than_it_may_and_goes_on_with_more(here, written):
    with counting_server() as server:
        path = written(server)
        first = here("experiment", path, "--max-questions", "7", "--json", status=1).json
        assert len(server.asked) == 7 == first["work"]["asked"]
        assert first["stopped"] == "the limit of questions or of cost is reached"
        again = here("experiment", path, "--max-questions", "9", "--json", status=1).json
        assert len(server.asked) == 9 == again["work"]["asked"]
        whole = here("experiment", path, "--json").json
        assert whole["stopped"] == ""
        assert len(server.asked) == whole["work"]["asked"]
        other = here("experiment", path, "--json", "--out", "other").json
        assert [cell["summary"]["endings"] for cell in whole["cells"]] == [
            cell["summary"]["endings"] for cell in other["cells"]
        ]


def test_the_cost_is_that_of_the_tokens_that_were_told_and_never_passes_its_limit(here, written):
    with counting_server() as server:
        path = written(server, repairs=["all", "none"])
        limited = here("experiment", path, "--max-cost", "0.004", "--json", "--out", "limited", status=1).json
        assert 0 < limited["work"]["cost"] <= 0.004
        done = here("experiment", path, "--json").json
    work = done["work"]
    assert work["untold"] == 0
    assert work["input_tokens"] == 100 * work["asked"]
    assert work["output_tokens"] == 5 * work["asked"]
    by_model = {"one": 0, "two": 0}
    for cell in done["cells"]:
        by_model[cell["choice"]["provider"]] += cell["work"]["asked"]
    pairs = {
        (cell["choice"]["provider"], cell["choice"]["policy"], cell["choice"]["repairs"]): cell
        for cell in done["cells"]
    }
    shared, first = (pairs["one", "blocks", repairs]["summary"]["cost"] for repairs in ("none", "all"))
    assert shared == first  # a cell's own cost is what it would be alone, whoever asked
    assert shared["cost"] == pytest.approx(6 * (200 + 50) / 1e6)
    assert work["cost"] == pytest.approx(by_model["one"] * (200 + 50) / 1e6 + by_model["two"] * (100 + 5) / 1e6)


def test_an_experiment_that_is_finished_is_not_written_again_and_a_renamed_cell_is_its_own(here, tmp_path, written):
    folder = tmp_path / ".ghosttape/experiments/dear"
    with counting_server() as server:
        path = written(server, repairs=["all", "none"], providers=["one"])
        first = here("experiment", path, "--json").json
        renamed = Path(first["cells"][0]["run"]).with_name("chosen")
        here("runs", "rename", first["cells"][0]["run"], "chosen")
        before = {file: file.read_bytes() for file in folder.glob("*/run.sqlite*")}
        asked = len(server.prompts)
        path.write_text(path.read_text().replace("input = 2.0", "input = 200.0"))
        again = here("experiment", path, "--json").json
    assert len(server.prompts) == asked
    assert again["cells"][0]["run"] == str(renamed)
    for one, other in zip(first["cells"], again["cells"], strict=True):
        assert {**one["work"], "cost": 0} == {**other["work"], "cost": 0}
    assert [cell["summary"]["cost"] for cell in again["cells"]] == [cell["summary"]["cost"] for cell in first["cells"]]
    assert {file: file.read_bytes() for file in folder.glob("*/run.sqlite*") if file in before} == before


def test_tokens_that_a_server_does_not_tell_are_unknown_and_said(here, written):
    with counting_server(usage=False) as server:
        said = here("experiment", written(server, providers=["one"]))
    assert "the server told none" in " ".join(said.out.split())


def test_a_limit_of_cost_needs_prices(here, tmp_path, written):
    with counting_server() as server:
        path = written(server)
        path.write_text(path.read_text().replace("[prices.two]", "[prices.three]"))
        said = here("experiment", path, "--max-cost", "1", status=2).err
    assert "needs the price of the model 'two'" in said
