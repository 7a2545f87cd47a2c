"""Gates: what is kept, missed and unsure, and what CI reads of it."""

import xml.etree.ElementTree as ET

import pytest

from replay.errors import GateError
from replay.gates.gate_reports import workflow_commands, write_junit
from replay.gates.gates import LIMITED, GateResult, any_fails, check_against, check_limit, limit_of

SUMMARY = {
    "moments": 40,
    "endings": {"shown": 38, "failed": 2},
    "verdicts": {"passed": 12},
    "cost": {"cost": 0.25, "tokens": None},
    "instructions": {
        "all": {
            "adherence": {"value": 0.8, "low": 0.7, "high": 0.9},
            "follows_and_passes": {"value": 0.2, "low": 0.1, "high": 0.3},
        },
        "by_id": {"avoid-ternary": {"adherence": {"value": 0.5, "low": 0.4, "high": 0.6}}},
    },
    "metrics": {
        "pass_at_1": {"value": 0.3, "low": 0.2, "high": 0.4, "testable": {"value": 1.0, "low": 0.9, "high": 1.0}},
        "keystrokes_saved": {"value": 40, "share": 0.1, "low": None, "high": 0.2},
        "latency_ms": {
            "p50": 300.0,
            "p50_low": 250.0,
            "p50_high": 350.0,
            "p95": 800.0,
            "p95_low": 700.0,
            "p95_high": None,
        },
    },
}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("pass_at_1=0.2", "kept"),
        ("pass_at_1=20%", "kept"),
        ("pass_at_1 = 0.3", "unsure"),
        ("pass_at_1=0.4", "unsure"),
        ("pass_at_1=0.41", "missed"),
        ("testable=0.9", "kept"),
        ("keystrokes_saved=0.05", "unsure"),
        ("keystrokes_saved=0.25", "missed"),
        ("latency_p50=400", "kept"),
        ("latency_p50=350", "kept"),
        ("latency_p50=300", "unsure"),
        ("latency_p50=249", "missed"),
        ("latency_p95=900", "unsure"),
        ("latency_p95=600", "missed"),
        ("latency_p99=9e9", "missed"),
        ("moments=40", "kept"),
        ("moments=41", "missed"),
        ("failed=2", "kept"),
        ("failed=1", "missed"),
        ("infrastructure=0", "kept"),
        ("exact=0.1", "missed"),
        ("cost=0.25", "kept"),
        ("cost=0.2", "missed"),
        ("tokens=1", "missed"),
        ("adherence=0.65", "kept"),
        ("adherence=0.75", "unsure"),
        ("adherence=0.95", "missed"),
        ("follows_and_passes=35%", "missed"),
        ("adherence:avoid-ternary=0.3", "kept"),
        ("adherence:avoid-ternary=0.7", "missed"),
        ("adherence:avoid-eval=0", "missed"),
        ("follows_and_passes:avoid-ternary=0", "missed"),
    ],
)
def test_a_limit_goes_by_the_interval_and_by_the_direction_of_its_figure(text, outcome):
    found = check_limit(limit_of(text), SUMMARY)
    assert found.outcome == outcome, found


def test_what_was_not_measured_is_missed_and_says_so():
    assert check_limit(limit_of("pass_at_1=0"), {"metrics": {"pass_at_1": {}}}).outcome == "missed"
    found = check_limit(limit_of("exact=0"), {})
    assert found.says == "exact was not measured in this run"
    assert found.fails(strict=False)


def test_the_sentence_has_the_limit_the_figure_and_its_interval():
    assert check_limit(limit_of("pass_at_1=0.5"), SUMMARY).says == (
        "pass_at_1 must be at least 0.5; it is not: 0.300 (95 % 0.200 to 0.400)"
    )
    assert check_limit(limit_of("latency_p95=900"), SUMMARY).says == (
        "latency_p95 must be at most 900 ms; the interval holds both: 800 ms (95 % 700 to unknown)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pass_at_1",
        "pass_at_1=",
        "pass_at_1=x",
        "pass=0.3",
        "pass_at_1=30",
        "pass_at_1=nan",
        "latency_p95=inf",
        "=1",
        "adherence:=0.5",
        "adherence:avoid-ternary=5",
        "pass_at_1:avoid-ternary=0.5",
    ],
)
def test_what_is_no_gate_is_refused(text):
    with pytest.raises(GateError, match="is no gate"):
        limit_of(text)


