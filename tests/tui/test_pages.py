from typing import get_args

import msgspec
import pytest

from replay.records import Effort, Ending, Rewriting, RewritingCause, Step, Suggestion, Untestable, Verdict
from tui.glossary import EFFORT, ENDINGS, REWRITING, UNTESTABLE, VERDICTS
from tui.inspector.code import code_with_suggestion
from tui.inspector.diff import diff
from tui.inspector.model import read_run
from tui.inspector.pages import PAGES, prompt_page, repairs_page, suggestion_page, tests_page, truth_page

tests_page.__test__ = False


@pytest.fixture
def by_ending(folder):
    return {record.ending.name: record for record in read_run(folder).records}


def lines(page):
    return page.content.plain.split("\n")


def styled(content, style):
    return "".join(content.plain[span.start : span.end] for span in content.spans if span.style == style)


def test_the_suggestion_stands_at_the_cursor_under_its_line_number(by_ending):
    page = suggestion_page(by_ending["accepted"])
    assert lines(page)[page.cursor] == '14 ▌            raise ValueError("a discount is at most 1")'
    assert styled(page.content, "italic on $primary 35%").endswith('raise ValueError("a discount is at most 1")')


def test_what_the_suggestion_replaces_is_struck_through(by_ending):
    page = suggestion_page(by_ending["rejected"])
    assert lines(page)[page.cursor] == "16 ▌        return sum(self.items.values())None"
    assert styled(page.content, "strike $text-error").endswith("None")


def test_replaced_text_left_of_the_cursor_counts_utf16_units(by_ending):
    moment = msgspec.structs.replace(by_ending["accepted"].moment, before="x = \U0001f600ab", after=")", offset=8)
    page = code_with_suggestion(moment, Suggestion(text="cd", start=6, end=9, latency=1))
    assert styled(page.content, "strike $text-error") == "ab)"
    assert page.content.plain.endswith("x = \U0001f600abcd)")


def test_lines_that_only_the_suggestion_adds_have_no_number(by_ending):
    moment = msgspec.structs.replace(by_ending["accepted"].moment, before="a\nb", after="\nc\n", line=7)
    page = code_with_suggestion(
        moment, Suggestion(text="1\r\n2\r\n3", start=moment.offset, end=moment.offset, latency=1)
    )
    assert lines(page) == [" 7  a", " 8 ▌b1", "    2", "    3", " 9  c", "10  "]


def test_a_moment_without_a_suggestion_says_why_in_words(by_ending):
    assert lines(suggestion_page(by_ending["gated"]))[0] == (
        "No suggestion. gated: the policy did not let the editor ask here (mid-word)."
    )
    assert "a repair left nothing of the raw text (prose)" in lines(suggestion_page(by_ending["filtered"]))[0]
    assert "the provider failed (connection refused)" in lines(repairs_page(by_ending["failed"]))[0]


def test_the_ground_truth_is_set_against_the_suggestion(by_ending):
    text = truth_page(by_ending["rejected"]).content.plain
    assert '- raise ValueError("a discount is at most 1")\n+ sum(self.items.values())' in text
    assert truth_page(by_ending["accepted"]).content.plain.endswith("no difference")


def test_each_repair_shows_what_it_changed_and_the_raw_text_follows(by_ending):
    text = repairs_page(by_ending["rejected"]).content.plain
    assert "Repair: prose\n- ```python\n  return sum(self.items.values())··\n- ```\n- Hope this helps!" in text
    assert "Repair: repeats\n- return sum(self.items.values())··\n+ sum(self.items.values())" in text
    assert text.endswith("```python\nreturn sum(self.items.values())  \n```\nHope this helps!")


def test_a_repair_that_was_undone_says_so(by_ending):
    record = by_ending["rejected"]
    trail = (Step("brackets", "f(", "f()", undone=True),)
    record = msgspec.structs.replace(record, suggestion=msgspec.structs.replace(record.suggestion, trail=trail))
    assert lines(repairs_page(record))[0] == "Repair: brackets (undone, because its result has more syntax errors)"


