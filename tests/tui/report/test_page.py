"""A report says of a run what the run says of itself, whatever state the run is in; and it is one file in which texts are texts."""

import base64
import hashlib
import json
import subprocess

import pytest
from msgspec import structs

from replay.numbers.comparison import ComparedRun, compare
from replay.numbers.figures import summary
from replay.records import ArmTrial, Verdict
from replay.run.store import Store
from tests.support.hostile_texts import HOSTILE, hostile_record, is_harmless
from tests.support.preloaded import preloaded_script
from tests.support.report_page import texts
from tests.support.report_records import RECORDS, SUMMARY, record
from tui import summary_figures
from tui.commands.inspect.reporting import write_report
from tui.errors import ConfigurationError, RunReadError

OLDER = {key: value for key, value in SUMMARY.items() if key != "shares"}
UNTESTED = [structs.replace(one, verdict=None) for one in RECORDS]


def test_a_run_that_has_ended_shows_the_figures_of_its_summary(run_of, reported):
    page = reported(run_of(RECORDS, summary=SUMMARY))
    rows = page.rows()
    assert rows["moments"] == ["4"]
    assert rows["tests passed"] == [summary_figures.passed_words(SUMMARY)]
    assert rows["latency"] == [summary_figures.latency_words(SUMMARY)]
    assert rows["keystrokes saved"] == [summary_figures.keystrokes_words(SUMMARY)]
    assert rows["accepted"][0].startswith("2, 50 %")
    assert "1 of 2 testable" in rows["tests passed"][0]
    assert "not complete" not in page.text


def test_each_moment_has_its_prompt_trail_difference_and_log(run_of, reported):
    page = reported(run_of(RECORDS, summary=SUMMARY))
    assert len(page.moments) == len(RECORDS)
    one = page.moments[RECORDS[1].moment.id]
    (told,) = one["runs"]
    assert one["truth"] == "return x"
    assert one["before"].endswith("if x:\n    ")
    assert told["prompt"] == "<PRE>"
    assert told["raw"] == "```\nreturn y"
    assert told["truth"].split("\n") == ["-return x", "+return y"]
    assert [(step["step"], step["lines"]) for step in told["trail"]] == [("prose", "-```\n return y")]
    assert told["log"] == "1 failed\n"
    assert told["message"] == "AssertionError"
    place, ending, verdict = page.index["rows"][1][1], *page.index["rows"][1][6][0][0:3:2]
    assert (place, ending, verdict) == ("shop/cart.py:3:5", "rejected", "failed")


