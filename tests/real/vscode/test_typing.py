"""Ghost text under a person's hands: what is shown, what a key does with it, and what stands on disk and on the tape then."""

import pytest

from replay.tapes.tape import Edit, Ghost
from tests.support.vscode.editor import on_tape
from tests.support.vscode.shop import START, completed

END = START + (
    "return sum(prices)\n"
    "    alpha = one\n"
    "    bx\n"
    "    zed\n"
    "    number = 2\n"
    "    for price in prices:\n"
    "        total += price"
)


def decided(tape):
    """What became of suggestions, by the events of a tape: the texts that were accepted, whole or in part, what was left and rejected by Escape or by other text, and what was typed to the end.

    Behind an accepted word stands its rest, or already the next answer with the same text: a matter of time.
    """
    shown, found = {}, {"accepted": [], "part": [], "dismissed": [], "rejected": [], "typed": []}
    edited = False
    for event in tape.events:
        edited = edited or isinstance(event, Edit)
        if not isinstance(event, Ghost):
            continue
        if event.phase == "shown":
            shown[event.request] = event
            edited = False
        elif event.phase == "rejected" and not edited:
            found["dismissed"].append(left(event, shown))
        elif event.phase in found:
            found[event.phase].append(event.text or left(event, shown))
        elif event.phase == "ignored" and event.offset == shown[event.request].offset + len(shown[event.request].text):
            found["typed"].append(shown[event.request].text)
    return found


def left(event, shown):
    """What was left of a suggestion when it ended."""
    first = shown[event.request]
    return first.text[event.offset - first.offset :]


@pytest.mark.parametrize("gate", [False, True], ids=["proposed-API-allowed", "proposed-API-refused-as-in-VS-Code"])
def test_each_key_does_with_ghost_text_what_it_says_on_the_screen_on_disk_and_on_the_tape(open_file, model, gate):
    model.answer = completed
    window = open_file(START, gate=gate, settings={"ghosttape.provider": model.settings | {"temperature": 1.0}})
    assert window.allows_proposals is not gate
    window.record()

    window.type("r")
    window.until_ghost("eturn sum(prices)")
    window.press("Tab")
    window.until_ghost("")
    assert window.save() == START + "return sum(prices)"

    window.type("\na")
    window.until_ghost("lpha = one + two")
    window.type("l")
    window.until_ghost("pha = one + two")
    window.press("Control+ArrowRight")
    window.until_ghost(" = one + two")
    window.type(" = ")
    window.until_ghost("one + two")
    window.press("Control+ArrowRight")
    window.until_ghost(" + two")

    window.type("\nb")
    window.until_ghost("eta = three")
    window.press("Escape")
    window.until_ghost("")
    window.type("x")

    window.type("\nz")
    window.until_ghost("ed")
    window.type("ed")
    window.until_ghost("")

    window.type("\nn")
    window.until_ghost("ame = 1")
    window.press("Alt+]")
    window.until_ghost("umber = 2")
    window.press("Tab")

    window.type("\nf")
    window.until_ghost("or price in prices:\n        total += price")
    window.press("Control+Alt+ArrowRight")
    window.until_ghost("        total += price")
    window.press("Tab", "Tab")  # at the start of a line VS Code first takes it for indentation
    window.until_ghost("")

    assert window.save() == END
    window.pause()
    tape, finals = on_tape(window.tapes[-1])
    assert finals == {"cart.py": END}
    assert decided(tape) == {
        "accepted": ["eturn sum(prices)", "umber = 2", "total += price"],
        "part": ["pha", "one", "or price in prices:\n"],
        "dismissed": ["eta = three"],
        "rejected": [" + two"],
        "typed": ["d"],
    }


def test_with_brackets_and_quotes_that_the_editor_closes_typing_along_is_no_rejection(open_file, model):
    """As VS Code is set by default. The model says the same at each key: whether a key is answered by what is shown, or asked about anew, depends on how fast the keys come."""
    model.answer = lambda asked: rest_of_line(asked["prompt"], "round(prices['a'])", "sum([1, 2])")
    closing = {"editor.autoClosingBrackets": "languageDefined", "editor.autoClosingQuotes": "languageDefined"}
    window = open_file(START, settings={"ghosttape.provider": model.settings | {"temperature": 1.0}, **closing})
    window.record()

    window.type("r")
    window.until_ghost("ound(prices['a'])")
    window.type("ound(")
    window.until_ghost("prices['a']")
    window.press("Tab")
    window.until_ghost("")
    assert window.save() == START + "round(prices['a'])"
    window.press("End")

    window.type("\ns")
    window.until_ghost("um([1, 2])")
    window.type("um([1, 2])")
    window.until_ghost("")
    assert window.save() == START + "round(prices['a'])\n    sum([1, 2])"
    window.pause()
    tape, _ = on_tape(window.tapes[-1])
    found = decided(tape)
    assert found["rejected"] == found["dismissed"] == found["part"] == []
    assert found["accepted"] == ["prices['a']"]


