"""A replay that is killed again and again, and continued by the same command, ends with the records of one that was not."""

from replay.run.store import Store
from tests.support.places import DEMO, ROOT


def records_of(folder):
    """What a run says of each moment, without what the wall clock measured."""
    with Store.open(folder) as store:
        return {
            record.moment.id: (
                record.moment,
                str(record.ending),
                record.suggestion and (record.suggestion.text, record.suggestion.raw, record.suggestion.latency),
                record.verdict and (record.verdict.name, record.verdict.reason, record.verdict.message),
                record.covered,
            )
            for record in store.records()
        }


def test_a_finished_run_that_is_continued_asks_and_tests_nothing_again(here, tmp_path, need):
    need("bwrap")
    command = ("replay", DEMO / "ledger.tape.jsonl", "--provider", "ngram", "--latency", "fixed:0", "--limit", "3")
    first = here(*command, "--out", "run", "--json").json
    before = records_of(tmp_path / "run")
    again = here(*command, "--out", "run", "--json").json
    assert records_of(tmp_path / "run") == before
    assert {**again, "run": ""} == {**first, "run": ""}


def test_another_configuration_or_another_tape_is_refused_by_name(here, tmp_path):
    command = ("replay", "--provider", "fixed", "--text", "x", "--no-tests", "--latency", "fixed:0", "--out", "run")
    command += ("--limit", "1")
    here(*command, DEMO / "ledger.tape.jsonl")
    done = here(*command, DEMO / "ledger.tape.jsonl", "--seed", "3", status=2)
    assert "another configuration (seed)" in done.err
    done = here(*command, DEMO / "router.tape.jsonl", status=2)
    assert "sources.ledger" in done.err


def test_after_a_wrong_provider_the_corrected_command_makes_the_run(here, tmp_path):
    command = (
        "replay",
        DEMO / "ledger.tape.jsonl",
        "--no-tests",
        "--latency",
        "fixed:0",
        "--out",
        "run",
        "--text",
        "x",
    )
    done = here(*command, "--provider", "fixd", status=2)
    assert "did you mean 'fixed'?" in done.err
    assert not (tmp_path / "run").exists()
    here(*command, "--provider", "fixed")


def test_the_version_is_that_of_the_package(here):
    said = here("--version").out.strip()
    pyproject = (ROOT / "pyproject.toml").read_text()
    assert said == "ghosttape " + pyproject.split('version = "')[1].split('"')[0]
