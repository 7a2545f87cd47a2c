"""The table of two runs, and the command that prints it."""

import io
import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

from replay.numbers.paired.sentences import front_sentences
from replay.records import Ending, Moment, Record, Verdict
from replay.run.store import Store
from tui.cli.app import app
from tui.comparing.comparison_text import groups_page
from tui.render.markdown import fenced, plain
from tui.tables.comparison_markdown import comparison_markdown
from tui.tables.comparison_table import comparison_table

DIFFERENCE = {
    "n": 300,
    "clusters": 41,
    "gained": 40,
    "broken": 12,
    "design_effect": 2.31,
    "net": {"value": 28 / 300, "low": 0.021, "high": 0.166},
    "p": 0.0123,
    "p_adjusted": 0.0123,
    "of": 1,
    "says": "more",
    "needed": None,
    "sentence": "B passes 9.3 points more, 95 % 2.1 to 16.6, over 300 moments in 41 holes",
}
FOUND = {
    "runs": ["runs/one", "runs/" + "x" * 90],
    "cluster_by": "hole",
    "asked": 0.05,
    "passed": [100, 128],
    "difference": DIFFERENCE,
    "breakdowns": [{**DIFFERENCE, "by": "language", "group": "python", "p_adjusted": 0.0004}],
    "notes": ["the runs differ in policy: 'a' and 'b'", "the runs share only 1 of 9 moments"],
    "unfair": ["the runs differ in policy: 'a' and 'b'"],
    "metrics": [],
    "instructions": [],
    "changed": [],
}


def document(*comparisons):
    """What `compare_runs` gives of some comparisons with one run."""
    names = [comparisons[0]["runs"][0], *(one["runs"][1] for one in comparisons)]
    figures = {"pass_at_1": {}, "passed_in_time": {}, "latency_p50": None, "cost": None}
    runs = [
        {"label": label, "name": name, "moments": 300, **figures} for label, name in zip("ABCD", names, strict=False)
    ]
    unfair = [{"runs": one["runs"], "says": note} for one in comparisons for note in one["unfair"]]
    return {"unfair": unfair, "runs": runs, "comparisons": list(comparisons), "fronts": {}}


def table_of(*found, changed=3):
    console = Console(width=80, file=io.StringIO())
    console.print(comparison_table(document(*found), changed))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    return lines


def printed(*found, **options):
    return " ".join(" ".join(table_of(*found, **options)).split())


def test_both_shares_their_difference_and_its_clusters_are_named():
    text = printed(FOUND)
    assert "A runs/one 100 of 300, 33 %" in text
    assert "B less A +9.3 (+2.1 to +16.6) p 0.012" in text
    assert "300 in 41 holes, design effect 2.3 only B passes 40, only A 12" in text
    assert "B passes 9.3 points more" in text
    assert "language python 300 in 41 +9.3 (+2.1 to +16.6) <0.001 more" in text


LARGE = {
    "n": 123_456,
    "clusters": 12_345,
    "gained": 100_000,
    "broken": 123_456,
    "design_effect": 123.45,
    "net": {"value": -1.0, "low": -1.0, "high": 1.0},
    "p": 0.0001,
    "p_adjusted": 0.0001,
    "of": 1,
    "needed": 1_000_000,
    "sentence": "",
}


@pytest.mark.parametrize("by", ["hole", "function", "tape", "program"])
@pytest.mark.parametrize("says", ["more", "fewer", "as many", "too few to tell"])
def test_in_80_columns_no_cell_is_cut_whatever_its_numbers_and_names(by, says):
    groups = [
        {**LARGE, "by": kind, "group": group, "says": says}
        for kind, group in [
            ("tape", "EditSourceTracker.test1.recordin"),
            ("language", "typescript"),
            ("length", "over 80"),
            ("kind", "statement"),
        ]
    ]
    runs = ["runs/" + "a" * 35, "runs/" + "b" * 35]
    parts = {"runs": runs, "passed": [123_456, 123_456], "cluster_by": by, "breakdowns": groups}
    text = printed({**FOUND, **parts, "difference": {**LARGE, "says": says}})
    assert "…" not in text
    assert "A runs/" + "a" * 35 + " 123,456 of 123,456, 100 %" in text
    assert "-100.0 (-100.0 to +100.0) p <0.001" in text
    assert "design effect 123.5 only B passes 100,000, only A 123,456" in text
    short = "too few" if says == "too few to tell" else says
    row = f"123,456 in 12,345 -100.0 (-100.0 to +100.0) <0.001 {short}"
    assert text.count(row) == 4
    for name in ("EditSourceTracker.test1.recordin", "typescript", "over80", "statement"):
        assert name in text.replace(" ", "")
    assert "pairs in clusters points (95 %) p" in text


