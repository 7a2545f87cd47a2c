"""How a general chat model is asked for a block, and how its answer is read: the paper's Appendix D in our words, and `preview_test_llms` of the published `src/evaluate.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpora.codev.scenes import BlockScene
from server.context import Snippet
from server.prompt import ChatMessage

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
_FENCED = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)


def chat_question(scene: BlockScene, evidence: Sequence[Snippet] = ()) -> tuple[ChatMessage, ...]:
    """What a chat model is asked; `evidence`: functions that are like the one at the cursor (scenario 4)."""
    hints = "".join(
        f"A function of the same project, from {each.path}:\n```\n{each.text}\n```\n\n" for each in evidence
    )
    file = f"<filename>{scene.path}<fim_prefix>{scene.prefix}<fim_suffix>{scene.suffix}<fim_middle>"
    return ChatMessage("system", _RULES), ChatMessage("user", f"{hints}```\n{file}\n```")


def code_in(answer: str) -> str:
    """The code of an answer: what stands in its last fences, as in the published script; nothing if it has none."""
    found = _FENCED.findall(answer)
    return found[-1] if found else ""
