"""The table of a run's moments: what the database sorts, filters and finds is what a look at every record finds."""

import contextlib
import itertools
import random
import sqlite3

import msgspec
import pytest

from replay.numbers.clusters import by_cluster, cluster_of
from replay.records import Ending, Missed, Record, Suggestion, TrailStep, Verdict
from replay.run.listing.listing import Listing
from replay.run.listing.moment_rows import row_of, searched_text
from replay.run.listing.moment_selection import FACETS, SORTS, MomentSelection
from replay.run.store import Store
from tests.support.tapes import moment_of, record_of

ENDINGS = [
    Ending("gated", "mid-word"),
    Ending("accepted"),
    Ending("failed", "refused"),
    Ending("late"),
    Ending("filtered", "prose"),
]
VERDICTS = [None, Verdict(name="passed", instructions={"a": "followed", "b": "broken", "c": "not concerned"}), Verdict(name="assertion", message="Expected 3", instructions={"a": "broken"}), Verdict(name="untestable", reason="empty"), Verdict(name="infrastructure")]  # fmt: skip
TRAILS = [
    (),
    (TrailStep("prose", "a", "b"),),
    (TrailStep("prose", "a", "b"), TrailStep("stop", "b", "")),
    (TrailStep("stop", "b", "", undone=True),),
]


def some_records(number=300):
    drawn = random.Random(7)
    for event in range(number):
        moment = moment_of(
            event,
            "x = ",
            "\n",
            tape=drawn.choice("ab"),
            path=drawn.choice(["src/A.py", "src/b.py", "c.ts"]),
            language=drawn.choice(["python", "typescript"]),
            kind=drawn.choice(["", "if", "statement"]),
            scenario=drawn.choice(["", "full"]),
            truth=drawn.choice(["", "x", "return total", "y" * 100]),
        )
        text = drawn.choice(["", "\n  ", "return Ünique", "total(a)\nb"])
        made = Suggestion(text=text, start=0, end=0, latency=drawn.choice([1.0, 20.5, 300.0]), provider="gguf", trail=drawn.choice(TRAILS), raw=f"raw {text}")  # fmt: skip
        offered = drawn.choice([None, made])
        missed = Missed(suggestion=made) if drawn.random() < 0.1 else None
        yield Record(moment=moment, ending=drawn.choice(ENDINGS), suggestion=offered, verdict=drawn.choice(VERDICTS), missed=missed)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.create(tmp_path_factory.mktemp("listing") / "run", {}) as store:
        store.put_all(some_records())
        yield store


def listed(store, selection):
    return list(store.listing.order(selection))


def expected(store, keep):
    """Numbers of the records that a test in Python lets through, in the order of the tapes."""
    numbers = listed(store, MomentSelection())
    return [number for number in numbers if keep(store.record(number))]


def value_of(facet, record):
    """The values of a facet in a record, found without the database."""
    moment, offered, verdict = record.moment, record.suggestion, record.verdict
    one = {
        "ending": record.ending.name,
        "verdict": verdict.name if verdict else "not tested",
        "language": moment.language,
        "file": moment.path,
        "tape": moment.tape,
        "provider": offered.provider if offered else "",
        "block": "/".join(filter(None, [moment.kind, moment.scenario])) if moment.kind else "",
        "category": moment.kind,
        "length": {0: "", 1: "1-5", 12: "6-20", 100: "over 80"}[len(moment.truth)],
        "marked": "",
    }
    if facet == "testable":
        plain = verdict.name if verdict else "not tested"
        names = {"passed": "testable", "assertion": "testable", "untestable": "untestable(empty)"}
        return [names.get(plain, plain)]
    if facet == "instruction":
        said = (verdict.instructions or {}) if verdict else {}
        return [f"{name} {id_}" for id_, name in said.items() if name != "not concerned"] or ["none"]
    if facet == "repair":
        trail = offered.trail if offered else ()
        return list(dict.fromkeys(step.step for step in trail if not step.undone)) or ["none"]
    return [one[facet] or "none"]


@pytest.mark.parametrize("facet", FACETS)
def test_every_facet_counts_and_filters_as_a_look_at_each_record(store, facet):
    counted = {}
    for record in store.records():
        for value in value_of(facet, record):
            counted[value] = counted.get(value, 0) + 1
    assert store.listing.values(facet) == counted
    assert list(store.listing.values(facet).values()) == sorted(counted.values(), reverse=True)
    for chosen in [*((value,) for value in counted), tuple(counted)[:2]]:
        found = listed(store, MomentSelection(facets={facet: chosen}))
        assert found == expected(store, lambda record: set(chosen) & set(value_of(facet, record)))  # noqa: B023 - used at once


def key_of(sort, record):
    moment, verdict, offered = record.moment, record.verdict, record.suggestion
    return {
        "tape": moment.tape,
        "moment": moment.path.lower(),
        "block": "/".join(filter(None, [moment.kind, moment.scenario])) if moment.kind else "",
        "ending": record.ending.name,
        "verdict": f"{verdict.name}{verdict.reason}" if verdict else "not tested",
        "ms": offered.latency if offered else None,
        "truth": len(moment.truth),
        "suggestion": row_of(record, 0).suggestion,
    }[sort]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort", [name for name in SORTS if name])
