"""Text of tapes, tests, models, paths and ids is shown as text: on every screen, in every table, line and error."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from replay.errors import StoreError
from replay.numbers.effects import ablation
from replay.records import ArmTrial, Verdict
from server.settings import REPAIRS
from tests.support.hostile_texts import HOSTILE, LONGEST, NAMES, PARTS, hostile_record, is_harmless
from tests.support.scale import sampled
from tui.commands import checkup
from tui.commands.tapes import import_export
from tui.console import SafeConsole
from tui.inspector.pages.pages import PAGES
from tui.inspector.pages.parts import ShownMoment
from tui.outcome import guarded
from tui.tables.ablation_table import ablation_table
from tui.tables.comparison_table import comparison_table
from tui.tables.evaluation_table import scores_table
from tui.tables.replay import replay_table
from tui.terminal_text import (
    bounded,
    clip_last_line,
    headline,
    message,
    one_line,
    reveal_white_space,
    sanitize,
    shorten,
)

SHARE = {"value": 0.4, "low": 0.2, "high": 0.6, "n": 30}
ONE = {
    "moments": 31,
    "endings": {"gated": 4, "failed": 2},
    "verdicts": {"failed": 14, "passed": 12},
    "untestable": {"undetected": 4},
    "metrics": {"pass_at_1": {**SHARE, "testable": SHARE}, "latency_ms": {"p50": 143.2, "p95": 1204.1}},
}
"""What the summary of a replay has of one tape."""
CELL = {"tasks": 5, "testable": 3, "passed": 2, "share": SHARE, "why_untestable": {}, "pass_at_k": {"1": SHARE}}
NET = {
    "n": 300,
    "clusters": 41,
    "gained": 40,
    "broken": 12,
    "design_effect": 2.3,
    "net": SHARE,
    "p": 0.01,
    "p_adjusted": 0.01,
    "of": 2,
    "says": "more",
}


def trials(number):
    """A moment in each arm of an ablation; it fails only with all repairs."""
    for arm in ("all", "none", *(f"without {step}" for step in REPAIRS)):
        verdict = Verdict(name="failed" if arm == "all" else "passed")
        yield ArmTrial(moment=f"m{number}", tape="t", place="a.py:1:1", language="python", arm=arm, text="x", start=0, end=0, verdict=verdict)  # fmt: skip


def is_seen(text, shown):
    """Whether a short text stands in what is shown, wherever lines are broken."""
    return "".join(sanitize(text).split()) in "".join(shown.split())


def printed(*renderables):
    console = Console(width=80, file=io.StringIO())
    console.print(*renderables)
    return console.file.getvalue()


def test_there_are_300():
    assert len(set(HOSTILE)) >= 300


@pytest.mark.parametrize(
    "safe",
    [bounded, message, one_line, headline, lambda text: shorten(one_line(text), 20), lambda text: shorten(one_line(text), 20, keep_end=True), lambda text: clip_last_line(sanitize(text)), lambda text: clip_last_line(reveal_white_space(text))],
    ids=["bounded", "message", "one_line", "headline", "shorten", "shorten_end", "clip_last_line", "reveal_white_space"],
)  # fmt: skip
def test_every_way_of_showing_a_text_makes_it_harmless(safe):
    assert all(is_harmless(safe(text)) for text in HOSTILE)


def test_a_sign_stands_for_each_control_and_each_hidden_character():
    assert sanitize("\x1b[31m\x9b1m\u202e\u200b\U000e0041\u2028") == "␛[31m<U+009B>1m<U+202E><U+200B><U+E0041><U+2028>"
    assert sanitize("a\u0301" + "\u0301" * 9) == "a\u0301\u0301\u0301<7 more marks>"
    assert sanitize("ab\u200dc 👨\u200d👩") == "ab<U+200D>c 👨👩"


def replay_summary(texts):
    """A summary in which every name and reason is hostile, with a tape for each text."""
    told = [{"tape": text, "reason": text, "fault": text, "why": "failed"} for text in texts]
    reasons = {f"failed({text})": 2 for text in texts} | {f"gated({text})": 1 for text in texts}
    machine = {"warnings": list(texts)}
    lists = {"left_out": told, "faults": told, "skipped": told, "reasons": reasons, "machine": machine}
    return {**ONE, **lists, "tapes": dict.fromkeys(texts, ONE)}


def of_replay(size):
    names = sampled(NAMES)
    return lambda: (
        "".join(printed(replay_table(replay_summary(names[at : at + size]))) for at in range(0, len(names), size)),
        names if size > 1 else (),
    )


def of_scores():
    failures = [{"task": text, "cause": text, "verdict": "assertion", "message": text} for text in sampled(NAMES)]
    told = [{"tape": text, "reason": text} for text in sampled(NAMES)]
    cells = [{**CELL, "language": "python", "category": text} for text in sampled(NAMES)]
    evaluation = {
        **CELL,
        "samples": 1,
        "endings": {},
        "verdicts": {},
        "metrics": {},
        "languages": [{**CELL, "language": "python"}],
    }
    parts = [
        {**evaluation, "failures": failures[at : at + 60], "left_out": told, "cells": cells, "corpus": text, "provider": text, "causes": {text: 3}}
        for at, text in zip(range(0, len(failures), 60), NAMES, strict=False)
    ]  # fmt: skip
    return "".join(printed(scores_table(part)) for part in parts), ()


def of_comparison():
    return "".join(printed(comparison_table(of_two_runs(text), 1)) for text in sampled(NAMES)), ()


MEASURE = {"unit": "share", "first": 0.5, "second": 0.6, "net": NET["net"], "p_adjusted": 0.1, "says": "not told apart"}


def of_two_runs(text):
    """A comparison in which whatever a model, a tape or a person names is one text."""
    answer = {"verdict": "failed", "text": text}
    run = {
        "label": "A",
        "name": text,
        "moments": 1,
        "pass_at_1": {},
        "passed_in_time": {},
        "latency_p50": None,
        "cost": None,
    }
    pair = {
        "cluster_by": "hole",
        "asked": 0.05,
        "passed": [100, 128],
        "runs": [text, text],
        "difference": {**NET, "sentence": "B passes as many"},
        "metrics": [],
        "instructions": [MEASURE | {"metric": text}],
        "breakdowns": [{**NET, "by": "language", "group": text, "p_adjusted": 0.1}],
        "changed": [{"change": "lost", "place": text, "answers": [answer, answer]}],
        "notes": [text],
        "unfair": [],
    }
    return {"runs": [run, run], "unfair": [{"runs": [text, text], "says": text}], "comparisons": [pair], "fronts": {}}


def of_ablation():
    found = ablation([trial for number in range(3) for trial in trials(number)], REPAIRS)
    parts = [
        {**found, "cases": [{"tape": text, "place": text, "step": "stop", "kind": "broken"}]} for text in sampled(NAMES)
    ]
    return "".join(printed(ablation_table(part)) for part in parts), ()


TABLES = {
    "replay, one tape": of_replay(1),
    "replay, tapes side by side": of_replay(3),
    "replay, many tapes": of_replay(400),
    "evaluate": of_scores,
    "compare": of_comparison,
    "ablation": of_ablation,
}


@pytest.mark.sampled
@pytest.mark.parametrize("table", TABLES)
def test_every_table_is_harmless(table):
    text, names = TABLES[table]()
    assert is_harmless(text)
    assert all(is_seen(name, text) for name in names if len(name) < 20 and table == "replay, many tapes")


def test_what_a_console_prints_is_harmless_and_never_markup():
    console = SafeConsole(width=80, file=io.StringIO(), force_terminal=False)
    for text in HOSTILE:
        console.print(text[:5_000], soft_wrap=len(text) < 900)
        console.print(Text(text[:5_000]))
    shown = console.file.getvalue()
    assert is_harmless(shown)
    assert all(is_seen(text, shown) for text in HOSTILE if len(text) < 40 and "[" in text)


def test_errors_are_harmless(capsys):
    @guarded
    def fail(text):
        raise StoreError(f"{text}/run.sqlite: {text}")

    for text in HOSTILE:
        with pytest.raises(SystemExit):
            fail(text)
    shown = capsys.readouterr().err
    assert is_harmless(shown.replace("ghosttape: ", "\n"))
    assert "[@click=app.quit]x[/]/run.sqlite" in shown


def test_lines_of_import_and_of_doctor_are_harmless(capsys):
    for text in HOSTILE:
        import_export._say(f"  {text}: 3 events")
        checkup.show({"ok": False, "needed": True, "name": "x", "detail": text[:3_000], "hint": text[:3_000]})
    assert is_harmless(capsys.readouterr().out)


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_a_moment_is_harmless(page):
    _, make = PAGES[page]
    assert all(
        is_harmless(make(ShownMoment(hostile_record(text[:20_000]), no_tape=text)).content.plain, PARTS * LONGEST)
        for text in HOSTILE
    )
