"""What a suggestion does to instructions: the document with it, beside the one without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora.codealign.instruction import DeveloperInstruction, FormRule, RulePart
from replay.records import AdherenceName
from syntax.languages import LANGUAGES
from syntax.parse import Tree, parse


@dataclass(frozen=True, slots=True)
class InstructionAdherence:
    """The `Adherence` of a run by the rules of chosen instructions. What stood in the document before is not the suggestion's fault."""

    chosen: Sequence[DeveloperInstruction]

    def __call__(self, language: str, before: str, after: str) -> dict[str, AdherenceName]:
        """What the suggestion does to each instruction with a rule for the language."""
        known = [each for each in self.chosen if each.knows(language)]
        if not known:
            return {}
        old, new = parse(LANGUAGES[language], before), parse(LANGUAGES[language], after)
        if new.root.has_error:
            return {each.id: "unparsable" for each in known}
        return {each.id: changed_adherence(each.rules[language].rule(), old, new) for each in known}


def changed_adherence(rule: FormRule, old: Tree, new: Tree) -> AdherenceName:
    """What a change does to a rule.

    * It breaks the rule if there are more problems than before.
    * Where something is wanted, it follows if there is more of it than before. Without more, it breaks a rule that knows no problems if it adds
      a place for what is wanted and the document has none of that; else it is not concerned.
    * Where nothing is wanted, it follows if it adds no problem.

    Example: `for x in a: go(x)` follows `avoid-recursion`, is not concerned by `use-enumerate`, and breaks `use-recursion`.
    """
    if rule.problem is not None and _grows(rule, "problem", old, new):
        return "broken"
    if rule.wanted is None or _grows(rule, "wanted", old, new):
        return "followed"
    lacks = rule.problem is None and not rule.count("wanted", new)
    return "broken" if lacks and rule.where is not None and _grows(rule, "where", old, new) else "not concerned"


def _grows(rule: FormRule, part: RulePart, old: Tree, new: Tree) -> bool:
    return rule.count(part, new) > rule.count(part, old)
