"""The table of an evaluation."""

import io
import re

from rich.console import Console

from corpora.registry import CorpusCard
from tui.tables.evaluation_table import NAMED, scores_table

NONE = {"value": None, "low": None, "high": None, "n": 0}


def share(value, low, high, n):
    return {"value": value, "low": low, "high": high, "n": n}


def figures(**more):
    plain = {"tasks": 5, "testable": 3, "passed": 2, "share": share(0.667, 0.21, 0.94, 3), "why_untestable": {}}
    return plain | {"pass_at_k": {"1": plain["share"]}} | more


def summary(**more):
    cells = [
        figures(language="python", category="code_purpose_understanding"),
        figures(language="python", category="x"),
    ]
    return {
        **figures(),
        "corpus": "devbench",
        "provider": "gpt-4o",
        "samples": 1,
        "endings": {"shown": 5},
        "verdicts": {"passed": 2, "assertion": 1},
        "metrics": {"latency_ms": {"p50": 12.0, "p95": 40.0}},
        "languages": [figures(language="python")],
        "cells": cells,
        "causes": {},
        "failures": [],
        "left_out": [],
    } | more


def shown(summary):
    console = Console(width=80, file=io.StringIO())
    console.print(scores_table(summary))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def has_line(text, pattern):
    return re.search(rf"^ *{pattern} *$", text, re.MULTILINE) is not None


def test_each_language_has_its_categories_under_it_and_all_a_line_at_the_end():
    text = shown(summary())
    assert has_line(text, "devbench, gpt-4o +passed +pass@1 +95 %")
    for name in ("python", "code_purpose_understanding", "all"):
        assert has_line(text, f"{name} +2/3 +66.7 +21–94")


def test_what_the_tests_notice_stands_before_what_passes():
    why = {"broken-baseline: network": 1, "flaky": 1, "undetected": 1, "undetected: filler": 1, "empty": 3}
    text = shown(summary(tasks=1800, testable=1500, why_untestable=why))
    assert has_line(text, "devbench, what tests notice +tasks +broken +unnoticed +nothing +not run +testable")
    assert has_line(text, "all +1,800 +2 +2 +3 +293 +1,500")
    assert has_line(text, "undetected: filler +1 +the tests pass with only `pass` or `;` here")
    assert text.index("1,800") < text.index("2/1,500")


def test_shares_over_all_tasks_stand_beside_those_over_testable_ones_in_80_columns():
    by_k = {"1": share(1.0, 0.93, 1.0, 1800), "5": share(1.0, 0.93, 1.0, 1800)}
    published = {"as_published": {"share": by_k["1"], "pass_at_k": by_k}}
    full = figures(tasks=1800, testable=1799, passed=1799, share=by_k["1"], pass_at_k=by_k) | published
    rows = [{**full, "language": "typescript", "category": "code_purpose_understanding"}]
    text = shown(summary(samples=5, languages=rows, cells=rows, **full))
    assert has_line(text, "devbench, gpt-4o +passed +pass@1 +95 % +pass@5 +all@1 +95 % +all@5")
    for name in ("typescript", "code_purpose_understanding", "all"):
        assert has_line(text, f"{name} +1,799/1,799 +100.0 +93–100 +100.0 +100.0 +93–100 +100.0")
    assert "all@1 is over all tasks, as benchmarks publish it" in " ".join(text.split())
    rows = [{**full, "language": "typescript", "category": "x"}]
    text = shown(summary(languages=rows, cells=rows, **full))
    assert has_line(text, "devbench, gpt-4o +passed +pass@1 +95 % +all@1 +95 %")


def test_several_samples_have_pass_at_1_and_at_their_number():
    several = {"1": share(0.5, None, None, 1), "5": share(1.0, 0.21, 1.0, 1)}
    several_samples = summary(samples=5, share=several["1"], pass_at_k=several)
    text = shown(several_samples)
    assert has_line(text, "devbench, gpt-4o +passed +pass@1 +95 % +pass@5")
    assert has_line(text, "all +2/3 +50.0 +100.0")
    assert "all@" not in text


def test_shares_of_nothing_are_left_empty():
    assert has_line(shown(summary(share=NONE, pass_at_k={"1": NONE})), "all +2/3")


def test_the_oracles_failures_are_summed_by_kind_of_cause():
    causes = {"missing-library org.apache.poi": 6, "network": 4, "missing-library torch": 1}
    text = shown(summary(causes=causes, self_contained=share(0.98, 0.9, 0.99, 200)))
    assert has_line(text, "missing-library +7 +org.apache.poi 6, torch 1")
    assert has_line(text, "network +4")
    assert "98.0 % pass of the 200 that lack no network, service, library or tool here." in text


def test_failures_are_named_once_a_task_those_first_that_nothing_lacking_explains():
    def failure(task, cause):
        return {"task": task, "cause": cause, "verdict": "assertion", "message": "AssertionError: " + "x" * 200}

    lacks = [failure(f"python/api_usage/{number}", "network") for number in range(NAMED)]
    wrong = [failure("java/low_context/7", "wrong-golden assertion")] * 5
    text = shown(summary(failures=[*lacks, *wrong]))
    assert f"tasks with a failure: {NAMED + 1}" in text
    lines = text[text.index("tasks with a failure") :].splitlines()
    assert all(f"python/api_usage/{number}  network" in text for number in range(NAMED - 1))
    assert lines[1].split()[0] == "java/low_context/7"
    assert text.count("java/low_context/7") == 1
    assert "… and 1 more" in text


