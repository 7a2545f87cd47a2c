"""What a chat model is asked in Codev-Bench's words, and what of its answer counts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.codev.chat_question import code_in
from server.context import Context, Snippet
from server.prompt import worded_chat
from server.repair.draft import Draft
from server.repair.offer import enough, offered
from syntax.languages import language_of

CONTEXT = Context("a.py", "python", "def a():\n    ", "\n\nb = 1\n", (Snippet("b.py", "def near(): ..."),))


def published(answer: str) -> str:
    """As the published script reads an answer (`preview_test_llms`)."""
    results = re.findall(r"```.*?<br>(.*?)<br>```", answer.replace("\n", "<br>"))
    return results[-1].replace("<br>", "\n") if results else ""


def test_the_model_is_shown_the_file_in_marks_and_functions_that_are_like_the_one_at_the_cursor() -> None:
    system, user = worded_chat(CONTEXT, "codev").messages
    assert user.content.endswith("<filename>a.py<fim_prefix>def a():\n    <fim_suffix>\n\nb = 1\n<fim_middle>\n```")
    assert "from b.py:\n```\ndef near(): ...\n```" in user.content
    assert "Where nothing is missing, answer with an empty block." in system.content


@pytest.mark.parametrize(
    "answer",
    [
        "```python\nreturn 1\n```",
        "First ```a\nb\n``` and then:\n```\n  x = 1\n\n  y\n```\nThat is it.",
        "I cannot.",
        "```\n\n```",
        "```\n```",
        "```\nreturn 1```",
    ],
)
def test_the_last_fenced_code_counts_as_in_the_published_script(answer: str) -> None:
    assert code_in(answer) == published(answer)


@given(st.lists(st.sampled_from(["```", "\n", "x", "python", " "]), max_size=14).map("".join))
def test_any_answer_is_read_as_the_published_script_reads_it(answer: str) -> None:
    assert code_in(answer) == published(answer)


def draft(text: str) -> Draft:
    return Draft(language_of("a.py"), "def a():\n    ", "\n", text, "block")


def test_under_the_papers_rules_only_fenced_code_is_offered_and_the_trail_says_so() -> None:
    made = offered(draft("Here:\n```python\nreturn 1\n```\nDone."), rules="codev")
    assert made.text == "return 1"
    assert (made.trail[0].step, made.trail[0].after) == ("prose", "return 1")
    assert offered(draft("return 1"), rules="codev").text == ""
    assert offered(draft("return 1"), rules="codev").step == "prose"


def test_an_answer_is_waited_for_to_its_end_as_its_last_fences_count() -> None:
    text = "```python\nreturn 1\n```\nor better\n```python\nreturn 2\n```"
    assert enough(draft(text), rules="codev") is None
    assert offered(draft(text), rules="codev").text == "return 2"
