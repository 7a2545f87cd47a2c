"""*Ask Here Again with…* under a person's hands: another provider is asked at the cursor, and its answer stands beside the code."""

import json

from tests.support.vscode.questions import ask_again

START = '"""A cart."""\n\n\ndef total(prices):\n    \n\n\nEND = 1\n'
ANSWER = "```python\nreturn sum(prices)\n```"


def pages(window):
    """The texts of all editors that are on the screen."""
    return [text.replace("\xa0", " ") for text in window.page.locator(".monaco-editor .view-lines").all_inner_texts()]


def test_the_answer_of_the_chosen_one_is_shown_beside_the_code_and_nothing_else_changes(open_file, model):
    model.answer = lambda _asked: ANSWER
    window = open_file(START)
    window.record()
    window.press("Control+Home", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "End")
    settings = (window.workspace / ".vscode/settings.json").read_text()
    asked = len(model.prompts)
    ask_again(window, "scripted")
    window.until(lambda: any("What would be offered" in page for page in pages(window)), "the answer is shown")
    (page,) = [page for page in pages(window) if "What would be offered" in page]
    for words in (
        "cart.py:5:5",
        "asked again: openai · scripted",
        "return sum(prices)",
        "As the model wrote it",
        "```python",
        "Repair prose",
    ):
        assert words in page
    assert len(model.prompts) == asked + 1
    assert (window.workspace / ".vscode/settings.json").read_text() == settings
    assert window.on_disk == START
    window.pause()
    assert "return sum" not in window.tapes[-1].read_text()


def test_a_model_server_that_is_gone_is_told_in_words(open_file, model):
    gone = {"name": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "away", "tries": 1, "connect_s": 1}
    window = open_file(START, settings={"ghosttape.provider": gone})
    ask_again(window, "away")
    toast = window.page.locator(".notifications-toasts", has_text="gave no answer")
    toast.wait_for()
    assert "127.0.0.1:9" in toast.inner_text()
    assert window.on_disk == START
    assert json.loads((window.workspace / ".vscode/settings.json").read_text())["ghosttape.provider"] == gone
