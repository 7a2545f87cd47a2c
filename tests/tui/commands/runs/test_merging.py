"""Parts of a run, put together: the same figures as of the run that was made in one piece."""

import pytest
from msgspec import structs

from replay.run.store import Store
from tests.support.devbench_data import instance, publish, write
from tests.support.places import DEMO

TAPES = {"ledger": DEMO / "ledger.tape.jsonl", "router": DEMO / "router.tape.jsonl"}
WORDS = ["--provider", "ngram", "--latency", "fixed:80", "--seed", "1", "--limit", "2", "--json"]
OF_THE_MERGE = {"run", "merged", "machine"}


def figures(summary):
    return {name: value for name, value in summary.items() if name not in OF_THE_MERGE}


@pytest.fixture(scope="module")
def parts(ghosttape_here, once, run_folder):
    """A replay of both bundled tapes, and of each alone: once for all workers. Each test writes under names of its own."""

    def make():
        folder = run_folder / "parts"
        folder.mkdir()
        whole = ghosttape_here(folder, "replay", *TAPES.values(), *WORDS, "--out", "whole").json
        for name, tape in TAPES.items():
            ghosttape_here(folder, "replay", tape, *WORDS, "--out", name)
        return folder, whole

    return once("parts", make)


def test_the_parts_of_a_replay_have_the_figures_of_the_whole(ghosttape_here, parts):
    folder, whole = parts
    done = ghosttape_here(folder, "runs", "merge", "./merged", "ledger", "router")
    assert done.err == f"merged has {whole['moments']} moments\n"
    merged = ghosttape_here(folder, "runs", "show", "./merged", "--json").json
    assert figures(merged) == figures(whole)
    assert [part["run"] for part in merged["merged"]] == ["ledger", "router"]
    found = ghosttape_here(folder, "compare", "whole", "./merged", "--json").json
    assert found["unfair"] == []
    assert found["comparisons"][0]["changed"] == []


def test_what_two_parts_have_counts_once(ghosttape_here, parts):
    folder, whole = parts
    done = ghosttape_here(folder, "runs", "merge", "./again", "whole", "router", "--json").json
    assert (done["moments"], done["disagreements"]) == (whole["moments"], [])
    assert done["doubled"] == whole["tapes"][next(name for name in whole["tapes"] if "router" in name)]["moments"]
    assert figures(ghosttape_here(folder, "runs", "show", "./again", "--json").json) == figures(whole)


def test_a_moment_with_two_verdicts_is_named_and_the_first_part_counts(ghosttape_here, parts):
    folder, whole = parts
    ghosttape_here(folder, "runs", "merge", "./other", "router", "ledger")
    with Store.open(folder / "other") as store:
        record = next(
            one for one in store.records() if one.verdict and one.verdict.name not in {"passed", "untestable"}
        )
        store.put(structs.replace(record, verdict=structs.replace(record.verdict, name="passed", fixed=None)))
    done = ghosttape_here(folder, "runs", "merge", "./told", "whole", "other")
    assert f"{record.verdict.name} in whole, passed in other; the first counts" in done.err.replace("\n", " ")
    assert figures(ghosttape_here(folder, "runs", "show", "./told", "--json").json) == figures(whole)


def test_parts_of_another_configuration_are_refused_by_the_names_of_their_options(ghosttape_here, parts):
    folder, _ = parts
    words = [word if word != "1" else "2" for word in WORDS]
    ghosttape_here(folder, "replay", TAPES["router"], *words, "--repairs", "none", "--no-tests", "--out", "apart")
    done = ghosttape_here(folder, "runs", "merge", "./refused", "ledger", "apart", status=2)
    assert "ledger and apart are no parts of one run: they differ in seed, settings.repairs, tests" in done.err
    assert not (folder / "refused").exists()


def test_what_is_no_part_is_refused(ghosttape_here, parts):
    folder, _ = parts
    for words, said in [
        (["./new", "ledger"], "two parts or more"),
        (["./new", "ledger", "ledger"], "each once"),
        (["./new", "ledger", "nobody"], "there is no run 'nobody'"),
        (["./ledger", "ledger", "router"], "is there already"),
    ]:
        assert said in ghosttape_here(folder, "runs", "merge", *words, status=2).err
    Store.create(folder / "begun", {}).close()
    assert (
        "begun has not come to its end"
        in ghosttape_here(folder, "runs", "merge", "./new", "ledger", "begun", status=2).err
    )


def test_the_parts_of_an_evaluation_have_the_figures_of_the_whole(ghosttape_here, tmp_path):
    categories = ("api_usage", "low_context")
    for category in categories:
        write(tmp_path / "data", *(instance(number, f"y = {number}") for number in range(4)), category=category)
        answers = {str(number): [f"y = {number % 2}", "y = 7"] for number in range(4)}
        publish(tmp_path / "data", "ada", answers, category=category)
    words = ["evaluate", "devbench", "--published", "ada", "--data", "data", "--no-tests", "--json"]
    words += ["--languages", "python"]
    whole = ghosttape_here(tmp_path, *words, "--categories", ",".join(categories), "--out", "whole").json
    for category in categories:
        ghosttape_here(tmp_path, *words, "--categories", category, "--out", category)
    ghosttape_here(tmp_path, "runs", "merge", "./merged", "low_context", "api_usage")
    merged = ghosttape_here(tmp_path, "runs", "show", "./merged", "--json").json
    assert whole["moments"] == 8
    assert {name: value for name, value in figures(merged).items() if value != figures(whole)[name]} == {}
