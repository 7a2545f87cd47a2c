"""Which moments a table shows, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Facet:
    """Something by which moments are told apart: a column, or an expression of SQL."""

    expression: str
    meaning: str
    several: bool = False
    """Whether a moment can have several values, which stand between bars."""
    marks: bool = False
    """Whether the values are a person's marks."""

    def split(self, value: object) -> list[str]:
        """Return the values in what the database holds: `|prose|stop|` is `prose` and `stop`, and nothing is `none`."""
        text = "" if value is None else str(value)
        if not self.several:
            return [text or "none"]
        return [one for one in text.split("|") if one] or ["none"]


_BLOCK = "CASE WHEN kind != '' AND scenario != '' THEN kind || '/' || scenario WHEN kind != '' THEN kind WHEN stop != 'auto' THEN stop ELSE '' END"
FACETS: Mapping[str, Facet] = {
    "ending": Facet("ending", "how the moment ended in the editor"),
    "verdict": Facet("verdict", "the class of the verdict"),
    "testable": Facet("testable", "whether the tests can tell, or why not"),
    "repair": Facet("repairs", "a repair that changed the text", several=True),
    "language": Facet("language", "the language of the document"),
    "file": Facet("path", "the document"),
    "tape": Facet("tape", "the tape, or the corpus"),
    "provider": Facet("provider", "where the answer came from"),
    "block": Facet(_BLOCK, "the block at the cursor, and the scenario"),
    "category": Facet("kind", "the category of the task, the kind of block"),
    "instruction": Facet(
        "ifnull((SELECT said FROM adherences WHERE number = listing.number), '')",
        "what the suggestion does to an instruction of developers",
        several=True,
    ),
    "length": Facet("length", "the length of the ground truth in characters"),
    "marked": Facet(
        "CASE WHEN ifnull(note, '') != '' THEN 'noted' WHEN ifnull(mark, 0) THEN 'marked' ELSE '' END",
        "marked or noted by you",
        marks=True,
    ),
}
"""The facets by their names, in the order in which they are offered."""

SORTS: Mapping[str, str] = {
    "": "",
    "tape": "tape",
    "moment": "path COLLATE NOCASE",
    "block": _BLOCK,
    "ending": "ending",
    "verdict": "verdict || verdict_reason",
    "ms": "latency",
    "truth": "truth",
    "suggestion": "suggestion",
}
"""What a table can be sorted by, with the expression of SQL; the empty name is the order of the tapes."""


@dataclass(frozen=True, slots=True)
class MomentSelection:
    """Which moments to show: those that have one of the chosen values in each facet. The empty selection shows all."""

    facets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""
    """Only moments in which this text stands; upper and lower case are the same."""
    failures: bool = False
    """Only failures: of requests, and verdicts that count against a suggestion."""
    sort: str = ""
    descending: bool = False

    @property
    def needs_marks(self) -> bool:
        """Whether a person's marks decide."""
        return any(FACETS[name].marks for name in self.facets)

    @property
    def narrows(self) -> bool:
        """Whether it may leave moments out."""
        return bool(self.facets or self.text or self.failures)


def condition(selection: MomentSelection) -> tuple[str, list[object]]:
    """Return the condition of SQL and its values."""
    parts: list[str] = ["1"]
    values: list[object] = []
    if selection.failures:
        parts.append("failed")
    for name, chosen in selection.facets.items():
        facet, wanted = FACETS[name], ["" if value == "none" else value for value in chosen]
        if facet.several:
            each = [f"{facet.expression} = ''" if not value else f"instr({facet.expression}, ?)" for value in wanted]
            parts.append(f"({' OR '.join(each)})")
            values += [f"|{value}|" for value in wanted if value]
        else:
            both = [*wanted, *(["none"] if "" in wanted else [])]
            parts.append(f"ifnull({facet.expression}, '') IN ({', '.join('?' * len(both))})")
            values += both
    if selection.text:
        parts.append("listing.number IN (SELECT number FROM searched WHERE instr(text, ?))")
        values.append(selection.text.casefold())
    return " AND ".join(parts), values
