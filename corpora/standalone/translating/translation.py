"""Problems in another language: a chat writes the reference, and the recorded cases decide.

A translation counts only if it passes every case that the Python reference passes, and if its tests fail without it (`corpora.codealign.benchmark.soundness`). One that
fails is given back with what failed, a few times; then the problem is left out, and named. So a wrong translation costs a problem, and never makes a wrong one.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import structs

from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.benchmark.soundness import TIMEOUT_S, sound_problems
from corpora.codealign.benchmark.task_prompts import program_in
from runners.programs import Command, Programs
from server.chat import Chat
from server.prompt import ChatMessage
from syntax.languages import LANGUAGES
from syntax.parse import Tree, parse

TRIES = 3
"""How often a translation is asked for."""
_HERE = Path(__file__).parent
_NAMES: Mapping[str, str] = MappingProxyType({"java": "Java", "javascript": "JavaScript"})
_FORM: Mapping[str, str] = MappingProxyType(
    {
        "java": "a class Solution with a public static method of the same name and as many parameters, and no main",
        "javascript": "a function of the same name with the same parameters, at the outermost level, without exports",
    }
)
"""What a solution is, in each language."""


@dataclass(frozen=True, slots=True)
class Translations:
    """The translated problems, and why others are not, by name."""

    problems: list[StandaloneProblem] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


async def translated(
    problems: Sequence[StandaloneProblem],
    languages: Sequence[str],
    chat: Chat,
    programs: Programs,
    notify: Callable[[str], None] = lambda _: None,
) -> Translations:
    """Translate problems into languages (java, javascript).

    Raises:
        ProviderError: the provider failed.

    """
    made = Translations()
    for number, problem in enumerate(problems, 1):
        cases = await recorded_cases(problem, programs)
        for language in languages:
            notify(f"{number:,} of {len(problems):,} problems, {len(made.problems):,} translated")
            found = cases.fault or await _translated(problem, cases, language, chat, programs)
            if isinstance(found, str):
                made.left_out[f"{problem.name}/{language}"] = found
            else:
                made.problems.append(found)
    return made


async def _translated(
    problem: StandaloneProblem, cases: RecordedCases, language: str, chat: Chat, programs: Programs
) -> StandaloneProblem | str:
    """The problem in a language, or why there is none."""
    blank = translated_problem(problem, cases, language)
    told = f"Translate this Python into {_NAMES[language]}, as {_FORM[language]}.\n\n```python\n{problem.head.strip()}\n\n{problem.reference.rstrip()}\n```\n\nAnswer with the whole program in one code block, and nothing else."
    messages = [ChatMessage("user", told)]
    for _ in range(TRIES):
        answer = await chat.answer(messages)
        program = program_in(answer, language)
        if program is None:
            said = "There is no code block with a program that parses."
        else:
            done = await programs.run(blank.program(program), timeout_s=TIMEOUT_S)
            if done.verdict_class == "passed":
                whole = structs.replace(blank, reference=program)
                sound = await sound_problems([whole], programs, with_reference=True)
                return whole if sound.kept else sound.left_out[whole.name]
            if done.verdict_class == "infrastructure":
                return f"the machine failed: {done.message}"
            said = f"It fails ({done.verdict_class}): {done.message[:500]}"
        messages += [ChatMessage("assistant", answer), ChatMessage("user", f"{said}\n\nCorrect it, and answer with the whole program in one code block.")]  # fmt: skip
    return f"no translation passed its {len(cases.cases)} cases in {TRIES} tries"


def translated_problem(problem: StandaloneProblem, cases: RecordedCases, language: str) -> StandaloneProblem:
    """The problem in a language, without its reference: the request with the original one in it, and the cases as tests."""
    request = f"Write this in {_NAMES[language]}, as {_FORM[language]}. It is told for Python:\n\n{problem.request}"
    head, tests = _java(cases) if language == "java" else _javascript(cases)
    return StandaloneProblem(
        name=f"{problem.name}/{language}", language=language, request=request, head=head, tests=tests
    )


def _java(cases: RecordedCases) -> tuple[str, str]:
    """The class with `main` comes first, so that a `main` of a solution is never taken for it."""
    lines = ",\n    ".join(json.dumps(json.dumps(case)) for case in cases.cases)
    held = f'final class GhosttapeCases {{\n  static final String NAME = "{cases.function}";\n  static final String[] ALL = {{\n    {lines}\n  }};\n}}'
    return (_HERE / "Harness.java").read_text("utf-8"), held


def _javascript(cases: RecordedCases) -> tuple[str, str]:
    lines = ",\n  ".join(json.dumps(json.dumps(case)) for case in cases.cases)
    called = f"""for (const text of [
  {lines}
]) {{
  const [given, wanted] = JSON.parse(text);
  const found = {cases.function}(...given);
  if (!ghosttapeSame(found, wanted)) {{
    throw new Error(`${{text}}: ${{JSON.stringify(found)}}`.slice(0, 300));
  }}
}}"""
    return (_HERE / "harness.js").read_text("utf-8"), called


# The cases of a problem's tests: what they call the reference with, and what it returns. They are recorded
# while the tests run, and no model has a part in them.

_RECORDER = Path(__file__).with_name("recorder.py.txt").read_text("utf-8")
_MOST, _LARGEST, _WIDEST = 200, 20_000, 2**53
"""The most cases, the characters of one as JSON, and the whole number from which on JavaScript counts no more one by one."""


@dataclass(frozen=True, slots=True)
class RecordedCases:
    """A function and what it is called with and returns, a pair of JSON values a case; or why there are none."""

    function: str = ""
    cases: tuple[tuple[Any, Any], ...] = ()
    fault: str = ""


async def recorded_cases(problem: StandaloneProblem, programs: Programs) -> RecordedCases:
    """Run the tests of a problem in Python on its reference, and record the calls of its function.

    What cannot be said in JSON (sets, classes, infinity), and what calls several functions, has no cases. Of many only some are kept, evenly.

    Raises:
        SandboxFailed, OSError: the machine fails.

    """
    if problem.language != "python" or problem.is_script or not problem.is_tested or not problem.reference:
        return RecordedCases(fault="only functions in Python with a reference and tests are translated")
    named = [name for name in _functions(problem.reference) if re.search(rf"\b{name}\b", problem.tests)]
    if len(named) != 1:
        return RecordedCases(fault=f"its tests name {len(named)} functions of the reference, and not one")
    mark = secrets.token_hex(16)
    text = (
        f"{problem.head}\n\n{problem.reference}\n\n{_RECORDER}\n{named[0]} = _ghosttape_recorder({named[0]})\n\n"
        f"{problem.tests}\n\nprint('\\n{mark}' + {named[0]}.told())\n"
    )
    command = Command("python", "python program.py", {"program.py": text}, requires=problem.requires)
    done = await programs.execute(command, timeout_s=TIMEOUT_S)
    found = done.stdout.rpartition(mark)
    if done.exit != 0 or not found[1]:
        return RecordedCases(fault="its calls could not be recorded: the tests did not come to their end")
    return _chosen(named[0], json.loads(found[2]))


def _chosen(function: str, calls: list[Any]) -> RecordedCases:
    if not calls or None in calls:
        return RecordedCases(fault="its tests call it with values, or it returns some, that JSON lacks" if calls else "its tests never call it")  # fmt: skip
    distinct = list({json.dumps(call): call for call in calls}.values())
    if any(len(json.dumps(call)) > _LARGEST for call in distinct) or _is_wide(distinct):
        return RecordedCases(fault="its tests have values that are too large for other languages")
    step = max(1, -(-len(distinct) // _MOST))
    return RecordedCases(function, tuple((given, found) for given, found in distinct[::step]))


def _is_wide(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_is_wide, value.values()))
    if isinstance(value, list):
        return any(map(_is_wide, value))
    return isinstance(value, int) and abs(value) >= _WIDEST


def _functions(code: str) -> list[str]:
    """The names of the functions at the outermost level."""
    tree: Tree = parse(LANGUAGES["python"], code)
    named = (node.child_by_field_name("name") for node in tree.root.children if node.type == "function_definition")
    return [(name.text or b"").decode() for name in named if name is not None]
