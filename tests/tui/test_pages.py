import tomllib
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from replay.judge.retracing import TracedTape
from replay.play.policies.policy import policy_of
from replay.play.shown_edits import shown_edits
from replay.records import (
    Effort,
    Ending,
    Missed,
    Rewriting,
    RewritingCause,
    Suggestion,
    TrailStep,
    Untestable,
    Verdict,
    Within,
)
from replay.run.store import Store
from replay.tapes.tape import read
from syntax.wanted import Stop
from tests.support.tapes import Typist, moment_of, record_of
from tui.glossary import EFFORT, ENDINGS, REWRITING, STOPS, UNTESTABLE, VERDICTS, describe_verdict
from tui.inspector.code import code_with_suggestion
from tui.inspector.diff import diff, plain_diff, word_diff
from tui.inspector.pages.pages import PAGES, page_that_explains, sections
from tui.inspector.pages.parts import ShownMoment, folded
from tui.inspector.pages.tests import failing_assertion
from tui.inspector.widgets.detail import _heading

LOGS = tomllib.loads((Path(__file__).parent / "logs.toml").read_text())


@pytest.fixture
def by_ending(folder):
    with Store.open(folder) as store:
        return {record.ending.name: record for record in store.records()}


@pytest.fixture(scope="session")
def real(real_run):
    """The records of the real run, and its tape."""
    with Store.open(real_run) as store:
        (path,) = store.fact("origins").values()
        return list(store.records()), TracedTape(read(Path(path)))


def page(name, record, **more):
    return PAGES[name][1](ShownMoment(record, **more))


def lines(shown):
    return shown.content.plain.split("\n")


def styled(content, style):
    return "".join(content.plain[span.start : span.end] for span in content.spans if span.style == style)


def with_verdict(record, **fields):
    return msgspec.structs.replace(record, verdict=Verdict(**fields))


def test_the_suggestion_stands_at_the_cursor_under_its_line_number(by_ending):
    shown = page("suggestion", by_ending["accepted"])
    assert lines(shown)[shown.cursor] == '14 ▌            raise ValueError("a discount is at most 1")'
    assert styled(shown.content, "italic $ghost-text on $ghost").endswith('raise ValueError("a discount is at most 1")')
    assert shown.copied == 'raise ValueError("a discount is at most 1")'


def test_what_the_suggestion_replaces_is_struck_through(by_ending):
    shown = page("suggestion", by_ending["rejected"])
    assert lines(shown)[shown.cursor] == "16 ▌        return sum(self.items.values())None"
    assert styled(shown.content, "strike $text-error").endswith("None")


def test_what_was_really_typed_stands_below_the_suggestion_or_beside_it(by_ending):
    narrow = lines(page("suggestion", by_ending["rejected"]))
    wide = lines(page("suggestion", by_ending["rejected"], width=120))
    assert "What was really typed here" in narrow
    assert "[-raise ValueError-]{+sum+}" in "".join(narrow)
    assert any(line.rstrip().endswith("│ What was really typed here") for line in wide)
    assert len(wide) < len(narrow)
    assert max(map(len, wide)) <= 120


def test_replaced_text_left_of_the_cursor_counts_utf16_units(by_ending):
    moment = msgspec.structs.replace(by_ending["accepted"].moment, before="x = \U0001f600ab", after=")", offset=8)
    shown = code_with_suggestion(moment, Suggestion(text="cd", start=6, end=9, latency=1))
    assert styled(shown.content, "strike $text-error") == "ab)"
    assert shown.content.plain.endswith("x = \U0001f600abcd)")


def test_lines_that_only_the_suggestion_adds_have_no_number(by_ending):
    moment = msgspec.structs.replace(by_ending["accepted"].moment, before="a\nb", after="\nc\n", line=7)
    shown = code_with_suggestion(
        moment, Suggestion(text="1\r\n2\r\n3", start=moment.offset, end=moment.offset, latency=1)
    )
    assert lines(shown) == [" 7  a", " 8 ▌b1", "    2", "    3", " 9  c", "10  "]