def test_every_figure_can_have_a_limit():
    for name in LIMITED:
        assert limit_of(f"{name}=1").name == f"{name}=1"


def compared(low, value, high, p=0.001):
    return {
        "runs": ["baseline", "new"],
        "difference": {
            "n": 300,
            "p_adjusted": p,
            "of": 1,
            "net": {"value": value, "low": low, "high": high},
            "together": {"confidence": 0.95, "low": low, "high": high},
        },
    }


@pytest.mark.parametrize(
    ("low", "value", "high", "standing", "fails"),
    [
        (0.01, 0.04, 0.07, "better", (False, False)),
        (-0.01, 0.0, 0.01, "equal", (False, False)),
        (-0.02, 0.0, 0.02, "equal", (False, False)),
        (-0.09, -0.06, -0.03, "worse", (True, True)),
        (-0.05, -0.03, -0.01, "unsure", (False, True)),
        (-0.10, 0.00, 0.10, "unsure", (False, True)),
        (None, -0.10, None, "unsure", (False, True)),
        (None, None, None, "unsure", (True, True)),
    ],
)
def test_a_run_is_better_equal_worse_or_unsure(low, value, high, standing, fails):
    """`fails` is without --strict, and with it."""
    found = check_against(compared(low, value, high), 0.02)
    assert found.standing == standing
    assert (found.fails(strict=False), found.fails(strict=True)) == fails
    assert any_fails([found], strict=False) == fails[0]


RESULTS = [
    GateResult("pass_at_1=0.2", "kept", "it is 0.3"),
    GateResult("not worse than a,b", "missed", "it is 100 % worse:\nby far"),
    GateResult("latency_p95=900", "unsure", "it may <be>"),
]


@pytest.mark.parametrize("strict", [False, True])
def test_junit_has_a_case_for_each_gate(tmp_path, strict):
    write_junit(tmp_path / "reports" / "gates.xml", "nightly", RESULTS, strict=strict)
    root = ET.parse(tmp_path / "reports" / "gates.xml").getroot()
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", str(1 + strict), str(1 - strict))
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert list(cases) == [result.gate for result in RESULTS]
    assert all(case.get("classname") == "nightly" for case in cases.values())
    assert cases["not worse than a,b"].find("failure").get("message").split() == RESULTS[1].says.split()
    assert cases["latency_p95=900"].find("failure" if strict else "skipped").get("message") == "it may <be>"
    assert cases["pass_at_1=0.2"].find("failure") is None


def test_annotations_are_escaped_as_the_runner_reads_them():
    assert list(workflow_commands("nightly", RESULTS, strict=False)) == [
        "::notice title=ghosttape%3A pass_at_1=0.2::it is 0.3 (nightly)",
        "::error title=ghosttape%3A not worse than a%2Cb::it is 100 %25 worse:%0Aby far (nightly)",
        "::warning title=ghosttape%3A latency_p95=900::it may <be> (nightly)",
    ]
    assert list(workflow_commands("nightly", RESULTS, strict=True))[2].startswith("::error ")


def test_a_report_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(GateError, match="cannot be written"):
        write_junit(tmp_path / "file" / "gates.xml", "run", RESULTS, strict=False)


@pytest.mark.parametrize("figure", ["cost", "tokens"])
def test_a_sum_that_lacks_answers_is_not_known_and_keeps_no_gate(figure):
    whole = {"cost": {"tokens": 88, "cost": 0.25, "untold": 0}}
    assert check_limit(limit_of(f"{figure}=100"), whole).outcome == "kept"
    lacking = {"cost": {"tokens": 88, "cost": 0.25, "untold": 8}}
    found = check_limit(limit_of(f"{figure}=100"), lacking)
    assert (found.outcome, found.says) == ("missed", f"{figure} was not measured in this run")


@pytest.mark.parametrize(
    ("low", "value", "high", "margin", "standing"),
    [(-0.882, -0.6, -0.03, 0.0, "unsure"), (0.03, 0.6, 0.882, 0.0, "unsure"), (0.03, 0.6, 0.882, 0.02, "equal")],
)
def test_a_gate_is_sure_only_where_compare_tells_the_runs_apart(low, value, high, margin, standing):
    """Three of five single moments lost: the interval does not hold 0, but McNemar's p is 0.25."""
    found = check_against(compared(low, value, high, p=0.25), margin)
    assert (found.standing, found.fails(strict=False)) == (standing, False)
    assert "p 0.250" in found.says
