"""The plots of a report: each says in words and in a table what it shows, with the numbers of the run; and takes the colours of the page."""

import re

from msgspec import structs

from replay.numbers.curves import passed_within
from replay.numbers.figures import summary
from tests.support.report_records import MANY, RECORDS, SUMMARY, record
from tui.report.plots import plots_of
from tui.report.report_text import missing_plots
from tui.report.reported import ReportedRun, read_runs
from tui.summary_figures import share_words


def plots(*runs):
    return {plot.title: plot for plot in plots_of(runs)}


def read(run_of, records=MANY, config=None, **facts):
    (run,) = read_runs([run_of(records, config, summary=summary(records, {"a": 200, "b": 200}, by="hole"), **facts)])
    return run


def test_a_replay_has_each_plot_with_a_table_of_the_same_numbers(run_of):
    run = read(run_of)
    found = plots(run)
    assert set(found) == {
        "Quality by latency of the answer",
        "Would it have come in time?",
        "Passes by tape",
        "What became of the moments",
        "What the repairs changed",
        "Keystrokes saved over the tape",
        "Verdicts over the session",
    }
    rows = passed_within(run.records, run.by)
    told = found["Would it have come in time?"].table.rows
    assert told == [[f"{row['budget']:,} ms", f"{share_words(row)} of {row['n']:,}"] for row in rows]
    flows = dict(found["What became of the moments"].table.rows)
    assert flows["moments → asked"] == flows["answered → accepted"] == "39"
    assert flows["accepted → failed"] == "13"
    assert "accepted 39" in found["What became of the moments"].svg
    repairs = found["What the repairs changed"]
    assert repairs.table.rows == [["prose", "39", "0"]]
    assert ">39<" in repairs.svg


def test_plots_of_the_first_answers_say_so_where_a_moment_has_several(run_of):
    first, said = MANY[0], "Of several answers at a moment the first counts"
    several = [*MANY, structs.replace(first, moment=structs.replace(first.moment, sample=1))]
    titles = ("Quality by latency of the answer", "Would it have come in time?")
    found = plots(read(run_of, several))
    assert all(said in found[title].caption for title in titles)


def test_plots_do_not_speak_of_several_answers_where_there_is_one(run_of):
    assert not any("Of several answers" in plot.caption for plot in plots(read(run_of)).values())


def test_a_plot_has_the_colours_of_the_page_and_a_name_and_no_style_of_its_own(run_of):
    found = plots(read(run_of))
    ids = [name for plot in found.values() for name in re.findall(r'\bid="([^"]+)"', plot.svg)]
    assert len(ids) == len(set(ids))
    for title, plot in found.items():
        assert f'aria-label="{title}"' in plot.svg
        assert 'role="img"' in plot.svg
        assert "style=" not in plot.svg
        assert not re.search(r"#[0-9a-f]{6}\b", plot.svg)
        used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', plot.svg))
        assert used <= set(ids)
        assert len(plot.svg) < 60_000


def test_names_of_tapes_are_text_in_a_plot(run_of):
    names = ("<script>alert(1)</script>", "$x^2$")
    records = [
        structs.replace(one, moment=structs.replace(one.moment, tape=names[at % 2])) for at, one in enumerate(MANY)
    ]
    run = structs_free(run_of, records, names)
    svg = plots(run)["Passes by tape"].svg
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert "$x^2$" in svg


def structs_free(run_of, records, names):
    (run,) = read_runs([run_of(records, summary=summary(records, dict.fromkeys(names, 9), by="hole"))])
    return run


def test_an_ablation_shows_what_each_repair_gained_and_broke(run_of):
    one = {"n": 30, "gained": 7, "broken": 2, "net": {"value": 0.17, "low": 0.01, "high": 0.3}, "p": 0.04}
    found = {**SUMMARY, "ablation": {"effects": {"prose": one, "together": one}}}
    (run,) = read_runs([run_of(RECORDS, summary=found)])
    table = plots(run)["Tests gained and broken by each repair"].table
    assert table.rows[0] == ["prose", "7", "2", "+17.0 (+1.0 to +30.0)", "30"]


def test_several_runs_share_the_plots_that_compare_them(run_of):
    first, second = (
        read(lambda *a, **k: run_of(*a, name=name, **k), records)  # noqa: B023 - called at once
        for name, records in (
            ("one", MANY),
            ("other", [structs.replace(each, ending=RECORDS[1].ending) for each in MANY]),
        )
    )
    found = plots(first, second)
    assert "Quality against latency" in found
    assert [(row[0], row[3]) for row in found["Quality against latency"].table.rows] == [
        ("one", "yes"),
        ("other", "yes"),
    ]
    assert "Quality against cost" not in found
    for title in ("Quality against latency", "Would it have come in time?", "Passes by tape"):
        assert {"A one", "B other"} <= set(re.findall(r">([^<>]+)</text>", found[title].svg))
    assert found["Would it have come in time?"].table.columns == ["within", "one", "other"]
    assert {"What became of the moments: A one", "What became of the moments: B other"} <= set(found)


def test_quality_is_drawn_against_cost_and_a_run_that_another_one_beats_is_not_on_the_front(run_of):
    def read_one(name, records, cost):
        told = {**summary(records, {"a": 200, "b": 200}, by="hole"), "cost": {"cost": cost, "untold": 0}}
        return read_runs([run_of(records, name=name, summary=told)])[0]

    worse = [structs.replace(each, verdict=RECORDS[1].verdict) if each.moment.event < 9 else each for each in MANY]
    dear, cheap, beaten = (
        read_one(*one) for one in (("dear", MANY, 2.0), ("cheap", worse, 1.0), ("beaten", worse, 1.5))
    )
    plot = plots(dear, cheap, beaten)["Quality against cost"]
    assert [(row[0], row[2], row[3]) for row in plot.table.rows] == [
        ("dear", "2", "yes"),
        ("cheap", "1", "yes"),
        ("beaten", "1.5", ""),
    ]


def test_what_is_not_drawn_is_said(run_of, tmp_path):
    (run,) = read_runs([run_of([record(1, None)], {"corpus": "devbench"})])
    assert [words.split(",")[0] for words in missing_plots([run], has_library=True)] == [
        "A benchmark has no session",
        "Nothing is drawn of what passes",
    ]
    (words,) = missing_plots([run], has_library=False)
    assert "pip install 'ghosttape[report]'" in words
    assert not plots(ReportedRun("x", tmp_path, {}, {}, [], "hole"))