def test_the_reason_of_a_failure_is_shown_in_full():
    message = "AssertionError: " + " ".join(f"word{number}" for number in range(30))
    cause = "missing-library org.apache.commons.lang3.tuple.ImmutablePair"
    failure = {"task": "java/api_usage/a_task_with_a_long_name/1", "cause": cause, "verdict": "x", "message": message}
    text = shown(summary(failures=[failure]))
    assert " ".join(text[text.index("tasks with a failure") :].split()[5:]) == f"{failure['task']} {cause} {message}"


def test_the_reason_of_a_failed_request_is_shown_in_full():
    reason = "the model server answered 503: " + " ".join(f"word{number}" for number in range(40))
    text = shown(summary(endings={"failed": 2}, reasons={f"failed({reason})": 2}))
    assert f"why requests failed 2 {reason}" in " ".join(text.split())


def test_what_was_left_out_is_named_and_nothing_in_it_moves_the_cursor():
    entry = {"tape": "devbench csharp", "reason": "dotnet is not on PATH\x1b[2J: install it", "why": "lacking"}
    text = shown(summary(left_out=[entry]))
    assert "devbench csharp  " in text
    assert "\x1b" not in text
    cells = [{"language": "csharp", "category": name, "tasks": 50, "reason": entry["reason"]} for name in "ab"]
    text = shown(summary(left_out=[entry], apart=[*cells, {**cells[0], "language": "java"}]))
    assert "devbench csharp, 100 tasks  dotnet is not on PATH" in text
    other = {**entry, "reason": "a.py reads b.csv"}
    text = shown(summary(left_out=[entry, other], apart=[*cells, {**cells[0], "tasks": 3, "reason": other["reason"]}]))
    assert "devbench csharp, 100 tasks  dotnet is not on PATH" in text
    assert "devbench csharp, 3 tasks    a.py reads b.csv" in text


def labelled(*, cells):
    """The figures of `summary` by labels, and as many pairs of a language and a category as are asked for."""
    row = figures(language="python", category="x", group="loop body", tasks=1, testable=1, passed=1)
    del row["why_untestable"]
    of_language = {name: value for name, value in row.items() if name != "category"} | {"tasks": 4}
    borders = [{"language": "python", "up_to": [10, 30], "from": "paper"}]
    one = {"all": [], "languages": [of_language], "cells": [row]}
    labels = {"constructs": one | {"borders": []}, "reference": one | {"borders": borders}}
    known = summary(labels=labels)
    return known | {"cells": known["cells"][:1] * cells}


def by_labels(summary, *by):
    console = Console(width=80, file=io.StringIO())
    console.print(scores_table(summary, by))
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    return text


def test_labels_have_a_table_each_only_where_they_are_asked_for():
    known = labelled(cells=4)
    assert "loop body" not in by_labels(known)
    text = by_labels(known, "constructs", "reference")
    assert has_line(text, "gpt-4o, by construct +tasks +passed +pass@1 +95 %")
    assert has_line(text, "gpt-4o, by distance to the farthest reference +tasks +passed +pass@1 +95 %")
    assert text.count("loop body") == 2
    assert "A task counts in each of its constructs." in text
    assert "Lines that part the groups, the nearer one up to: python 10, 30" in text


def test_labels_stand_under_their_categories_where_these_are_few_and_else_under_their_languages():
    assert has_line(by_labels(labelled(cells=4), "constructs"), "python x")
    assert has_line(by_labels(labelled(cells=4), "constructs"), "loop body +1 +1/1 +66.7 +21–94")
    many = by_labels(labelled(cells=5), "constructs")
    assert not has_line(many, "python x")
    assert has_line(many, "loop body +4 +1/1 +66.7 +21–94")


def test_a_run_of_an_earlier_version_has_no_labels():
    assert by_labels(summary(), "constructs") == by_labels(summary())


def test_blocks_have_a_line_by_sub_case_and_type_and_their_errors_are_counted():
    mean = share(3.25, 1, 5, 4)
    block = {
        "tasks": 4,
        "pass_at_1": share(0.25, 0.05, 0.7, 4),
        "similarity": {"published": share(0.5, 0.1, 0.9, 4), "paper": share(0.4, 0.1, 0.8, 4)},
        "lines": {"published": mean},
        "latency_ms": {"mean": share(1234.5, 1000, 2000, 4)},
        "errors": {"failed": 3, "by": {"crosses": {"answers": 2, "share": share(0.67, 0.2, 0.9, 3)}}},
    }
    rows = [{"scenario": "inner", "type": type_, **block} for type_ in ("IF", "all")]
    text = shown(summary(corpus="shop", blocks=rows))
    assert has_line(text, "inner block +4 +25.0 +5–70 +50.0 +40.0 +3.2 +1,234")
    assert has_line(text, "IF +4 +25.0 +5–70 +50.0 +40.0 +3.2 +1,234")
    assert "what is wrong with the 3 answers that fail" in text
    assert has_line(text, r"crosses +2 +it leaves the block that the cursor is in \(E.2\)")
    assert "blocks" not in shown(summary())


def test_a_table_that_a_package_cannot_make_is_named_and_the_others_are_shown(monkeypatch):
    card = CorpusCard(reader="", about="", sections="no_such_module:sections")
    monkeypatch.setattr("corpora.corpus.cards", lambda: {"shop": card, "other": card})
    text = shown(summary(corpus="shop"))
    assert "a table of shop cannot be made" in text
    assert "No module named 'no_such_module'" in text
    assert "a test's assertion fails" in text
    assert "a table of other" not in text
