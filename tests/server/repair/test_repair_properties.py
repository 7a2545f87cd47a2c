"""What must hold for every repair and every suggestion, in every language."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.repair.chain import STEPS, covered, repair
from server.repair.draft import Draft
from server.repair.offer import offered
from server.repair.steps import prose
from syntax.blocks import constructs, extent
from syntax.languages import LANGUAGES, language_of
from syntax.parse import has_error
from syntax.wanted import is_after_header
from tests.support.repair_cases import RELAXED, SOURCES, drafts


def test_every_language_has_a_source_that_parses():
    assert set(SOURCES) == set(LANGUAGES)
    assert not [name for name, source in SOURCES.items() if has_error(language_of(name), source)]


@RELAXED
@given(drafts())
def test_repairs_never_turn_a_graft_that_parses_into_one_that_does_not(draft):
    text, _ = repair(draft)
    if text and not has_error(draft.language, draft.before + draft.text + draft.after):
        assert not has_error(draft.language, draft.before + text + draft.after)


def _compiles(text):
    try:
        compile(text, "a.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):  # a null character is a ValueError
        return False
    return True


TRIES = """

def parsed(path):
    try:
        return int(path)
    except ValueError:
        return 0
    finally:
        close()


def guarded(paths):
    for path in paths:
        try:
            last = path
        except (KeyError, OSError) as error:
            raise ValueError(path) from error
        else:
            done(path)
    return last
"""


@pytest.mark.parametrize("behind", ["", "\n\n\ndef later():\n    pass"])
def test_python_that_compiles_compiles_after_repair(behind):
    """Python itself is asked, as the grammar takes what it does not: a `try` without a clause."""
    language, source, seen = language_of("python"), SOURCES["python"] + TRIES, 0
    for block in constructs(language, source):
        before = source[: block.start]
        ends = {block.end, source.find("\n\n\n", block.start), len(source.rstrip())} - {-1}
        for end in sorted(ends) if is_after_header(language, before) else ():
            draft = Draft(language, before, source[end:], source[block.start : end] + behind)
            text, _ = repair(draft)
            if text and _compiles(before + draft.text + draft.after):
                assert _compiles(before + text + draft.after), (before[-60:], draft.text, text)
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("behind", ["", "\n\n\ndef later():\n    pass"])
def test_so_it_does_where_the_cursor_is_in_the_middle_of_a_try(behind):
    language, seen = language_of("python"), 0
    bodies = "last = path\n            if last:\n                kept = 1\n                last = kept\n            paths = last"
    source = TRIES.replace("last = path", bodies)
    for start in (match.start() for match in re.finditer(r"\S.*\n", source)):
        end = len(source.rstrip())
        draft = Draft(language, source[:start], source[end:], source[start:end] + behind, "block")
        made = offered(draft)
        assert _compiles(draft.before + draft.text + draft.after)
        assert _compiles(draft.before + made.text + draft.after[made.covered :]), (draft.before[-60:], made.text)
        seen += made.text != draft.text
    assert seen > 5


@RELAXED
@given(drafts())
def test_no_step_leaves_more_errors_than_it_found(draft):
    text, trail = repair(draft)
    here = replace(draft, after=draft.after[covered(draft) :])
    first = next((step for step in trail if not step.undone), None)
    if text and first is not None:
        given = prose.without_leaks(
            replace(draft, text=first.before)
        )  # special tokens are no code, whatever a grammar makes of them
        assert here.errors(first.after) <= max(here.errors(first.before), here.errors(given))


@RELAXED
@given(drafts())
def test_repairs_are_idempotent(draft):
    text, _ = repair(draft)
    if text:
        assert repair(replace(draft, text=text))[0] == text


@RELAXED
@given(drafts())
def test_repairs_are_idempotent_under_a_papers_rules(draft):
    text, _ = repair(draft, rules="simcopilot")
    if text:
        assert repair(replace(draft, text=text), rules="simcopilot")[0] == text


@RELAXED
@given(drafts(), st.sampled_from(sorted(STEPS)))
def test_a_switch_keeps_other_repairs_off_the_trail(draft, step):
    _, trail = repair(draft, [step])
    assert {entry.step for entry in trail} <= {step}


@RELAXED
@given(drafts())
def test_the_trail_leads_from_what_came_to_what_is_offered(draft):
    text, trail = repair(draft)
    taken = [step for step in trail if not step.undone]
    assert all(one.after == other.before for one, other in pairwise(taken))
    assert text == (taken[-1].after if taken else draft.text)


@RELAXED
@given(drafts())
def test_what_is_offered_replaces_closers_or_the_rest_of_the_line_that_it_says(draft):
    text, _ = repair(draft)
    taken = draft.after[: covered(replace(draft, text=text)) if text else 0]
    if not re.fullmatch(r"[)\]}>\"'`;:,]*", taken):
        assert taken == draft.line_after.rstrip()
        assert text.lstrip("\n").split("\n")[0].rstrip().endswith(taken)


def test_no_repairs_means_no_change():
    draft = Draft(language_of("python"), "x = ", "\n", "```\nSure, here is:\n", "line")
    assert repair(draft, []) == (draft.text, ())


@pytest.mark.parametrize("text", ["", "\n", "  \n\t"])
def test_a_blank_suggestion_has_nothing_to_repair(text):
    assert repair(Draft(language_of("python"), "x = 1\n", "y = 2\n", text)) == (text, ())


def test_a_language_without_a_grammar_is_repaired_by_text_alone():
    draft = Draft(None, "server:\n  port: ", "\n", "```yaml\n8080\n```", "line")
    assert repair(draft)[0] == "8080"


def _moments(language, source):
    """(start, hint) where a construct begins, and at random places."""
    for block in constructs(language, source):
        yield block.start, "statement" if block.kind == "statement" else "block"
    for place in random.Random(1).sample(range(len(source)), 80):
        yield place, "block" if is_after_header(language, source[:place]) else "statement"
        yield place, "line"


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", sorted(SOURCES))
def test_the_right_answer_passes_all_repairs_unchanged(name, ends):
    language = language_of(name)
    source = SOURCES[name].replace("\n", ends)
    seen = 0
    for start, hint in _moments(language, source):
        end = extent(language, source, start, hint)
        truth = source[start:end]
        if truth.strip() and not source[:start].endswith("\r"):  # no editor has its cursor inside a line end
            draft = Draft(language, source[:start], source[end:], truth, hint)
            text, trail = repair(draft)
            assert text == truth, (hint, draft.before[-60:], trail)
            seen += 1
    assert seen > 60