def rest_of_line(prompt, *lines):
    """What is still to be written of the line that begins as the prompt's last one does."""
    begun = prompt.rpartition("\n")[2].lstrip()
    return next((line.removeprefix(begun) for line in lines if begun and line.startswith(begun)), "")


def test_what_the_policy_withholds_is_not_shown_on_the_tape(open_file, model):
    """`copilot` shows nothing before 200 ms after the request, and nothing at all of what the next key makes old."""
    model.answer = lambda _asked: "[0]"  # which no key continues: each is asked about anew
    window = open_file(START, settings={"ghosttape.provider": model.settings, "ghosttape.policy": "copilot"})
    window.record()
    window.type("return prices", gap=0.12)
    window.until_ghost("[0]")
    window.press("Tab")
    window.until_ghost("")
    assert window.save() == START + "return prices[0]"
    window.pause()
    events = on_tape(window.tapes[-1])[0].events
    ghosts = [event for event in events if isinstance(event, Ghost)]
    edits = [event.t for event in events if isinstance(event, Edit)]
    asked = {event.request: event.t for event in ghosts if event.phase == "asked"}
    shown = {event.request: event.t - asked[event.request] for event in ghosts if event.phase == "shown"}
    assert min(shown.values()) >= 190, "timers of two programs"
    quick = {request for request, t in asked.items() if any(t < edit < t + 190 for edit in edits)}
    assert not quick & shown.keys(), "the next key came before they could be shown"
    assert [event.text for event in ghosts if event.phase == "accepted"] == ["[0]"]


def test_what_the_list_of_suggestions_hides_is_shown_on_the_tape_when_the_list_is_gone(open_file, model):
    """As VS Code is set by default: while its list is open, it draws only what goes on with the selected word. Nothing does here."""
    model.answer = lambda asked: " = 1" if asked["prompt"].endswith("\nit") else ""
    settings = {"editor.quickSuggestions": {"other": "on"}, "editor.wordBasedSuggestions": "currentDocument"}
    window = open_file("items = []\n", settings={"ghosttape.provider": model.settings, **settings})
    window.record()
    window.type("i")
    window.page.locator(".suggest-widget.visible .monaco-list-row", has_text="items").first.wait_for()
    window.type("t")
    window.until(lambda: any(prompt.endswith("\nit") for prompt in model.prompts), "it was asked")
    window.page.wait_for_timeout(500)
    assert window.ghost == ""
    window.press("Escape")
    window.until_ghost(" = 1")
    window.press("Tab")
    window.until_ghost("")
    assert window.save() == "items = []\nit = 1"
    window.pause()
    events = on_tape(window.tapes[-1])[0].events
    (taken,) = [event.request for event in events if isinstance(event, Ghost) and event.phase == "accepted"]
    told = {event.phase: event.t for event in events if isinstance(event, Ghost) and event.request == taken}
    assert list(told) == ["asked", "answered", "shown", "accepted"]
    (typed,) = [event.t for event in events if isinstance(event, Edit) and event.changes[0][2] == "t"]
    shown = [event.t for event in events if isinstance(event, Ghost) and event.phase == "shown"]
    assert min(shown) - typed > 450, "not while the list was open, which was 500 ms longer than it took to ask"


def test_the_cursor_of_another_pane_which_a_change_moves_takes_nothing_from_the_tape(open_file, model):
    """A person with one file in two panes: what is written in the one moves the cursor of the other, behind it in the line."""
    model.answer = lambda asked: "b" if asked["prompt"].endswith("f(a") else ""
    window = open_file("f(, 2)\n", settings={"ghosttape.provider": model.settings})
    window.record()
    window.press("Control+Backslash", "Control+Home", "End", "Control+1", "Control+Home", "ArrowRight", "ArrowRight")
    window.type("a")
    window.until_ghost("b")
    window.press("Tab")
    window.until_ghost("")
    assert window.save() == "f(ab, 2)\n"
    window.pause()
    events = on_tape(window.tapes[-1])[0].events
    assert [(event.changes[0][2], event.reason) for event in events if isinstance(event, Edit)] == [
        ("a", "type"),
        ("b", "accept"),
    ]
    phases = [event.phase for event in events if isinstance(event, Ghost) and event.request == 1]
    assert phases == ["asked", "answered", "shown", "accepted"]
