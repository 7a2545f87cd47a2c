"""How Codev-Bench asks a general chat model for a block, in our words (Pan et al. 2024, arXiv 2410.01353, Appendix D)."""

from __future__ import annotations

import re

from server.context import Context
from server.prompt import ChatForm, ChatMessage, Prompt
from server.repair.rules import AnswerRules

# The code of a chat's answer as Codev-Bench reads it (`preview_test_llms` of its `src/evaluate.py`), behind
# the switch `paper_rules`.

_FENCED = re.compile(r"```[^\n]*?\n(.*?)\n```", re.DOTALL)


def code_in(answer: str) -> str:
    """What stands in the last fences of an answer; nothing where it has none."""
    found = _FENCED.findall(answer)
    return found[-1] if found else ""


_RULES = """You complete code. You are shown one file: behind <filename> stands its name, behind <fim_prefix> what comes before the cursor, and behind <fim_suffix> what comes after it. Work out \
what belongs between the two; it would stand behind <fim_middle>.

Example of a file:
```
<filename>shop/prices.py<fim_prefix>def total(prices):
    found = 0
    for price in prices:
<fim_suffix>
    return found
<fim_middle>
```
Example of an answer:
```
        found += price
```

How much to write:
- Where a statement is unfinished, finish that statement and begin no other.
- Where a function or a class is unfinished, write all of it.
- Where a block with a condition, a loop or error handling is unfinished, write that whole block.
- Where nothing is missing, answer with an empty block.

Answer with the missing code alone, between ``` and ```, and repeat nothing that is there already."""


def block_question(context: Context) -> Prompt:
    """What a chat model is asked; pieces of other places stand above the file (scenario 4)."""
    hints = "".join(
        f"A function of the same project, from {each.path}:\n```\n{each.text}\n```\n\n" for each in context.elsewhere
    )
    file = f"<filename>{context.path}<fim_prefix>{context.before}<fim_suffix>{context.after}<fim_middle>"
    return Prompt(messages=(ChatMessage("system", _RULES), ChatMessage("user", f"{hints}```\n{file}\n```")))


CHAT = ChatForm(block_question, rules="codev", shows_whole_file=True)
"""The entry point `codev` of `ghosttape.chats`."""
RULES = AnswerRules(code_in=code_in)
"""The entry point `codev` of `ghosttape.rules`: of an answer counts what stands in its last fences."""
