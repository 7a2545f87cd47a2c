"""What the cells of an experiment share: counted, and the same numbers as alone. Kills are in tests/real."""

from tests.support.counting_server import counting_server
from tests.support.places import LEDGER
from tests.support.shared_experiment import numbers, summaries, write_experiment


def test_shared_work_is_done_once_and_each_cell_is_as_alone(here, tmp_path, need):
    need("bwrap")
    with counting_server() as server:
        path = write_experiment(tmp_path, server.url)
        plain = here("experiment", path, "--json", "--out", "plain").json
        assert len(server.asked) == plain["work"]["asked"]
        assert len(plain["cells"]) == 6
        assert len(plain["left_out"]) == 2
        # each prompt is asked once, whatever repairs take of the answer
        for cell in plain["cells"]:
            if cell["choice"]["repairs"] == "none":
                assert cell["work"]["asked"] == 0, cell["name"]
                assert cell["work"]["answered_from_record"] > 0
        assert plain["work"]["saved"] > 0

        # what a cell costs is what it would cost alone; alone, an answer whose reader has enough is not read to its end, where servers tell tokens
        assert {cell["summary"]["cost"]["untold"] for cell in plain["cells"]} == {0}
        free = {name: {**each, "cost": None} for name, each in summaries(plain).items()}
        provider = ("--provider", "openai", "--base-url", server.url, "--model", "one", "--repairs", "none", "--json")
        of_tape = ("--limit", "2", "--policy", "pause:300", "--latency", "fixed:80")
        alone = here("replay", LEDGER, *provider, *of_tape).json
        assert {**numbers(alone), "cost": None} == free["tapes-pause-300-none"]
        of_corpus = ("--data", "data", "--no-packages", "--limit", "2", "--languages", "python")
        alone = here("evaluate", "devbench", *provider, *of_corpus, "--categories", "low_context").json
        assert {**numbers(alone), "cost": None} == free["bench-none"]