def test_a_moment_without_a_suggestion_says_why_in_words(by_ending):
    assert lines(page("suggestion", by_ending["gated"]))[0] == (
        "No suggestion. gated: the policy did not let the editor ask here (mid-word)."
    )
    assert "a repair left nothing of the raw text (prose)" in lines(page("suggestion", by_ending["filtered"]))[0]
    assert "the provider failed (connection refused)" in lines(page("repairs", by_ending["failed"]))[0]


def test_each_repair_shows_what_it_took_out_between_the_raw_text_and_the_offered(by_ending):
    text = page("repairs", by_ending["rejected"]).content.plain
    raw, prose, repeats, offered = (
        text.index(title) for title in ("Raw text", "Repair: prose", "Repair: repeats", "Offered")
    )
    assert raw < prose < repeats < offered
    assert "[-```python⏎\n-]return sum(self.items.values())" in text
    assert "Hope this helps!-]" in text
    assert "[-return·-]sum(self.items.values())[-··-]" in text
    assert text.endswith("Offered\nsum(self.items.values())")


def test_a_repair_that_was_undone_says_so(by_ending):
    record = by_ending["rejected"]
    trail = (TrailStep("brackets", "f(", "f()", undone=True),)
    record = msgspec.structs.replace(record, suggestion=msgspec.structs.replace(record.suggestion, trail=trail))
    assert "Repair: brackets (undone, because its result has more syntax errors)" in lines(page("repairs", record))
    assert "f({+)+}" in page("repairs", record).content.plain


def test_an_untouched_suggestion_says_that_no_repair_changed_it(by_ending):
    assert "No repair changed the text." in lines(page("repairs", by_ending["accepted"]))


def test_the_tests_page_quotes_the_failing_assertion_before_the_log(by_ending):
    text = page("tests", by_ending["rejected"]).content.plain
    assert "2 passed, 1 failed" in text
    quoted = "▌ >       with pytest.raises(ValueError):\n▌ E       Failed: DID NOT RAISE <class 'ValueError'>"
    assert text.index("The first failure") < text.index(quoted) < text.index("Log of the test run")
    assert "1 failed, 2 passed in 0.03s" in text


def test_the_tests_page_says_what_the_suggestion_does_to_instructions_and_what_is_broken_first(by_ending):
    said = {"avoid-eval": "followed", "avoid-ternary": "broken", "use-enumerate": "not concerned", "\x1b[1m": "broken"}
    text = lines(page("tests", with_verdict(by_ending["shown"], name="passed", instructions=said)))
    at = text.index("Instructions of developers")
    assert text[at + 1 : at + 4] == [
        "broken: avoid-ternary, ␛[1m",
        "followed: avoid-eval",
        "not concerned: use-enumerate",
    ]


@pytest.mark.parametrize("name", LOGS)
def test_the_first_failure_is_found_in_the_words_of_each_test_runner(name):
    assert failing_assertion(LOGS[name]["log"]) == LOGS[name]["quoted"].strip("\n").splitlines()


def test_a_log_without_a_failure_quotes_nothing():
    assert failing_assertion("3 passed in 0.02s\n") == []


def test_a_log_is_never_cut_in_the_middle_of_a_line(by_ending):
    log = "a" * 2_500 + "\nnext"
    shown = lines(page("tests", with_verdict(by_ending["shown"], name="failed", log=log)))
    at = shown.index("Log of the test run") + 1
    assert shown[at : at + 4] == ["a" * 1_000, "↪ " + "a" * 1_000, "↪ " + "a" * 500, "next"]
    assert "more characters" in folded("x" * 3_000_000).plain.split("\n")[-1]


def test_the_tests_page_shows_the_program_that_was_run_and_why_the_ground_truth_fails(by_ending):
    record = with_verdict(by_ending["shown"], name="untestable", reason="broken-baseline", cause="network", program="import os\nassert f() == 1")  # fmt: skip
    text = lines(page("tests", record))
    assert "untestable(broken-baseline): the finished project fails its own tests (network)" in text
    assert text[text.index("The program that was run") + 1 :] == ["import os", "assert f() == 1"]


