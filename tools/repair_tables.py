"""What the repairs do to DevBench's published answers: the tables of docs/repairs.md.

`python -m tools.repair_tables DATA PAGE` reads `DATA/devbench` and replaces the tables between the marks in the page. Programs
are joined as DevBench joins them: with new lines for Python, JavaScript and TypeScript (and with the assertions at the end),
directly for Java, C++ and C#.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from server.repair.draft import Draft
from server.repair.offer import offered
from server.settings import REPAIRS
from syntax.languages import Language, language_of
from syntax.parse import has_error
from syntax.wanted import Stop

MODELS = ("gpt-4o", "Ministral-3B")
HINTS: tuple[Stop, ...] = ("auto", "any")
Cells: TypeAlias = dict[tuple[str, str], Counter[str]]
"""Counts by language and category."""
Measured: TypeAlias = dict[tuple[str, Stop], Cells]
_LINED = {"python", "javascript", "typescript"}
_BEGIN, _END = "<!-- tables: make repairs -->", "<!-- end of tables -->"


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """A completion in its program. `times` is how often a model gave it for the instance; 1 for the golden one."""

    language: str
    category: str
    instance: str
    before: str
    text: str
    after: str
    times: int = 1

    @property
    def syntax(self) -> Language:
        """Return the language of the program."""
        found = language_of(self.language)
        assert found is not None
        return found

    def draft(self, stop: Stop) -> Draft:
        """Return the answer as a draft for the repairs."""
        return Draft(self.syntax, self.before, self.after, self.text, stop)


def golden_answers(data: Path) -> Iterator[PublishedAnswer]:
    """Every golden completion of the benchmark."""
    for path in sorted((data / "devbench/benchmark").glob("*/*/*.jsonl")):
        for row in _rows(path):
            yield _placed(path, row, row["golden_completion"], 1)


def published_answers(data: Path, model: str) -> Iterator[PublishedAnswer]:
    """Every different answer of a model to every instance."""
    for path in sorted((data / "devbench/completions").glob(f"*/*/*-{model}.jsonl")):
        for row in _rows(path):
            texts = Counter(row[key] for number in range(5) if (key := f"{model}_completion_{number}") in row)
            yield from (_placed(path, row, text, times) for text, times in texts.items())


def _rows(path: Path) -> Iterator[dict[str, str]]:
    return (json.loads(line) for line in path.read_text().splitlines() if line)


def _placed(path: Path, row: dict[str, str], text: str, times: int) -> PublishedAnswer:
    language, category = path.parts[-3:-1]
    before, after = row["prefix"], row["suffix"]
    if language in _LINED:
        before, after = f"{before}\n", f"\n{after}\n{row['assertions']}"
    return PublishedAnswer(language, category, row["id"], before, text, after, times)


def outcome(answer: PublishedAnswer, stop: Stop) -> Counter[str]:
    """The outcome of one answer: whether the program parses with the raw and with the repaired text, and which steps acted."""
    draft = answer.draft(stop)
    made = offered(draft)
    text = made.text
    raw = not has_error(answer.syntax, answer.before + answer.text + answer.after)
    mended = not has_error(answer.syntax, answer.before + text + answer.after[made.covered :])
    changed = text.strip() != answer.text.strip()
    steps = {step.step for step in made.trail if not step.undone} if changed else set()
    marks: dict[str, bool] = {
        "answers": True,
        "parse raw": raw,
        "parse repaired": mended,
        "broken": raw and not mended,
        "emptied": changed and not text,
        "mended by emptying": changed and not text and mended and not raw,
        "changed though it parsed": changed and raw,
        **dict.fromkeys(steps, True),
    }
    return Counter({name: answer.times for name, true in marks.items() if true})


def cells(data: Path, model: str, stop: Stop) -> Cells:
    """The outcomes of a model's answers, added up by language and category."""
    found: Cells = {}
    for answer in published_answers(data, model):
        found.setdefault((answer.language, answer.category), Counter()).update(outcome(answer, stop))
    return found


def table(measured: Cells) -> list[str]:
    """Shares that parse, raw → repaired, in per cent: languages down, categories across."""
    languages = sorted({language for language, _ in measured})
    categories = sorted({category for _, category in measured})
    lines = [f"| | {' | '.join(categories)} |", f"| --- |{' --- |' * len(categories)}"]
    for language in languages:
        row = (measured[language, category] for category in categories)
        lines.append(f"| {language} | {' | '.join(_shares(counts) for counts in row)} |")
    return lines


def _shares(counts: Counter[str]) -> str:
    raw, mended = (100 * counts[name] / counts["answers"] for name in ("parse raw", "parse repaired"))
    return f"{raw:.1f} → {mended:.1f}"


def sums(measured: Cells) -> Counter[str]:
    """All cells in one."""
    return sum(measured.values(), Counter())


def measure(data: Path) -> Measured:
    """The cells of every model and hint."""
    return {(model, stop): cells(data, model, stop) for model in MODELS for stop in HINTS}


def page(measured: Measured) -> str:
    """The section of tables."""
    names = (
        "answers",
        "parse raw",
        "parse repaired",
        "broken",
        "emptied",
        "mended by emptying",
        "changed though it parsed",
    )
    columns = [*names, *REPAIRS]
    lines = [f"| model, hint | {' | '.join(columns)} |", f"| --- |{' --- |' * len(columns)}"]
    for (model, stop), found in measured.items():
        counts = sums(found)
        lines.append(f"| {model}, `{stop}` | {' | '.join(f'{counts[name]:,}' for name in columns)} |")
    for (model, stop), found in measured.items():
        lines += ["", f"**{model}, hint `{stop}`**", "", *table(found)]
    return "\n".join(lines)


def publish(data: Path, path: Path) -> None:
    """Replace the tables of a page."""
    path.write_text(inserted(path.read_text(), page(measure(data))))


def inserted(text: str, tables: str) -> str:
    """A page with the tables between its marks."""
    head, tail = text.split(_BEGIN, maxsplit=1)[0], text.split(_END)[1]
    return f"{head}{_BEGIN}\n\n{tables}\n\n{_END}{tail}"


if __name__ == "__main__":
    publish(Path(sys.argv[1]), Path(sys.argv[2]))