def test_every_order_is_that_of_a_stable_sort_with_what_is_missing_at_the_end(store, sort, descending):
    records = [(number, store.record(number)) for number in listed(store, MomentSelection())]
    keyed = [(number, key_of(sort, record)) for number, record in records]
    there = sorted((pair for pair in keyed if pair[1] is not None), key=lambda pair: pair[1], reverse=descending)
    wanted = [number for number, _ in there] + [number for number, key in keyed if key is None]
    assert listed(store, MomentSelection(sort=sort, descending=descending)) == wanted


def test_the_order_of_the_tapes_can_be_turned_round(store):
    assert listed(store, MomentSelection(descending=True)) == listed(store, MomentSelection())[::-1]


@pytest.mark.parametrize(
    "text", ["TOTAL", "ünique", "raw", "mid-word", "expected 3", "a.py:1:", "100%", "_", "'", "nowhere"]
)
def test_a_search_finds_what_a_look_at_each_record_finds(store, text):
    wanted = expected(store, lambda record: text.casefold() in searched_text(record))
    assert listed(store, MomentSelection(text=text)) == wanted
    assert store.listing.matches(text) == frozenset(wanted)


def test_failures_are_failed_requests_and_verdicts_that_count(store):
    wanted = expected(store, lambda record: record.ending.name == "failed" or (record.verdict and record.verdict.name == "assertion"))  # fmt: skip
    assert listed(store, MomentSelection(failures=True)) == wanted


def test_filters_narrow_each_other(store):
    both = MomentSelection(facets={"tape": ("a",), "ending": ("late",)}, text="x", failures=True)
    parts = [MomentSelection(facets={"tape": ("a",)}), MomentSelection(facets={"ending": ("late",)}), MomentSelection(text="x"), MomentSelection(failures=True)]  # fmt: skip
    assert set(listed(store, both)) == set.intersection(*(set(listed(store, part)) for part in parts))


def test_a_page_has_the_rows_asked_for_in_that_order(store):
    numbers = listed(store, MomentSelection(sort="ms"))[10:30]
    assert store.listing.rows(numbers) == [row_of(store.record(number), number) for number in numbers]
    assert store.listing.rows([10**6, *numbers[:1]])[0].number == numbers[0]


@pytest.mark.parametrize("by", ["hole", "function", "tape", "program"])
def test_what_is_judged_is_in_the_clusters_of_the_records(tmp_path, by):
    drawn = random.Random(3)
    records = [
        msgspec.structs.replace(record, moment=msgspec.structs.replace(record.moment, hole=drawn.choice(["", "a:1", "a:2"]), function=drawn.choice(["", "f", "g"]), program=drawn.choice(["", "p", "q"])))
        for record in some_records(80)
    ]  # fmt: skip
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(records)
        found = by_cluster((cluster, counts) for cluster, *counts in store.listing.judged(by))
    judged = [record for record in records if record.verdict and record.verdict.name != "infrastructure"]
    names = [(cluster_of(record.moment, by), record.verdict.name) for record in judged]
    wanted = by_cluster((cluster, [name != "untestable", name == "passed"]) for cluster, name in names)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, wanted.values()))


def test_answers_to_one_question_are_one_moment_of_what_is_judged(tmp_path):
    verdicts = {
        1: ["passed", "failed", "passed"],
        2: ["untestable", "untestable"],
        3: ["infrastructure", "syntax"],
        4: [None],
    }
    answers = [
        (record_of(at, "shown", name), number) for at, own in verdicts.items() for number, name in enumerate(own)
    ]
    records = [
        msgspec.structs.replace(record, moment=msgspec.structs.replace(record.moment, sample=number))
        for record, number in answers
    ]
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(records)
        assert sorted(counts for _, *counts in store.listing.judged("program")) == [[0, 0], [1, 0], [3, 2]]
        assert sorted(store.listing.judged()) == sorted(
            (cluster_of(record.moment), *counts)
            for record, counts in ((records[0], (3, 2)), (records[3], (0, 0)), (records[6], (1, 0)))
        )


def test_the_widths_are_those_of_the_longest_texts(store):
    widths = store.listing.widths()
    assert widths["ending"] == len("accepted")
    assert widths["verdict_reason"] == len("empty")
    assert widths["tapes"] == 2
    longest = max(store.records(), key=lambda record: len(record.moment.path)).moment
    assert widths["place"] == len(f"{longest.path}:{longest.line + 1}:{longest.character + 1}")


def test_a_record_that_is_stored_again_has_a_new_row_and_a_forgotten_one_none(tmp_path):
    first, second = list(some_records(2))
    with Store.create(tmp_path / "run", {}) as store:
        store.put(first)
        store.put(second)
        store.put(Record(moment=first.moment, ending=Ending("shown"), verdict=Verdict(name="passed")))
        assert store.listing.values("ending") == {"shown": 1, second.ending.name: 1}
        store.forget([second.moment.id])
        assert store.listing.values("ending") == {"shown": 1}
        assert len(store.listing.matches("")) == 1


