"""An instruction that a developer gives about code: whether it applies to a program, and whether a program follows it.

The two functions are those of CodeAlignBench, section 3 (arXiv 2510.27565): `is_applicable(code)` and
`verify(code_after, code_before)`. Here both rest on one rule about form, or there is no rule, and a judge with the
instruction's rubric has to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from corpora.codealign.finders.registry import ProblemFinder, finder_of
from syntax.languages import LANGUAGES
from syntax.parse import Tree, parse

InstructionType: TypeAlias = Literal["cosmetic", "structural", "algorithm", "performance", "correctness"]
"""The types of CodeAlignBench, section 2.2; the last three are its `semantic` ones."""
RulePart: TypeAlias = Literal["problem", "wanted", "where"]
SEMANTIC: frozenset[str] = frozenset({"algorithm", "performance", "correctness"})


@dataclass(frozen=True, slots=True)
class FormRule:
    """What a program that follows an instruction must not have, and must have.

    `problem` finds places where the instruction is not followed, `wanted` what it asks for, `where` what the program must
    have for the instruction to mean anything. Each is None where the rule does not need it. `fewer` says that against an
    earlier program it is enough to have fewer problems.
    """

    problem: ProblemFinder | None = None
    wanted: ProblemFinder | None = None
    where: ProblemFinder | None = None
    fewer: bool = False

    def count(self, part: RulePart, tree: Tree) -> int:
        """How often the finder of a part finds something; 0 where the rule has no such part."""
        finder: ProblemFinder | None = getattr(self, part)
        return 0 if finder is None else sum(1 for _ in finder(tree))

    def problems(self, tree: Tree) -> list[int]:
        """The lines (from 0) with a problem, each once, in order."""
        return _lines(self.problem, tree)

    def follows(self, tree: Tree) -> bool:
        """Whether a program has no problem, and what is wanted."""
        return not self.problems(tree) and (self.wanted is None or bool(_lines(self.wanted, tree)))

    def applies(self, tree: Tree) -> bool:
        """Whether a program can be changed to follow: it does not yet, and there is a place for it."""
        place = self.where or self.problem
        return not self.follows(tree) and (place is None or bool(_lines(place, tree)))


def _lines(finder: ProblemFinder | None, tree: Tree) -> list[int]:
    if finder is None:
        return []
    return sorted({found if isinstance(found, int) else found.start_point.row for found in finder(tree)})


class RuleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule as it stands in the file of an instruction: each part in the words of `finder_of`, "" for none."""

    problem: str = ""
    wanted: str = ""
    where: str = ""
    fewer: bool = False

    def rule(self) -> FormRule:
        """The rule that the words name."""
        problem, wanted, where = (finder_of(each) if each else None for each in (self.problem, self.wanted, self.where))
        return FormRule(problem, wanted, where, self.fewer)


@dataclass(frozen=True, slots=True)
class InstructionCases:
    """Programs of one language that follow an instruction, that break it (so that it applies), and that it does not apply to.

    Rules are tested by them, and judges measured.
    """

    follows: Sequence[str] = ()
    breaks: Sequence[str] = ()
    neither: Sequence[str] = ()
    """Programs that show nothing of what is wanted, and have no place for it."""


@dataclass(frozen=True, slots=True)
class DeveloperInstruction:
    """One instruction of the catalogue."""

    id: str
    type: InstructionType
    asks: Sequence[str]
    """What developers say; each stands for the instruction alone."""
    languages: Sequence[str]
    """Identifiers of the languages that it can be given in: python, java, javascript."""
    in_paper: bool = False
    """Whether its id is printed in CodeAlignBench."""
    rubric: str = ""
    """What a judge has to look at, where no rule can say."""
    rules: Mapping[str, RuleWords] = field(default_factory=dict)
    """The rule of each language; none where a judge has to say."""
    cases: Mapping[str, InstructionCases] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The type at the top level of CodeAlignBench: cosmetic, structural or semantic."""
        return "semantic" if self.type in SEMANTIC else self.type

    @property
    def by_rule(self) -> bool:
        """Whether rules decide."""
        return bool(self.rules)

    def knows(self, language: str) -> bool:
        """Whether rules decide about programs of a language."""
        return language in self.rules

    def is_applicable(self, code: str, language: str) -> bool:
        """Whether a program that parses can be changed to follow the instruction.

        Raises:
            KeyError: no rule decides in this language (`knows`).

        """
        tree = parse(LANGUAGES[language], code)
        return _is_program(tree) and self.rules[language].rule().applies(tree)

    def verify(self, after: str, language: str, before: str | None = None) -> bool:
        """Whether a program follows the instruction; with the program that it was made from, whether it does so by the change.

        A program that does not parse or holds no code follows nothing. The earlier program matters only to rules that are
        content with fewer problems (`FormRule.fewer`): all others ask what the program is now.

        Raises:
            KeyError: no rule decides in this language (`knows`).

        """
        tree, rule = parse(LANGUAGES[language], after), self.rules[language].rule()
        if not _is_program(tree):
            return False
        if rule.fewer and before is not None:
            earlier = rule.problems(parse(LANGUAGES[language], before))
            return rule.follows(tree) or len(rule.problems(tree)) < len(earlier)
        return rule.follows(tree)

    def problems(self, code: str, language: str) -> list[int]:
        """The lines (from 0) of a program that break the instruction; [] also where only something wanted is missing."""
        return self.rules[language].rule().problems(parse(LANGUAGES[language], code))


def _is_program(tree: Tree) -> bool:
    """Whether a text parses and holds more than comments."""
    return not tree.root.has_error and any(not node.type.endswith("comment") for node in tree.root.named_children)