def test_a_page_is_the_same_each_time(run_of, tmp_path):
    folder = run_of(RECORDS, summary=SUMMARY)
    for name in ("a.html", "b.html"):
        write_report([folder], tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize(
    ("records", "beside"),
    [
        ([], ({}, {}, "The run has no moments")),
        (RECORDS, ({}, {}, "The run is not complete (stopped before its end)")),
        (RECORDS, ({}, {"summary": OLDER}, "made by an older version")),
        (UNTESTED, ({"tests": False}, {}, "The run was made without tests")),
        ([record(1), record(1, sample=1)], ({"samples": 2}, {}, "2 answers were asked for at each moment")),
        (RECORDS, ({"mode": "drive"}, {}, "played in drive mode")),
        ([record(1, None, "failed")], ({}, {}, "1 request failed")),
        ([record(1, "infrastructure")], ({}, {}, "1 answer could not be tested on that machine")),
    ],
    ids=["empty", "unfinished", "older", "no-tests", "samples", "drive", "failed", "infrastructure"],
)
def test_a_run_of_each_kind_has_a_page_that_says_so(run_of, reported, records, beside):
    config, facts, said = beside
    page = reported(run_of(records, {"policy": "blocks", **config}, **facts))
    assert said in page.text
    assert ("index" in page.scripts) == bool(records)


def test_a_run_whose_summary_lacks_almost_everything_has_a_page(run_of, reported):
    page = reported(run_of(RECORDS, summary={"moments": 4}))
    assert "made by an older version" in page.text
    assert len(page.moments) == 4


def test_samples_have_a_row_each(run_of, reported):
    page = reported(run_of([record(1), record(1, "failed", sample=1)], {"samples": 2}))
    assert [row[1] for row in page.index["rows"]] == ["shop/cart.py:2:5", "shop/cart.py:2:5, answer 2"]


def test_an_ablation_shows_what_came_of_an_answer_in_each_arm(run_of, reported):
    folder = run_of(RECORDS, {"ablate": "repairs"}, summary=SUMMARY)
    with Store.open(folder) as store:
        for arm, name in (("all", "passed"), ("without prose", "syntax")):
            store.put_trial(ArmTrial(moment=RECORDS[0].moment.id, tape="cart", place="a", language="python", arm=arm, text="x", start=0, end=0, verdict=Verdict(name=name)))  # fmt: skip
    ((told,),) = [reported(folder).moments[RECORDS[0].moment.id]["runs"]]
    assert [(arm, words.partition(":")[0]) for arm, words in told["arms"]] == [
        ("all", "passed"),
        ("without prose", "syntax"),
    ]


def test_moments_of_several_runs_stand_side_by_side(run_of, reported):
    one = run_of(RECORDS, name="one", summary=SUMMARY)
    other = run_of([record(1, "failed"), record(9)], name="other")
    page = reported(one, other)
    assert page.index["runs"] == ["one", "other"]
    by_id = {row[0]: row[6] for row in page.index["rows"]}
    shared, only_second = by_id[RECORDS[0].moment.id], by_id[record(9).moment.id]
    assert [cell[2] for cell in shared] == ["passed", "failed"]
    assert only_second[0] is None
    assert [side is None for side in page.moments[record(9).moment.id]["runs"]] == [True, False]


def test_no_text_of_a_run_is_anything_but_text(run_of, reported):
    attacks = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "]]>--><svg onload=alert(1)>", "{{ 7 * 7 }}", "&lt;b&gt;", '" onclick="alert(1)', "javascript:alert(1)"]  # fmt: skip
    records = [hostile_record(text[:2_000], event) for event, text in enumerate([*attacks, *HOSTILE])]
    name = "<b onclick=alert(1)>"
    found = {"left_out": [{"tape": text, "reason": text} for text in attacks], "faults": [{"tape": text, "fault": text, "reason": text} for text in attacks]}  # fmt: skip
    page = reported(
        run_of(
            records,
            {"policy": name, "x</script>": name},
            name=name,
            summary={**summary(records, {}, by="tape"), **found},
        )
    )
    allowed = {"html", "head", "meta", "title", "style", "script", "body", "a", "header", "nav", "h1", "h2", "h3", "button", "main", "section", "p", "div", "table", "thead", "tbody", "tr", "td", "th", "ul", "li", "noscript", "form", "label", "input", "select", "option", "output", "details", "summary", "footer"}  # fmt: skip
    svg = {"svg", "g", "path", "text", "tspan", "defs", "clippath", "rect", "use", "title", "desc", "figure", "figcaption"}  # fmt: skip
    assert {tag for tag, _ in page.tags} <= allowed | svg
    assert not [attribute for _, attributes in page.tags for attribute in attributes if attribute.startswith("on")]
    assert {attributes["href"] for tag, attributes in page.tags if tag == "a"} <= {"#summary", "#plots", "#tables", "#moments", "#settings"}  # fmt: skip
    for value in (page.index, *page.moments.values()):
        for text in texts(value):
            assert is_harmless(text, longest=4_000)
    assert is_harmless(page.text.replace("\t", ""), longest=10_000)
    assert name in page.text


