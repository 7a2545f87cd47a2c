"""The catalogue: what it holds, and that each rule says of its own cases what stands there."""

from collections import Counter

import msgspec
import pytest

from corpora.codealign.catalogue import InstructionError, instruction, instruction_ids, instructions
from corpora.codealign.finders.registry import FINDERS
from corpora.codealign.finders.shapes import SHAPES
from syntax.languages import LANGUAGES
from syntax.parse import has_error

PRINTED = [
    "add-comments",
    "add-type-hints",
    "concise-variable-names",
    "consistent-formatting",
    "consistent-naming-convention",
    "move-imports-to-top",
    "reduce-comments",
    "remove-redundant-code-and-comments",
    "remove-unused-imports",
    "use-lowercase-variable-names",
    "use-symbolic-constants",
    "add-intermediate-variable",
    "add-missing-import",
    "add-test-cases",
    "avoid-code-duplication",
    "avoid-global-variables",
    "avoid-nested-functions",
    "inline-helper-functions",
    "modularize-code",
    "move-print-outside-loop",
    "remove-unused-function",
    "shorten-if-else-chains",
    "use-counter-object",
    "use-dictionary-mapping",
    "use-enumerate",
    "use-list-comprehensions",
    "use-loop-indices",
    "use-string-multiplication-operator",
    "avoid-floating-point-operations",
    "avoid-recursion",
    "change-inner-loop-to-start-from-outer-index",
    "use-binary-search",
    "use-dynamic-programming",
    "use-greedy-algorithm",
    "use-iterative-dp",
    "avoid-extra-array-storage",
    "avoid-redundant-computation",
    "limit-variable-scope",
    "optimize-io-performance",
    "reduce-dictionary-operations",
    "set-recursion-limit",
    "use-efficient-algorithm",
    "use-efficient-data-structure",
    "check-edge-cases",
    "use-descriptive-names",
]
"""The ids of the paper: 44 of its Table 3, and one of its section 2.2."""
PYTHON_ONLY = {
    "add-type-hints",
    "use-counter-object",
    "use-list-comprehensions",
    "use-string-multiplication-operator",
    "set-recursion-limit",
}
NOT_JAVA = {"avoid-nested-functions", "use-enumerate"}


def test_there_are_a_hundred_instructions_of_all_types_and_sixty_by_rules():
    found = instructions()
    assert len(found) >= 100
    assert sum(each.by_rule for each in found) >= 60
    assert all(count >= 10 for count in Counter(each.type for each in found).values())
    assert {each.group for each in found} == {"cosmetic", "structural", "semantic"}


def test_the_ids_that_the_paper_prints_are_kept_with_its_languages():
    assert {each.id for each in instructions() if each.in_paper} == set(PRINTED)
    for id_ in PRINTED:
        java = id_ not in PYTHON_ONLY | NOT_JAVA
        wanted = {"python"} | ({"javascript"} if id_ not in PYTHON_ONLY else set()) | ({"java"} if java else set())
        assert set(instruction(id_).languages) == wanted, id_


def test_each_instruction_has_a_rule_or_a_rubric_and_several_ways_to_ask():
    for each in instructions():
        assert each.by_rule != bool(each.rubric), each.id
        assert set(each.languages) <= set(SHAPES), each.id
        assert each.languages, each.id
        assert len(set(each.asks)) >= 2, each.id


def test_each_instruction_has_three_cases_on_both_sides_and_each_rule_in_each_of_its_languages():
    for each in instructions():
        assert set(each.cases) <= set(each.languages), each.id
        assert set(each.cases) == set(each.languages) if each.by_rule else each.cases, each.id
        for language, cases in each.cases.items():
            assert len(set(cases.follows)) >= 3, (each.id, language)
            assert len(set(cases.breaks)) >= 3, (each.id, language)


def test_all_cases_parse():
    for each in instructions():
        for language, cases in each.cases.items():
            for code in (*cases.follows, *cases.breaks, *cases.neither):
                assert not has_error(LANGUAGES[language], code), (each.id, language, code)


@pytest.mark.parametrize("language", SHAPES)
def test_each_rule_is_verified_on_what_follows_it_and_applies_to_what_breaks_it(language):
    for each in instructions():
        if each.knows(language):
            for code in each.cases[language].follows:
                assert (each.verify(code, language), each.is_applicable(code, language)) == (True, False), (
                    each.id,
                    code,
                )
            for code in each.cases[language].breaks:
                assert (each.verify(code, language), each.is_applicable(code, language)) == (False, True), (
                    each.id,
                    code,
                )
            for code in each.cases[language].neither:
                assert (each.verify(code, language), each.is_applicable(code, language)) == (False, False), (
                    each.id,
                    code,
                )


def test_all_finders_are_used_by_rules():
    words = " | ".join(
        f"{rule.problem} | {rule.wanted} | {rule.where}" for each in instructions() for rule in each.rules.values()
    )
    used = {part.split()[0] for part in words.split(" | ") if part.strip()}
    assert set(FINDERS) - used == set()


def test_an_unknown_id_is_refused_and_named():
    with pytest.raises(InstructionError, match="use-goto"):
        instruction("use-goto")


def test_an_instruction_is_read_when_it_is_asked_for():
    instruction.cache_clear()
    instruction_ids()
    assert instruction.cache_info().currsize == 0
    instruction("avoid-recursion")
    assert instruction.cache_info().currsize == 1


def test_a_file_with_an_unknown_word_is_refused():
    from corpora.codealign import catalogue

    with pytest.raises(msgspec.ValidationError, match="problm"):
        msgspec.toml.decode('asks = ["a"]\n[rule]\nproblm = "recursion"\n', type=catalogue._InstructionFile)
