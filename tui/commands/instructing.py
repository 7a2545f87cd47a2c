"""The commands `instructions`: what the catalogue holds, one instruction of it, and files that are checked against some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from corpora.codealign.catalogue import instruction, instructions
from corpora.codealign.finders.shapes import SHAPES
from corpora.codealign.instruction import DeveloperInstruction
from corpora.codealign.instruction_check import InstructionCheck, checked_program
from corpora.codealign.instruction_selection import chosen_instructions
from syntax.languages import language_named, language_of
from tui.console import SafeConsole
from tui.errors import ConfigurationError
from tui.summary_figures import number_of

_SHORT = {"python": "P", "java": "J", "javascript": "JS"}
_LINES = 8
"""The most lines of a file that are named; --json has all."""
_STYLES = {"broken": "red", "followed": "green", "unparsable": "yellow", "judge": "dim"}


def known_language(name: str) -> str:
    """The identifier of a language that rules know, "" for none named.

    Raises:
        ConfigurationError: no rule knows it.

    """
    found = language_named(name)
    if name and (found is None or found.id not in SHAPES):
        raise ConfigurationError(f"--language {name!r}: instructions are for {', '.join(SHAPES)}")
    return found.id if found and name else ""


def listed_instructions(type_: str, language: str) -> list[dict[str, Any]]:
    """The instructions of a type and of a language, or all, as `list --json` has them.

    Raises:
        ConfigurationError: there is no such type, or no rule knows the language.

    """
    kinds = {each.type for each in instructions()} | {each.group for each in instructions()}
    if type_ and type_ not in kinds:
        raise ConfigurationError(f"--type {type_!r}: choose one of {', '.join(sorted(kinds))}")
    wanted = known_language(language)
    found = [each for each in instructions() if type_ in {"", each.type, each.group}]
    return [_entry(each) for each in found if not wanted or wanted in each.languages]


def _entry(each: DeveloperInstruction) -> dict[str, Any]:
    return {
        "id": each.id,
        "type": each.type,
        "group": each.group,
        "by": "rule" if each.by_rule else "judge",
        "in_paper": each.in_paper,
        "languages": list(each.languages),
        "asks": list(each.asks),
    }


def show_instructions(entries: Sequence[dict[str, Any]]) -> None:
    """Print a line for each instruction."""
    table = Table(
        "instruction", "type", "by", "languages", "what developers say", box=SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for entry in entries:
        languages = " ".join(_SHORT[name] for name in entry["languages"])
        table.add_row(entry["id"], entry["type"], entry["by"], languages, Text(entry["asks"][0]))
    console = SafeConsole()
    console.print(table)
    rules = sum(entry["by"] == "rule" for entry in entries)
    console.print(f"{number_of(len(entries), 'instruction')}, {rules} by rules; P Python, J Java, JS JavaScript")


def shown_instruction(id_: str) -> dict[str, Any]:
    """All of one instruction, as `show --json` has it.

    Raises:
        InstructionError: there is none of this id.

    """
    each = instruction(id_)
    rules = {
        language: {"problem": words.problem, "wanted": words.wanted, "where": words.where, "fewer": words.fewer}
        for language, words in each.rules.items()
    }
    cases = {
        language: {"follows": list(held.follows), "breaks": list(held.breaks), "neither": list(held.neither)}
        for language, held in each.cases.items()
    }
    return {**_entry(each), "rubric": each.rubric, "rules": rules, "cases": cases}


def show_instruction(entry: dict[str, Any]) -> None:
    """Print what an instruction asks, how it is checked, and the first program on each side in each language."""
    console = SafeConsole()
    console.print(Text(f"{entry['id']} ({entry['type']}, by {entry['by']})", "bold"))
    for ask in entry["asks"]:
        console.print(f"  {ask}")
    if entry["rubric"]:
        console.print(Text(f"\nA judge looks at: {entry['rubric']}"))
    for language, rule in entry["rules"].items():
        console.print(Text(f"\n{language}", "bold"))
        for name in ("problem", "wanted", "where"):
            if rule[name]:
                console.print(Text(f"  {name}: {rule[name]}", "dim"))
        for side in ("follows", "breaks"):
            console.print(Text(f"  {side}:"))
            code = entry["cases"][language][side]
            console.print(Text("\n".join(f"    {line}" for line in code[0].splitlines()) if code else "    no case"))


def checked_files(files: Sequence[Path], words: str, language: str) -> list[dict[str, Any]]:
    """Each file with the results of the chosen instructions, as `check --json` has it.

    Raises:
        ConfigurationError: a file cannot be read, or its language is not known here.
        InstructionError: an instruction is not known.

    """
    chosen, wanted = chosen_instructions(words), known_language(language)
    return [_checked(path, wanted or _language(path), chosen) for path in files]


def _language(path: Path) -> str:
    found = language_of(str(path))
    if found is None or found.id not in SHAPES:
        raise ConfigurationError(f"{path}: of what language? Name it with --language: {', '.join(SHAPES)}")
    return found.id


def _checked(path: Path, language: str, chosen: Sequence[DeveloperInstruction]) -> dict[str, Any]:
    try:
        code = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error
    results = [checked_program(code, language, each) for each in chosen]
    return {"file": str(path), "language": language, "instructions": [_as_json(each) for each in results]}


def _as_json(each: InstructionCheck) -> dict[str, Any]:
    return {"id": each.id, "result": each.result, "lines": list(each.lines)}


def show_checks(checked: Sequence[dict[str, Any]]) -> None:
    """Print what is broken in each file, and how often each result occurs."""
    console = SafeConsole()
    for entry in checked:
        console.print(Text(f"{entry['file']} ({entry['language']})", "bold"))
        for line in _result_lines(entry["instructions"]):
            console.print(line)


def _result_lines(results: Sequence[dict[str, Any]]) -> Iterator[Text]:
    width = max(len(each["id"]) for each in results)
    for each in results:
        named = ", ".join(map(str, each["lines"][:_LINES])) + (", …" if len(each["lines"]) > _LINES else "")
        where = f"  {'line' if len(each['lines']) == 1 else 'lines'} {named}" if named else ""
        yield Text(f"  {each['id']:{width}}  {each['result']}{where}", _STYLES.get(each["result"], ""))


def breaks_any(checked: Sequence[dict[str, Any]]) -> bool:
    """Whether a file breaks an instruction, or does not parse."""
    return any(each["result"] in {"broken", "unparsable"} for entry in checked for each in entry["instructions"])