def test_a_place_that_was_rewritten_is_shown_as_it_was_and_as_it_is(by_ending):
    found = Rewriting(cause="before", then="if (a) {", now="if (a && b) {")
    text = lines(
        page("hole", with_verdict(by_ending["accepted"], name="untestable", reason="rewritten", rewriting=found))
    )
    assert "Why this is untestable: the code before the cursor was rewritten later." in text
    assert "Why: the statement before the cursor has other text now." in text
    assert text[text.index("What stood before the cursor at the moment") + 1] == "if (a) {"
    assert text[text.index("What stands before the cursor in the finished document") + 1] == "if (a && b) {"
    assert "if (a{+ && b+}) {" in text


@pytest.mark.parametrize("reason", get_args(Untestable))
def test_every_reason_why_a_moment_is_untestable_is_in_words_on_the_hole_page(by_ending, reason):
    text = page("hole", with_verdict(by_ending["shown"], name="untestable", reason=reason), width=200).content.plain
    assert f"Why this is untestable: {UNTESTABLE[reason]}." in text


def test_the_hole_page_names_smaller_parts_and_what_the_editor_missed(by_ending):
    record = by_ending["accepted"]
    within = (Within(stop="statement", kind="statement", scenario="full", truth="pass"),)
    offered = Suggestion(text="late_text()", start=0, end=0, latency=1.0)
    missed = Missed(suggestion=offered, verdict=Verdict(name="passed"))
    record = msgspec.structs.replace(
        record, moment=msgspec.structs.replace(record.moment, within=within), missed=missed
    )
    text = lines(page("hole", record))
    at = text.index("A smaller part begins here too: statement")
    assert text[at + 1 : at + 3] == ["statement/full", "pass"]
    at = text.index("What the editor did not wait for")
    assert text[at + 1 : at + 3] == ["late_text()", "passed: the tests pass with it in place"]


def test_without_a_tape_the_pages_say_why(by_ending):
    for name in ("hole", "graft", "time"):
        shown = page(name, by_ending["accepted"], no_tape="it was moved")
        assert shown.needs_tape
        assert "Without the tape: it was moved" in shown.content.plain
        assert "The tape is being read …" in page(name, by_ending["accepted"]).content.plain


def test_the_hole_and_the_graft_stand_in_the_finished_document(real):
    records, tape = real
    record = next(record for record in records if record.suggestion and record.moment.truth)
    finished = tape.finished(record.moment.path).split("\n")
    hole, graft = (page(name, record, tape=tape, width=100) for name in ("hole", "graft"))
    first = record.moment.truth.splitlines()[0]
    assert styled(hole.content, "italic $truth-text on $truth").endswith("".join(record.moment.truth.split("\r\n")))
    assert any(line.split("▌")[-1].endswith(first) and first in finished[int(line.split("▌")[0]) - 1] for line in lines(hole) if "▌" in line)  # fmt: skip
    assert first in lines(hole)[hole.cursor]
    found = tape.retrace(record)
    removed = [line[2:].replace("␍", "\r") for line in lines(graft) if line.startswith("- ")]
    assert removed
    assert set(removed) <= set(found.finished.split("\n"))
    assert graft.copied == plain_diff(record.moment.path, found.finished, found.graft)


def test_the_time_page_has_the_question_the_answer_and_the_next_key_on_one_scale(real):
    records, tape = real
    record = next(record for record in records if record.suggestion and record.ending.name == "rejected")
    shown = page("time", record, tape=tape, width=100)
    text = lines(shown)
    assert text[0].startswith("keys  ")
    assert [sign for sign in text[2] if sign in "▲●◆"] == ["▲", "●", "◆"]
    assert text[3].split()[:1] == ["ms"]
    ordered = text[text.index("In order: ms after the question") + 1 :]
    assert "first token is not known" in " ".join(ordered)
    ordered = ordered[: ordered.index("")]
    times = [float(line.split()[0].replace(",", "")) for line in ordered if line.strip()]
    assert times == sorted(times)
    asked = next(line for line in ordered if "asked" in line)
    answered = next(line for line in ordered if "answered" in line)
    assert (asked.split()[0], answered.split()[0]) == ("+0", "+80")
    keys = [line for line in ordered if line.strip() and "asked" not in line and "answer" not in line]
    before, after = tape.keys(record.moment.event, 10, 10)
    assert len(keys) == len(before) + len(after)
    assert times[0] == pytest.approx(before[0].at - record.moment.t, abs=0.51)


