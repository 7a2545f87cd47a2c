"""What must hold for every repair and every suggestion."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.repair.chain import STEPS, repair
from server.repair.draft import Draft
from server.repair.stop import is_after_header
from syntax.blocks import constructs, extent
from syntax.languages import language_of

PYTHON = '''import os
from dataclasses import dataclass


@dataclass
class Rows:
    """Rows of a table."""

    rows: list

    def mean(self, column):
        # of the numbers only
        picked = [row[column] for row in self.rows if row[column] is not None]
        if not picked:
            return 0
        else:
            return sum(picked) / len(picked)

    def median(self, column):
        picked = sorted(row[column] for row in self.rows)
        try:
            return picked[len(picked) // 2]
        except IndexError:
            return 0


def load(path,
         strict=True):
    with open(path) as file:
        lines = [line.strip() for line in file]
        if strict and \\
                not lines:
            raise ValueError("no lines in {}".format(path))
    return Rows([
        line.split(",")
        for line in lines
    ])
'''
JAVASCRIPT = """import { read } from './read.js';

export class Rows {
  constructor(rows) {
    this.rows = rows;
  }

  mean(column) {
    const picked = this.rows.map((row) => row[column]).filter((value) => value !== null);
    if (picked.length === 0) {
      return 0;
    } else {
      return picked.reduce((a, b) => a + b, 0) / picked.length;
    }
  }
}

export async function load(path, { strict = true } = {}) {
  const text = await read(path)
  const rows = text
    .split('\\n')
    .map((line) => line.split(','));
  for (const row of rows) {
    if (strict && !row.length) throw new Error(`no cells in ${path}`);
  }
  return new Rows(rows);
}
"""
SOURCES = {"python": PYTHON, "javascript": JAVASCRIPT}
JUNK = [
    "}",
    "\n}",
    ")",
    "```",
    "\n```\n",
    "\n    ",
    "\n\n",
    "return x",
    "(",
    "[",
    "{",
    "if x:\n",
    "Here is the code:\n",
    '"',
    " ",
    "\t",
    "x = 1\n",
    "// b",
    ";",
]


@st.composite
def drafts(draw):
    language = draw(st.sampled_from(sorted(SOURCES)))
    source = SOURCES[language]
    start = draw(st.integers(0, len(source)))
    end = draw(st.integers(start, min(len(source), start + 120)))
    pieces = draw(st.lists(st.one_of(st.sampled_from(JUNK), st.text(max_size=8)), max_size=4))
    text = "".join([draw(st.sampled_from(["", source[start:end], source[: start + 60][-90:]])), *pieces])
    after = draw(st.sampled_from([source[end:], source[start:], ""]))
    stop = draw(st.sampled_from(["auto", "line", "statement", "block"]))
    return Draft(language_of(language), source[:start], after, text, stop)


RELAXED = settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(drafts())
def test_repairs_never_make_a_splice_parse_worse(draft):
    draft = replace(draft, text=draft.text.replace("\r", ""))
    text, trail = repair(draft)
    if text:
        assert (
            all(draft.errors(step.after) <= draft.errors(step.before) or step.undone for step in trail) or draft.after
        )
        assert not (draft.errors() == 0 and draft.errors(text) > 0)


@RELAXED
@given(drafts())
def test_repairs_are_idempotent(draft):
    text, _ = repair(draft)
    if text:
        assert repair(replace(draft, text=text))[0] == text


@RELAXED
@given(drafts(), st.sampled_from(sorted(STEPS)))
def test_a_switch_keeps_other_repairs_off_the_trail(draft, step):
    _, trail = repair(draft, [step])
    assert {entry.step for entry in trail} <= {step}


def test_no_repairs_means_no_change():
    draft = Draft(language_of("python"), "x = ", "\n", "```\nSure, here is:\n", "line")
    assert repair(draft, []) == (draft.text, ())


def _moments(language, source):
    """(start, hint) where a construct begins, and at random places."""
    for block in constructs(language, source):
        yield block.start, "statement" if block.kind == "statement" else "block"
    for place in random.Random(1).sample(range(len(source)), 60):
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
            assert text == truth, (hint, trail)
            seen += 1
    assert seen > 60