def test_a_name_of_any_length_goes_on_in_the_next_lines_and_moves_no_number():
    named = [{**DIFFERENCE, "by": "tape", "group": "x" * size, "p_adjusted": 0.5} for size in (1, 30, 35, 500)]
    lines = table_of({**FOUND, "runs": ["one", "two"], "breakdowns": named})
    places = [line.index("+9.3") for line in lines if "0.500" in line]
    assert len(places) == 4
    assert len(set(places)) == 1
    assert "".join(lines).count("x") == 1 + 30 + 35 + 34
    assert "".join(lines).count("…") == 1


def test_what_makes_it_unfair_is_said_first_and_once_and_what_is_missing_last():
    text = printed(FOUND)
    assert text.startswith("the runs differ in policy: 'a' and 'b' A runs/one")
    assert text.count("differ in policy") == 1
    assert "the runs share only 1 of 9 moments" in text


def test_the_sentence_names_the_run_by_its_letter():
    text = printed(FOUND, {**FOUND, "runs": ["runs/one", "runs/three"]})
    assert "B passes 9.3 points more, 95 % 2.1 to 16.6, over 300 moments in 41 holes" in text
    assert "C passes 9.3 points more" in text
    assert "C less A: runs/three" in text
    assert text.startswith("A and B: the runs differ in policy: 'a' and 'b' A and C: the runs differ")


METRIC = {**DIFFERENCE, "p_adjusted": 0.0004, "is_gain": True}


def test_other_measures_stand_in_their_units():
    measures = [
        {**METRIC, "metric": "exact", "unit": "share", "first": 0.25, "second": 0.343, "says": "better"},
        {**METRIC, "metric": "keystrokes_saved", "unit": "keys", "first": 1.5, "second": 2.0, "says": "better"}
        | {"net": {"value": 0.5, "low": 0.25, "high": 0.75}},
        {**METRIC, "metric": "latency", "unit": "ms", "first": 1500.0, "second": 2612.0, "says": "worse"}
        | {"net": {"value": 1112.0, "low": 1000.0, "high": 1224.0}},
    ]
    text = printed({**FOUND, "metrics": measures})
    assert "exact 25 % 34 % +9.3 (+2.1 to +16.6) <0.001 better" in text
    assert "keys saved 1.50 2.00 +0.50 (+0.25 to +0.75)" in text
    assert "mean latency 1,500 ms 2,612 ms +1,112 (+1,000 to +1,224) <0.001 worse" in text


def change(number, way, *texts):
    answers = [{"text": text, "verdict": "passed"} for text in texts]
    return {"change": way, "place": f"a.py:{number}:1", "language": "python", "answers": answers}


def test_of_the_moments_that_changed_some_of_both_ways_are_shown_side_by_side():
    changed = [change(1, "lost", "x = 1", ""), change(2, "lost", "", ""), change(3, "gained", "\x1b[31m", "y\n" * 50)]
    text = printed({**FOUND, "changed": changed}, changed=2)
    assert "2 only A passes, 1 only B passes" in text
    assert "- a.py:1:1 A: passed B: passed x = 1 (nothing) + a.py:3:1" in text
    assert "a.py:2:1" not in text
    assert "--changed 3 shows both answers of all" in text
    assert "\x1b" not in text
    assert text.count(" y") < 10
    assert "a.py" not in printed({**FOUND, "changed": changed}, changed=0)


def test_nothing_shared_is_a_table_too():
    nothing = {
        **DIFFERENCE,
        "n": 0,
        "clusters": 0,
        "net": dict.fromkeys(("value", "low", "high")),
        "p": None,
        "p_adjusted": None,
    }
    text = printed({**FOUND, "passed": [0, 0], "difference": {**nothing, "says": "too few to tell"}, "breakdowns": []})
    assert "0 of 0" in text
    assert "0 in 0 holes" in text