def test_the_time_page_has_the_first_token_of_an_answer_that_was_streamed(real):
    records, tape = real
    record = next(record for record in records if record.suggestion and record.ending.name == "rejected")
    streamed = msgspec.structs.replace(record, suggestion=msgspec.structs.replace(record.suggestion, first_token=33.0))
    for known in (tape, None):
        text = lines(page("time", streamed, tape=known, width=100))
        (first,) = [line for line in text if "first token" in line]
        assert first.split() == ["+33", "◐", "first", "token"]
        assert not any("not known" in line for line in text)
    assert [sign for sign in lines(page("time", streamed, tape=tape, width=100))[2] if sign in "▲◐●◆"] == list("▲◐●◆")


def test_a_prompt_has_its_sections_with_characters_and_tokens(by_ending):
    prompt = "rules\n⟨file b.py⟩\nx\n\n⟨before⟩\n" + "a" * 320 + "⟨cursor⟩b"
    record = by_ending["shown"]
    record = msgspec.structs.replace(record, suggestion=msgspec.structs.replace(record.suggestion, prompt=prompt))
    rows = [line.split() for line in lines(page("prompt", record))]
    assert ["start", "6", "2"] in rows
    assert ["⟨before⟩", "321", "100"] in rows
    assert ["all", str(len(prompt)), str(round(len(prompt) / 3.2))] in rows
    marks = sum(len(mark) for mark in ("⟨file b.py⟩", "⟨before⟩", "⟨cursor⟩"))
    assert sum(size for _, size in sections(prompt)) == len(prompt) - marks


def test_the_parts_of_a_prompt_stand_out_and_its_text_stays_as_it_was_sent(by_ending):
    prompt = "⟨system⟩\nrules\n\n⟨file b.py⟩\nx\n\n⟨before⟩\n<|fim_prefix|>a⟨cursor⟩b <div> ⟨not a mark⟩"
    shown = by_ending["shown"]
    record = msgspec.structs.replace(shown, suggestion=msgspec.structs.replace(shown.suggestion, prompt=prompt))
    content = page("prompt", record).content
    assert content.plain.partition("\nText\n")[2] == prompt
    marked = [content.plain[span.start : span.end] for span in content.spans if span.style == "bold $text-warning"]
    assert marked == ["⟨system⟩", "⟨file b.py⟩", "⟨before⟩", "<|fim_prefix|>", "⟨cursor⟩"]


def test_foreign_text_is_not_read_as_markup(by_ending):
    for name in ("suggestion", "repairs", "prompt", "tests"):
        assert "[bold red]not markup[/]" in page(name, by_ending["shown"]).content.plain


def test_a_difference_in_line_ends_is_seen():
    assert diff("a\r\nb", "a\nb").plain == "- a␍\n+ a\n  b"
    assert diff("a\n", "a").plain == "  a\n- (empty line)"
    assert word_diff("a\n", "a").plain == "a[-⏎\n-]"
    assert word_diff("x  y", "x y").plain == "x[-··-]{+·+}y"
    assert word_diff("same", "same").plain == "no difference"


def test_a_copied_diff_is_one_that_git_applies(tmp_path):
    import subprocess

    before, after = "a\nb\nc", "a\nB\nc\n"
    (tmp_path / "f.py").write_text(before)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=plain_diff("f.py", before, after), text=True, check=True)
    assert (tmp_path / "f.py").read_text() == after


def test_every_kind_of_failure_has_the_page_that_explains_it(by_ending):
    record = by_ending["accepted"]
    assert page_that_explains(by_ending["filtered"]) == "repairs"
    assert page_that_explains(with_verdict(record, name="untestable", reason="empty")) == "hole"
    assert page_that_explains(with_verdict(record, name="assertion")) == "tests"
    assert page_that_explains(by_ending["failed"]) == "suggestion"
    assert page_that_explains(msgspec.structs.replace(record, verdict=None, ending=Ending("late"))) == "time"


