"""What a chat model is asked for a block, and what of its answer counts."""

import re

import pytest

from corpora.codev.chat_question import chat_question, code_in
from corpora.codev.scenes import BlockScene
from server.context import Snippet

SCENE = BlockScene(
    name="a",
    repository="app",
    scenario=3,
    kind="rest-of-function-gone",
    block_type="METHOD",
    language="python",
    path="a.py",
    block_key="a.py#L1-L2",
    function_key="a.py#L1-L2",
    tests=("t",),
    prefix="def a():\n    ",
    middle="return SECRET",
    hidden="\n    # HIDDEN",
    suffix="\n\nb = 1\n",
    emptied="pass",
)


def published(answer: str) -> str:
    """As the published script reads an answer (`preview_test_llms`)."""
    results = re.findall(r"```.*?<br>(.*?)<br>```", answer.replace("\n", "<br>"))
    return results[-1].replace("<br>", "\n") if results else ""


def test_the_model_sees_what_its_scenario_shows_and_nothing_of_the_answer() -> None:
    system, user = chat_question(SCENE, [Snippet("b.py", "def near(): ...")])
    assert user.content.endswith("<filename>a.py<fim_prefix>def a():\n    <fim_suffix>\n\nb = 1\n<fim_middle>\n```")
    assert "from b.py:\n```\ndef near(): ...\n```" in user.content
    assert "SECRET" not in system.content + user.content
    assert "HIDDEN" not in system.content + user.content


@pytest.mark.parametrize(
    "answer",
    [
        "```python\nreturn 1\n```",
        "First ```a\nb\n``` and then:\n```\n  x = 1\n\n  y\n```\nThat is it.",
        "I cannot.",
        "```\n\n```",
    ],
)
def test_the_last_fenced_code_counts_as_in_the_published_script(answer: str) -> None:
    assert code_in(answer) == published(answer)


def test_fences_with_nothing_between_are_an_empty_answer() -> None:
    assert code_in("```\n```") == ""