@pytest.fixture
def runs(tmp_path):
    """Two runs over the same 24 moments in 12 holes; the second passes everywhere."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        with Store.create(folder, {"policy": "blocks", "sources": {"small": "1"}}) as store:
            for at in range(24):
                moment = Moment(
                    tape="small",
                    event=at,
                    path="a.py",
                    language="python",
                    offset=at,
                    line=0,
                    character=at,
                    t=0.0,
                    hole=f"a.py:{at // 2}",
                )
                passed = folder.name == "two" or at < 4
                store.put(
                    Record(
                        moment=moment, ending=Ending("shown"), verdict=Verdict(name="passed" if passed else "failed")
                    )
                )
    return [str(folder) for folder in folders]


def test_compare_prints_one_document(runs):
    done = CliRunner().invoke(app, ["compare", *runs, "--json"])
    assert done.exit_code == 0
    (found,) = json.loads(done.stdout)["comparisons"]
    assert found["passed"] == [4, 24]
    assert (found["difference"]["clusters"], found["difference"]["gained"]) == (12, 20)
    assert found["difference"]["p"] == pytest.approx(2 / 2**10)
    assert found["difference"]["says"] == "more"


def test_compare_prints_a_table_and_goes_by_the_clusters_that_are_named(runs):
    done = CliRunner().invoke(app, ["compare", *runs, "--cluster-by", "tape"])
    assert done.exit_code == 0
    assert "24 in 1 tape" in done.stdout
    assert "too few to tell" in done.stdout


def test_compare_refuses_what_is_no_run_and_what_is_no_cluster(runs, tmp_path):
    assert CliRunner().invoke(app, ["compare", runs[0], str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", *runs, "--cluster-by", "file"]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", runs[0]]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", runs[0], runs[0]]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", *runs, "--json", "--markdown"]).exit_code == 2
    assert CliRunner().invoke(app, ["compare", *runs, runs[0] + "/../one/", "--tui"]).exit_code == 2


def test_markdown_has_the_sentence_the_tables_and_the_moments_that_changed(runs):
    done = CliRunner().invoke(app, ["compare", *runs, "--markdown", "--changed", "1"])
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "## ghosttape compare"
    assert any(line.startswith("**🟢 B passes 83.3 points more, 95 %") for line in lines)
    assert any(line.startswith("| tests passed | 17 % | 100 % | +83.3 (") for line in lines)
    assert "<details><summary>Moments that changed (20)</summary>" in lines
    assert "… and 19 more (`--changed 20`)" in lines


def test_markdown_shows_what_a_run_holds_and_does_nothing_with_it():
    assert plain("a|b <img> @ada\n[x](y) `z`") == "a\\|b \\<img\\> @\u200bada\u240a\\[x\\]\\(y\\) \\`z\\`"
    assert list(fenced("```\nx\n````", "python")) == ["`````python", "```\nx\n````", "`````"]


def test_of_several_runs_the_p_that_is_shown_is_the_one_that_the_verdict_goes_by():
    several = {**FOUND, "difference": {**DIFFERENCE, "p_adjusted": 0.0246, "of": 2}}
    text = printed(several, {**several, "runs": ["runs/one", "runs/three"]})
    assert text.count("p 0.025 (adjusted by Holm for 2 runs)") == 2
    assert "0.012" not in text
    marked = comparison_markdown(document(several), 0)
    assert "(p 0.025 (adjusted by Holm for 2 runs))" in marked


def test_several_runs_on_a_side_have_labels_and_the_names_that_tell_them_apart():
    found = document({**FOUND, "unfair": [], "notes": []})
    names = [f"models/{model}-{policy}-{'x' * 40}" for model in ("small", "large") for policy in ("blocks", "pause")]
    labels = ("A1", "A2", "B1", "B2")
    found["runs"] = [
        {**found["runs"][0], "name": name, "label": label} for name, label in zip(names, labels, strict=True)
    ]
    found["runs"][2]["pass_at_1"] = {"value": 0.427, "low": 0.37, "high": 0.483}
    found["fronts"] = {"cost": names[2:3]}
    console = Console(width=80, file=io.StringIO())
    console.print(comparison_table(found, 0))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[:2] for line in lines if line[:2] in labels] == [[label, name[7:32] + "…"] for label, name in zip(labels, names, strict=True)]  # fmt: skip
    assert any(line.startswith("B         B1 to B2  128 of 300") for line in lines)
    said = front_sentences(found)[0]
    assert said.startswith("No other run passes more for less cost than B1 (")
    assert said in lines
    assert f"{said}  " in comparison_markdown(found, 0)


MEASURED = {
    "metric": "change-inner-loop-to-start-from-outer-index",
    "unit": "share",
    "is_gain": True,
    "first": 1.0,
    "second": 0.42,
    "net": {"value": -0.58, "low": -1.0, "high": -0.125},
    "p_adjusted": 0.004,
    "says": "worse",
}


def test_adherence_to_each_instruction_stands_in_a_table_of_its_own_everywhere():
    found = {**FOUND, "instructions": [MEASURED]}
    lines = table_of(found)
    assert any("instructions of developers, B less A (p adjusted by Holm)" in line for line in lines)
    row = next(line for line in lines if "-58.0 (-100.0 to -12.5)" in line)
    assert row.split()[-2:] == ["0.004", "worse"]
    name = "".join("".join(lines).split())
    assert "change-inner-loop" in name
    text = comparison_markdown(document(found), 0)
    assert "<summary>Instructions of developers, B less A (p adjusted by Holm)</summary>" in text
    assert "| -58.0 (-100.0 to -12.5) | 0.004 | 🔴 worse |" in text
    assert plain(MEASURED["metric"]) in text
    page = groups_page(found).plain
    assert "change-inner-loop-to-start-from-" in page
    assert "-58.0 (-100.0 to -12.5)" in page


def test_a_page_that_cannot_be_made_is_refused_before_anything_is_compared(runs, tmp_path):
    for words, said in (
        (["--html", str(tmp_path)], "is a folder"),
        (["--html", "a.html", "--tui"], "exclude each other"),
    ):
        done = CliRunner().invoke(app, ["compare", *runs, *words])
        assert (done.exit_code, done.stdout) == (2, "")
        assert said in done.stderr