def test_every_ending_verdict_and_reason_has_words():
    assert set(ENDINGS) == set(literals(Ending, "name"))
    assert set(VERDICTS) == set(literals(Verdict, "name"))
    assert set(UNTESTABLE) == set(get_args(Untestable))
    assert set(REWRITING) == set(get_args(RewritingCause))
    assert set(EFFORT) == set(Effort.__struct_fields__)
    assert set(STOPS) == set(get_args(Stop))


def literals(kind, field):
    info = msgspec.inspect.type_info(kind)
    return next(each.type for each in info.fields if each.name == field).values


def test_the_place_of_a_hunk_stands_as_git_writes_it():
    from tui.inspector.diff import numbered_diff

    lines = str(numbered_diff("a\nb\nc\n", "a\nx\nc\n")).splitlines()
    assert any(line.startswith("@@ -1") for line in lines)


def test_a_verdict_at_an_untestable_moment_says_what_the_tests_alone_say():
    untestable = Verdict(name="untestable", reason="undetected", alone="passed")
    assert describe_verdict(untestable).endswith("; by its tests alone passed")
    assert "alone" not in describe_verdict(Verdict(name="passed"))


def test_why_a_model_stopped_is_said_where_it_was_not_simply_done(real):
    records, _ = real
    record = next(record for record in records if record.suggestion)
    said = {}
    for finish in (None, "stop", "length", "refusal", "content-filter", "other"):
        suggestion = msgspec.structs.replace(record.suggestion, finish=finish)
        said[finish] = _heading(msgspec.structs.replace(record, suggestion=suggestion), "").plain.split("\n")[1]
    assert said[None] == said["stop"]
    assert said["refusal"] == f"{said[None]}; the model refused"
    assert len({*said.values()}) == 5


@pytest.fixture
def renamed():
    """A record of a next edit, and its tape: a name is changed, then its use three lines below."""
    text = "def total(rows):\n    return sum(rows)\n\n\nprint(total([]))\n"
    use = text.index("total([") + 1
    tape = Typist(text=text).edit((4, 9, "amount")).edit((use, use + 5, "amount"), gap=2000.0).tape()
    traced = TracedTape(tape)
    place = next(iter(policy_of("edits").places(traced.timeline)))
    texts, (right,) = {"a.py": traced.document("a.py", place.event)}, place.next_edit.changes
    wrong = (msgspec.structs.replace(right, text="value"),)
    moment = moment_of(place.event, texts["a.py"], kind="jump", next_edit=place.next_edit)
    moment = msgspec.structs.replace(moment, truth=shown_edits(texts, [right]))
    offered = Suggestion(text=shown_edits(texts, wrong), start=0, end=0, latency=1.0, changes=wrong)
    return record_of(place.event, "shown"), moment, offered, traced


def test_an_edit_suggestion_is_a_difference_at_its_place_beside_what_the_person_did_next(renamed):
    record, moment, offered, tape = renamed
    record = msgspec.structs.replace(record, moment=moment, suggestion=offered)
    shown = lines(page("suggestion", record))
    at = shown.index("The edit suggestion")
    assert shown[at + 1 : at + 6] == ["a.py", "@@ -4,2 +4,2 @@", "  ", "- print(total([]))", "+ print(value([]))"]
    at = shown.index("What the person did next")
    assert shown[at + 4 : at + 6] == ["- print(total([]))", "+ print(amount([]))"]
    assert "5 ▌print(amount([]))" in "\n".join(lines(page("hole", record, tape=tape)))
    graft = lines(page("graft", record, tape=tape))
    assert graft[0] == "a.py: from the finished project (-) to the graft (+)"
    assert {"- print(amount([]))", "+ print(value([]))"} <= {*graft}


def test_a_next_edit_that_was_not_proposed_says_so(renamed):
    record, moment, _, tape = renamed
    record = msgspec.structs.replace(record, moment=moment, ending=Ending("empty"), suggestion=None)
    assert lines(page("suggestion", record))[1].startswith("No edit. ")
    assert "+ print(total([]))" in lines(page("graft", record, tape=tape))