def test_a_run_of_an_older_version_is_listed_when_it_is_opened(tmp_path):
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(some_records(20))
        before = store.listing.rows(listed(store, MomentSelection()))
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as database:
        for table in ("listing", "searched", "marks"):
            database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM facts WHERE name = 'listing'")
    database.close()
    with Store.open(tmp_path / "run") as store:
        assert store.listing.complete() == 20
        assert store.listing.rows(listed(store, MomentSelection())) == before
        assert store.listing.complete() == 0


def of_an_older_version(folder, number):
    """A run whose records have no rows."""
    with Store.create(folder, {}) as store:
        store.put_all(some_records(number))
    with sqlite3.connect(folder / "run.sqlite") as database:
        for table in ("listing", "searched"):
            database.execute(f"DROP TABLE {table}")
        database.execute("DELETE FROM facts WHERE name = 'listing'")
    database.close()


def test_the_run_can_be_written_while_it_is_listed_anew(tmp_path):
    """Before each record that is read for its row another connection writes, and waits for nothing."""
    of_an_older_version(tmp_path / "run", 500)
    with Store.open(tmp_path / "run") as store, contextlib.closing(sqlite3.connect(tmp_path / "run" / "run.sqlite", timeout=0, isolation_level=None)) as other:  # fmt: skip
        written = []

        def read(number):
            other.execute("INSERT OR REPLACE INTO facts VALUES ('beat', ?)", (number,))
            written.append(number)
            return store.record(number)

        commits = []
        with sqlite3.connect(tmp_path / "run" / "run.sqlite") as database:
            database.set_trace_callback(lambda said: commits.append(len(written)) if said == "COMMIT" else None)
            assert Listing(database, lambda text: text, read).complete() == 500
        database.close()
        assert len(written) == 500
        assert max(after - before for before, after in itertools.pairwise(commits)) <= 200
        assert len(listed(store, MomentSelection())) == 500


def test_what_the_run_stores_or_forgets_while_it_is_listed_anew_counts(tmp_path):
    of_an_older_version(tmp_path / "run", 30)
    with Store.open(tmp_path / "run") as store, Store.open(tmp_path / "run") as writer, contextlib.closing(sqlite3.connect(tmp_path / "run" / "run.sqlite")) as database:  # fmt: skip
        changed, gone, *_ = list(store.records())

        def read(number):
            found = store.record(number)
            if found.moment.id == changed.moment.id:
                writer.put(Record(moment=changed.moment, ending=Ending("shown", "anew")))
            if found.moment.id == gone.moment.id:
                writer.forget([gone.moment.id])
            return found

        Listing(database, lambda text: text, read).complete()
        numbers = listed(store, MomentSelection())
        assert store.listing.rows(numbers) == [row_of(store.record(number), number) for number in numbers]
        assert len(numbers) == 29
        assert len(store.listing.matches("")) == 29
        assert store.listing.matches("anew")
        assert store.listing.complete() == 0


def test_marks_and_notes_stay_with_their_moment(tmp_path):
    records = list(some_records(5))
    with Store.create(tmp_path / "run", {}) as store:
        store.put_all(records)
        first, second, *_ = listed(store, MomentSelection())
        store.listing.mark(first, mark=True)
        store.listing.mark(second, note="why? \ud800")
        store.listing.mark(first, note="odd")
        store.put(store.record(first))
    with Store.open(tmp_path / "run") as store:
        rows = {row.number: row for row in store.listing.rows([first, second])}
        assert (rows[first].mark, rows[first].note) == (True, "odd")
        assert (rows[second].mark, rows[second].note) == (False, "why? �")
        assert store.listing.values("marked") == {"none": 3, "noted": 2}
        store.listing.mark(first, mark=False, note="")
        assert listed(store, MomentSelection(facets={"marked": ("noted",)})) == [second]


def test_who_reads_sees_that_another_process_has_written(tmp_path):
    with Store.create(tmp_path / "run", {}) as writer, Store.open(tmp_path / "run") as reader:
        before = reader.listing.change_count()
        assert reader.listing.change_count() == before
        writer.put(next(some_records(1)))
        assert reader.listing.change_count() != before


def test_a_run_knows_whether_it_is_being_written(tmp_path):
    with Store.continued(tmp_path / "run", {}), Store.open(tmp_path / "run") as reader:
        assert reader.is_written
    with Store.open(tmp_path / "run") as reader:
        assert not reader.is_written


def test_half_a_surrogate_pair_can_be_listed_and_searched(tmp_path):
    record = Record(moment=moment_of(1, truth="a\ud83d"), ending=Ending("shown"))
    with Store.create(tmp_path / "run", {}) as store:
        store.put(record)
        assert len(store.listing.matches("a\ud83d")) == 1
