"""Mutation check: an edit that undoes an instruction turns `verify` false. The edits are replacements in the text (`undoing.py`)."""

import pytest

from corpora.codealign.catalogue import instruction
from syntax.languages import LANGUAGES
from syntax.parse import has_error
from tests.support.instruction_edits import UNDOING, pairs
from tests.support.instruction_programs import PROGRAMS

PAIRS = [
    (id_, language, before, after)
    for id_, languages in UNDOING.items()
    for language in languages
    for before, after in pairs(id_, language, PROGRAMS[language])
]


def test_there_are_enough_pairs_and_each_kind_of_edit_changes_a_program():
    assert len(PAIRS) >= 300
    assert {(id_, language) for id_, language, *_ in PAIRS} == {
        (id_, language) for id_, languages in UNDOING.items() for language in languages
    }


@pytest.mark.parametrize("language", PROGRAMS)
def test_an_edit_that_undoes_an_instruction_is_noticed(language):
    for id_, known, before, after in PAIRS:
        if known == language:
            assert not has_error(LANGUAGES[language], after), (id_, after)
            assert instruction(id_).verify(before, language), (id_, before)
            assert not instruction(id_).verify(after, language), (id_, after)
