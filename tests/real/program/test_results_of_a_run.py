"""A run that has been made, as an editor asks the language server about it: its moments, and each with its documents."""

import asyncio

import pytest
from pygls.exceptions import JsonRpcException

from replay.run.store import Store
from syntax.text import cut
from tests.support.ordered_replay import command, connected


def asked(folder, calls):
    """The answers of one server to calls (name, argument); an error is given as its message."""

    async def ask():
        async with connected(folder) as client:
            found = []
            for name, argument in calls:
                try:
                    found.append(client.protocol._converter.unstructure(await command(client, name, argument)))
                except JsonRpcException as error:
                    found.append(error.message)
            return found

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def records(seeded_run):
    with Store.open(seeded_run.folder) as store:
        return list(store.records())


@pytest.fixture(scope="module")
def answers(once, run_folder, seeded_run):
    run = str(seeded_run.folder)
    calls = [("ghosttape.run.moments", {"run": run})]
    calls += [("ghosttape.run.moment", {"run": run, "number": number}) for number in range(1, 9)]
    return once("asked-of-a-run", lambda: asked(run_folder, calls))


def test_the_list_has_each_record_with_its_ending_and_verdict(answers, records):
    listed = answers[0]
    assert (listed["total"], listed["state"]) == (8, "")
    rows = [
        (row["tape"], row["event"], row["path"], row["line"], row["ending"], row["verdict"])
        for row in listed["moments"]
    ]
    wanted = [
        (r.moment.tape, r.moment.event, r.moment.path, r.moment.line, r.ending.name, r.verdict.name) for r in records
    ]
    assert rows == wanted


def test_a_moment_comes_with_its_document_then_its_hole_and_its_graft(answers, records):
    by_id = {record.moment.id: record for record in records}
    for shown in answers[1:]:
        assert shown["why"] == "" or shown["record"]["verdict"]["name"] == "untestable"
        moment = shown["record"]["moment"]
        before = cut(shown["then"], 0, shown["offset"])
        assert before.endswith(moment["before"])
        assert before.count("\n") == moment["line"]
        if not shown["hole"]:
            continue
        start, end = shown["hole"]
        assert cut(shown["finished"], start, end).strip() == moment["truth"].strip()
        assert shown["graft"].startswith(cut(shown["finished"], 0, start))
        assert shown["record"]["suggestion"]["text"].strip() in shown["graft"]
    tested = [shown for shown in answers[1:] if shown["hole"]]
    assert tested
    assert len(by_id) == len(answers[1:])


def test_a_run_that_is_not_there_and_a_malformed_order_are_refused_with_the_reason(tmp_path, seeded_run):
    run = str(seeded_run.folder)
    calls = [
        ("ghosttape.run.moments", {"run": str(tmp_path)}),
        ("ghosttape.run.moments", {"folder": run}),
        ("ghosttape.run.moment", {"run": run, "number": 999}),
        ("ghosttape.run.moment", None),
    ]
    no_run, malformed, no_moment, nothing = asked(tmp_path, calls)
    assert "holds no run" in no_run
    assert "ghosttape.run.moments: Object contains unknown field `folder`" in malformed
    assert "there is no record 999" in no_moment
    assert "ghosttape.run.moment: Expected `object`" in nothing
