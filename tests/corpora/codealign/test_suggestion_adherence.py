"""What a suggestion does to an instruction: what stood there before is not its fault."""

import pytest

from corpora.codealign.catalogue import instruction, instructions
from corpora.codealign.instruction_selection import ids_for_a_run
from corpora.codealign.suggestion_adherence import InstructionAdherence
from corpora.errors import CorpusError

HEAD = "def g(n):\n    return n and g(n - 1)\n\n\ndef f(n):\n    "


def said(id_, body, *, head=HEAD, language="python"):
    return InstructionAdherence([instruction(id_)])(language, f"{head}pass\n", f"{head}{body}\n")[id_]


@pytest.mark.parametrize(
    ("id_", "body", "result"),
    [
        ("avoid-recursion", "return n", "followed"),
        ("avoid-recursion", "return f(n)", "broken"),
        ("use-enumerate", "return n", "not concerned"),
        ("use-enumerate", "for i, x in enumerate(n):\n        g(x)", "followed"),
        ("use-enumerate", "for i in range(len(n)):\n        g(i)", "broken"),
        ("add-test-cases", "assert n", "followed"),
        ("add-test-cases", "return n", "not concerned"),
        ("use-symbolic-constants", "return 31 * n", "broken"),
        ("avoid-recursion", "return (", "unparsable"),
    ],
)
def test_a_suggestion_is_held_to_what_it_adds(id_, body, result):
    assert said(id_, body) == result


def test_a_place_for_what_is_wanted_breaks_a_rule_that_knows_no_problems():
    head = "def f(n):\n    "
    assert said("use-recursion", "for x in n:\n        print(x)", head=head) == "broken"
    assert said("use-recursion", "return n", head=head) == "not concerned"
    assert said("use-recursion", "return n and f(n - 1)", head=head) == "followed"
    assert (
        said("use-recursion", "for x in n:\n        print(x)") == "not concerned"
    )  # the document has a recursive function


def test_instructions_of_other_languages_say_nothing():
    chosen = InstructionAdherence([instruction("always-use-braces"), instruction("use-greedy-algorithm")])
    assert chosen("python", "pass\n", "x = 1\n") == {}
    assert chosen("ruby", "", "x = 1\n") == {}
    assert chosen("java", "void f() { }", "void f() { if (a) g(); }") == {"always-use-braces": "broken"}


def test_nothing_that_stays_as_it_was_breaks_an_instruction():
    for each in (one for one in instructions() if one.by_rule):
        for language, cases in each.cases.items():
            for code in (*cases.breaks, *cases.follows):
                assert InstructionAdherence([each])(language, code, code)[each.id] in {"followed", "not concerned"}, (
                    each.id,
                    code,
                )


def test_a_run_takes_what_rules_can_check_of_the_catalogue(tmp_path):
    assert ids_for_a_run("") == ()
    assert ids_for_a_run("avoid-recursion,use-greedy-algorithm") == ("avoid-recursion",)
    assert set(ids_for_a_run("cosmetic")) == {
        each.id for each in instructions() if each.type == "cosmetic" and each.by_rule
    }
    with pytest.raises(CorpusError, match="no rule"):
        ids_for_a_run("use-greedy-algorithm")
    own = tmp_path / "own.toml"
    own.write_text('asks = ["a", "b"]\n[python]\nproblem = "tabs"\n')
    with pytest.raises(CorpusError, match="own"):
        ids_for_a_run(str(own))
