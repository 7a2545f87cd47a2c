"""The cases of a problem's tests: what they call the reference with, and what it returns. They are recorded while the tests run, and no model has a part in them."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.codealign.benchmark.problems import StandaloneProblem
from corpora.codealign.benchmark.soundness import TIMEOUT_S
from runners.programs import Command, Programs
from syntax.languages import LANGUAGES
from syntax.parse import Tree, parse

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
