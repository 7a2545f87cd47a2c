"""To how many programs each instruction applies: the table of docs/codealign.md.

`python -m tools.instruction_shares DATA HUMANEVAL PAGE [DATE]` reads `DATA/devbench` and HumanEval's `HumanEval.jsonl.gz`, and
replaces the table between the marks in the page. DevBench's programs have their golden completions, and are joined as DevBench
joins them: with new lines for Python and JavaScript (and with the assertions at the end), directly for Java. HumanEval's are
prompt and canonical solution.
"""

from __future__ import annotations

import datetime as dt
import gzip
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from corpora.codealign.catalogue import instructions
from corpora.codealign.instruction import DeveloperInstruction

Columns: TypeAlias = Mapping[tuple[str, str], Sequence[str]]
"""Programs by set (HumanEval, DevBench) and language."""
_LINED = {"python", "javascript"}
_LANGUAGES = {"python": "Python", "java": "Java", "javascript": "JavaScript"}
_BEGIN, _END = "<!-- table: tools.instruction_shares -->", "<!-- end of table -->"


def human_eval(path: Path) -> list[str]:
    """The programs of HumanEval's file."""
    return [row["prompt"] + row["canonical_solution"] for row in _rows(gzip.decompress(path.read_bytes()))]


def devbench(data: Path, language: str) -> list[str]:
    """DevBench's programs in a language, with their golden completions."""
    files = sorted((data / "devbench/benchmark" / language).glob("*/*.jsonl"))
    return [_joined(language, row) for path in files for row in _rows(path.read_bytes())]


def _rows(content: bytes) -> Iterator[dict[str, Any]]:
    return (msgspec.json.decode(line) for line in content.splitlines() if line.strip())


def _joined(language: str, row: Mapping[str, str]) -> str:
    parts = [row["prefix"], row["golden_completion"], row["suffix"]]
    return "\n".join([*parts, row["assertions"]]) if language in _LINED else "".join(parts)


def columns(data: Path, path: Path) -> Columns:
    """All programs."""
    return {("HumanEval", "python"): human_eval(path)} | {
        ("DevBench", name): devbench(data, name) for name in _LANGUAGES
    }


def share(each: DeveloperInstruction, language: str, programs: Sequence[str]) -> str:
    """The number of programs to which an instruction applies, in percent; "" in a language without a rule."""
    if not each.knows(language):
        return ""
    applicable = sum(each.is_applicable(code, language) for code in programs)
    return f"{applicable / len(programs):.1%}".replace("%", "\u00a0%")


def table(programs: Columns, date: str) -> str:
    """The table of instructions by rules, and the list of those that need a judge."""
    heads = [f"{name}, {_LANGUAGES[language]} ({len(held)})" for (name, language), held in programs.items()]
    lines = [
        f"Measured on {date}. An instruction in *italics* has an id of the paper.",
        "",
        "| instruction | type | " + " | ".join(heads) + " |",
        "| --- | --- |" + " ---: |" * len(heads),
    ]
    for each in instructions():
        if each.by_rule:
            cells = [share(each, language, held) for (_, language), held in programs.items()]
            lines.append(f"| {_id(each)} | {each.type} | " + " | ".join(cells) + " |")
    lines += ["", "A judge has to say (what it looks at: `ghosttape instructions show ID`):", ""]
    lines += [f"* {_id(each)} ({each.type})" for each in instructions() if not each.by_rule]
    return "\n".join(lines)


def _id(each: DeveloperInstruction) -> str:
    return f"*{each.id}*" if each.in_paper else each.id


def inserted(text: str, made: str) -> str:
    """A page with the table between its marks."""
    before, _, rest = text.partition(_BEGIN)
    return f"{before}{_BEGIN}\n{made}\n{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    data, evaluated, page, *given = sys.argv[1:]
    today = given[0] if given else dt.datetime.now(tz=dt.UTC).date().isoformat()
    target = Path(page)
    target.write_text(inserted(target.read_text("utf-8"), table(columns(Path(data), Path(evaluated)), today)), "utf-8")