def test_the_page_allows_its_own_style_and_script_and_nothing_else(run_of, reported):
    page = reported(run_of(RECORDS))
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv"))
    told = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.scripts[kind].encode()).digest()).decode()
        assert told[f"{kind}-src"] == f"'sha256-{digest}'"
    assert (told["default-src"], told["base-uri"], told["form-action"]) == ("'none'",) * 3
    assert not [attributes for _, attributes in page.tags if {"style", "src", "srcset"} & attributes.keys()]
    assert "http://" not in page.source.replace("http://www.w3.org/", "")
    assert "https://" not in page.source


def test_the_command_writes_the_file_and_says_what_is_in_it(run_of, tmp_path):
    folder, out = run_of(RECORDS), tmp_path / "out.html"
    done = subprocess.run(
        [preloaded_script(), "report", str(folder), "-o", str(out), "--json"], capture_output=True, check=True
    )
    assert json.loads(done.stdout) == {"file": str(out), "bytes": out.stat().st_size, "runs": [str(folder)], "moments": 4}  # fmt: skip
    printed = subprocess.run(
        [preloaded_script(), "report", str(folder), "-o", "-"], capture_output=True, check=True
    ).stdout
    assert printed == out.read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{folder}", "{folder}"], "a run is named twice"),
        (["{folder}", "-o", "."], "is a folder: name the file"),
        (["nowhere"], "there is no run 'nowhere'"),
        (["{folder}", "-o", "-", "--json"], "choose a file"),
        (["{folder}"] * 9, "at most 8 runs"),
    ],
)
def test_what_cannot_be_written_is_said_with_status_2(run_of, tmp_path, words, said):
    folder = run_of(RECORDS)
    words = [word.format(folder=folder) for word in words]
    done = subprocess.run(
        [preloaded_script(), "report", *words], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_damaged_run_is_named(run_of, tmp_path):
    folder = run_of(RECORDS)
    (folder / "run.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(RunReadError, match=r"run\.sqlite"):
        write_report([folder], tmp_path / "out.html")
    assert not (tmp_path / "out.html").exists()


def test_a_folder_is_no_file(run_of, tmp_path):
    with pytest.raises(ConfigurationError, match="is a folder"):
        write_report([run_of(RECORDS)], tmp_path)


def test_several_runs_are_compared_with_the_first_in_the_words_of_compare(run_of, reported):
    many = [record(at, "passed" if at % 2 else "failed") for at in range(1, 41)]
    better = [record(at, "passed") for at in range(1, 41)]
    folders = [run_of(own, name=f"run{at}") for at, own in enumerate((many, better, [record(99)]))]
    page = reported(*folders)
    kept = [
        ComparedRun(name, {"policy": "blocks", "tests": True}, own) for name, own in (("run0", many), ("run1", better))
    ]
    found = compare(*kept, "hole", 0.05)
    assert found["difference"]["sentence"] in page.text
    assert page.rows()["all"] == ["20", "40", "40 in 40", summary_figures.net_words(found["difference"]["net"]), summary_figures.chance_words(found["difference"]["p"])]  # fmt: skip
    assert "C (run2) less A (run0)" in page.text
    assert "no moment in common" in page.text


def test_three_runs_have_the_adjusted_p_of_compare(run_of, reported):
    """Both gain 8 and lose 1 of 60: p is 0.039, by Holm 0.078."""
    base = [record(at, "passed" if at < 30 else "failed") for at in range(60)]
    better = [record(at, "passed" if 1 <= at < 38 else "failed") for at in range(60)]
    page = reported(*(run_of(own, name=f"run{at}") for at, own in enumerate((base, better, better))))
    assert "too few to tell whether B passes more".lower() in page.text.lower()
    assert "passes 11.7 points more" not in page.text
    assert page.rows()["all"][-1] == "0.078"


def test_the_folder_of_a_report_is_made_and_what_cannot_be_is_wrong_use(run_of, tmp_path):
    folder = run_of(RECORDS)
    write_report([folder], tmp_path / "new" / "out.html")
    assert (tmp_path / "new" / "out.html").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"file/out\.html cannot be written"):
        write_report([folder], tmp_path / "file" / "out.html")
