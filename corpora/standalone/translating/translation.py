"""Problems in another language: a chat writes the reference, and the recorded cases decide.

A translation counts only if it passes every case that the Python reference passes, and if its tests fail without it (`corpora.codealign.benchmark.soundness`). One that
fails is given back with what failed, a few times; then the problem is left out, and named. So a wrong translation costs a problem, and never makes a wrong one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from msgspec import structs

from corpora.codealign.benchmark.asking import program_in
from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.benchmark.soundness import TIMEOUT_S, sound_problems
from corpora.standalone.translating.recorded_calls import RecordedCases, recorded_cases
from runners.programs import Programs
from server.chat import Chat
from server.prompt import ChatMessage

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
