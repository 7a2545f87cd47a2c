"""The code of a chat's answer as Codev-Bench reads it (`preview_test_llms` of its `src/evaluate.py`), behind the switch `paper_rules`."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```[^\n]*?\n(.*?)\n```", re.DOTALL)


def code_in(answer: str) -> str:
    """What stands in the last fences of an answer; nothing where it has none."""
    found = _FENCED.findall(answer)
    return found[-1] if found else ""
