"""An experiment whose cells share work: a provider, two policies and two sets of repairs over a tape and two small tasks."""

from tests.support.devbench_data import instance, write
from tests.support.places import LEDGER

FILE = """
tapes = ["{tape}"]
corpora = ["bench"]

[matrix]
providers = ["one"]
policies = ["blocks", "pause:300"]
repairs = ["all", "none"]

[options]
limit = 2
latency = "fixed:80"

[providers.one]
provider = "openai"
base-url = "{url}"
model = "one"

[prices.one]
input = 2.0
output = 10.0

[corpus.bench]
corpus = "devbench"
data = "data"
limit = 2
no-packages = true
languages = "python"
categories = "low_context"
"""
WALL = {"run", "machine"}
"""What depends on the machine, or names a folder."""
MEASURED = WALL | {"latency_ms"}
"""Of a corpus the latencies are measured too; of a tape they are `fixed:80`."""


def write_experiment(folder, url):
    """Write the file of the experiment, and its tasks, for a server."""
    sound = {"prefix": "def twice(x):\n", "suffix": "\nassert twice(2) == 4", "assertions": "assert twice(3) == 6"}
    rows = [instance(number, f"    return 2 * x  # {number}", **sound) for number in range(1, 3)]
    write(folder / "data", *rows)
    path = folder / "many.toml"
    path.write_text(FILE.format(url=url, tape=LEDGER))
    return path


def numbers(value, left_out=None):
    """A document without what the wall clock decides."""
    if isinstance(value, dict):
        left_out = left_out or (MEASURED if "corpus" in value else WALL)
        return {name: numbers(each, left_out) for name, each in value.items() if name not in left_out}
    return [numbers(each, left_out) for each in value] if isinstance(value, list) else value


def summaries(document):
    return {cell["name"]: numbers(cell["summary"]) for cell in document["cells"]}


def states(document):
    """How many states each cell needed, whoever tested them."""
    return {cell["name"]: cell["work"]["tested"] + cell["work"]["saved"] for cell in document["cells"]}