def test_an_untouched_suggestion_says_that_no_repair_changed_it(by_ending):
    assert lines(repairs_page(by_ending["accepted"]))[0] == "No repair changed the text."


def test_the_tests_page_shows_counts_message_and_log(by_ending):
    text = tests_page(by_ending["rejected"]).content.plain
    assert "2 passed, 1 failed" in text
    assert "Failed: DID NOT RAISE ValueError" in text
    assert "1 failed, 2 passed in 0.03s" in text


def test_the_tests_page_shows_the_program_that_was_run_and_why_the_ground_truth_fails(by_ending):
    verdict = Verdict(
        name="untestable", reason="broken-baseline", cause="network", program="import os\nassert f() == 1"
    )
    record = msgspec.structs.replace(by_ending["shown"], verdict=verdict)
    text = lines(tests_page(record))
    assert "untestable(broken-baseline): the finished project fails its own tests (network)" in text
    assert text[text.index("The program that was run") + 1 :] == ["import os", "assert f() == 1"]


@pytest.mark.parametrize("page", [make for _, make in PAGES.values()])
@pytest.mark.parametrize("ending", ["shown", "gated", "failed", "filtered"])
def test_no_page_lets_foreign_text_reach_the_terminal_as_it_is(by_ending, page, ending):
    text = page(by_ending[ending]).content.plain
    assert not set(text) & set("\x1b\x07\r\t\u202e")
    assert max(map(len, text.split("\n"))) < 1_100


def test_foreign_text_is_not_read_as_markup(by_ending):
    for page in (suggestion_page, repairs_page, prompt_page, tests_page):
        assert "[bold red]not markup[/]" in page(by_ending["shown"]).content.plain


def test_a_difference_in_line_ends_is_seen():
    assert diff("a\r\nb", "a\nb").plain == "- a␍\n+ a\n  b"


def test_a_line_end_at_the_end_that_is_taken_away_is_seen():
    assert diff("a\n", "a").plain == "  a\n- (empty line)"


def test_every_ending_verdict_and_reason_has_words():
    assert set(ENDINGS) == set(literals(Ending, "name"))
    assert set(VERDICTS) == set(literals(Verdict, "name"))
    assert set(UNTESTABLE) == set(get_args(Untestable))
    assert set(REWRITING) == set(get_args(RewritingCause))
    assert set(EFFORT) == set(Effort.__struct_fields__)


def literals(kind, field):
    info = msgspec.inspect.type_info(kind)
    return next(each.type for each in info.fields if each.name == field).values


def test_the_parts_of_a_prompt_stand_out_and_its_text_stays_as_it_was_sent(by_ending):
    prompt = "⟨system⟩\nrules\n\n⟨file b.py⟩\nx\n\n⟨before⟩\n<|fim_prefix|>a⟨cursor⟩b <div> ⟨not a mark⟩"
    shown = by_ending["shown"]
    record = msgspec.structs.replace(shown, suggestion=msgspec.structs.replace(shown.suggestion, prompt=prompt))
    content = prompt_page(record).content
    assert content.plain.partition("\n")[2] == prompt
    marked = [content.plain[span.start : span.end] for span in content.spans][1:]
    assert marked == ["⟨system⟩", "⟨file b.py⟩", "⟨before⟩", "<|fim_prefix|>", "⟨cursor⟩"]


def test_a_place_that_was_rewritten_is_shown_as_it_was_and_as_it_is(by_ending):
    found = Rewriting(cause="before", then="if (a) {", now="if (a && b) {")
    verdict = Verdict(name="untestable", reason="rewritten", rewriting=found)
    page = lines(tests_page(msgspec.structs.replace(by_ending["accepted"], verdict=verdict)))
    assert "Why: the statement before the cursor has other text now." in page
    assert page[page.index("Before the cursor at the moment") + 1] == "if (a) {"
    assert page[page.index("Before the cursor in the finished document") + 1] == "if (a && b) {"
