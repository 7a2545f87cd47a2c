"""What an experiment would take is what it takes."""

import pytest

from tests.support.counting_server import counting_server
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


def test_a_dry_run_makes_and_asks_nothing_and_its_counts_hold(ghosttape, ghosttape_here, tmp_path, written, need):
    need("bwrap")
    with counting_server() as server:
        axes = {"providers": ["one"], "policies": ["blocks", "pause:300"], "repairs": ["all", "none"]}
        path = written(server, more="", limit=2, **axes)
        planned = ghosttape_here(tmp_path, "experiment", path, "--dry-run", "--json").json
        table = ghosttape_here(tmp_path, "experiment", path, "--dry-run").out
        assert not server.prompts
        assert not (tmp_path / ".ghosttape").exists()
        assert max(map(len, table.splitlines())) <= 80
        done = ghosttape("experiment", path, "--json").json
        after = ghosttape_here(tmp_path, "experiment", path, "--dry-run", "--json").json
    assert [cell["name"] for cell in planned["cells"]] == [cell["name"] for cell in done["cells"]]
    for plan, cell in zip(planned["cells"], done["cells"], strict=True):
        asked = [name for name in cell["summary"]["endings"] if name not in {"gated", "debounced"}]
        if plan["exact"]:
            assert plan["moments"] == sum(cell["summary"]["endings"][name] for name in asked)
        if cell["choice"]["policy"] == "blocks":
            assert plan["questions"] == cell["work"]["asked"] + (
                plan["questions"] and cell["work"]["answered_from_record"]
            )
        assert cell["work"]["asked"] <= plan["questions"]
        assert cell["work"]["tested"] <= plan["tests"]
        if cell["name"] == "blocks-none":
            assert plan["tests"] == plan["moments"]  # what does not depend on answers was tested in the first cell
        assert cell["work"]["output_tokens"] <= plan["output_tokens"]
    assert all(cell["seconds"] is None for cell in planned["cells"] if cell["questions"])
    assert {cell["questions"] for cell in after["cells"]} == {0}
