"""What a model is shown, and in which words."""

from __future__ import annotations

import pytest

from server.context import Budget, Snippet, Surroundings, choose
from server.errors import SettingsError
from server.prompt import TEMPLATES, chat, middle, plain, template_of
from server.settings import ContextSettings

LINES = "".join(f"line_{number} = {number}\n" for number in range(1000))


def test_sections_keep_to_their_budget_and_are_cut_at_line_starts():
    context = choose(Surroundings("a.py", "python", LINES, LINES), Budget(before=100, after=50))
    assert len(context.before) <= 320
    assert len(context.after) <= 160
    assert context.before.startswith("line_")
    assert context.after.endswith("\n")


def test_the_prefix_keeps_its_start_while_a_line_is_typed():
    starts = {
        choose(Surroundings("a.py", "python", LINES + "x" * typed, ""), Budget(before=100, after=0)).before[:30]
        for typed in range(60)
    }
    assert len(starts) <= 2


def test_models_see_line_feeds_only():
    context = choose(Surroundings("a.py", "python", "a\r\nb\r", "\r\nc"), Budget(before=10, after=10))
    assert (context.before, context.after) == ("a\nb\n", "\nc")


def test_the_most_similar_pieces_of_other_files_come_first():
    others = [Snippet("b.py", "import json\nnothing = 1\n"), Snippet("c.py", "def load_rows(path):\n    return rows\n")]
    around = Surroundings("a.py", "python", "rows = load_rows(path)\n", "", others)
    context = choose(around, Budget(before=50, after=0, snippets=100))
    assert [snippet.path for snippet in context.snippets][:1] == ["c.py"]
    assert "# c.py\n# def load_rows(path):\n" in plain(context).text


def test_settings_override_a_budget_number_by_number():
    assert Budget(before=1, after=2, snippets=3).overridden(ContextSettings(after=9)) == Budget(1, 9, 3)


@pytest.mark.parametrize("family", sorted(TEMPLATES))
def test_every_template_holds_both_sides_once(family):
    context = choose(Surroundings("a.py", "python", "BEFORE", "AFTER"), Budget(before=50, after=50))
    text = middle(context, TEMPLATES[family]).text
    assert (text.count("BEFORE"), text.count("AFTER")) == (1, 1)
    assert not text.endswith("AFTER") or not TEMPLATES[family].middle


def test_a_template_is_found_by_the_models_name():
    assert template_of("", "bartowski/Qwen2.5-Coder-1.5B.gguf") is TEMPLATES["qwen"]
    assert template_of("", "SmolLM2-135M-Instruct.Q4_1.gguf") is None
    with pytest.raises(SettingsError, match="none of codegemma"):
        template_of("nonsense", "")


def test_chat_marks_the_cursor_in_the_file():
    context = choose(Surroundings("a.py", "python", "x = ", "\ny = 2\n"), Budget(before=50, after=50))
    assert "a.py\n```python\nx = <CURSOR>\ny = 2\n" in chat(context).messages[1].content
