"""What stands on the screen of a review."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from corpora.generation.reviews import QUESTIONS
from corpora.programs import AtCursor, ProgramTests
from corpora.tasks import Task
from replay.records import Suggestion
from tui.inspector.code import code_with_suggestion
from tui.terminal_text import one_line, sanitize

_ANSWERS = {None: ("?  ", "$faint"), True: ("yes", "bold $text-success"), False: ("no ", "bold $text-error")}
_DECIDED = {"accept": ("accepted by you", "$text-success"), "reject": ("rejected by you", "$text-error")}


def headline(task: Task, at: int, tasks: int, done: int, decision: str) -> Content:
    """Say which task it is, how many are done, and what this person decided."""
    words, style = _DECIDED.get(decision, ("not reviewed by you yet", "$faint"))
    place = f"{one_line(task.name)}  {at + 1} of {tasks}, {done} reviewed  "
    return Content.assemble((place, "bold"), (words, style))


def task_code(task: Task) -> Content:
    """Show the document with the ground truth in its gap, and the hidden tests."""
    moment = task.moment()
    truth = Suggestion(text=task.truth, start=moment.offset, end=moment.offset, latency=0.0)
    code = code_with_suggestion(moment, truth).content
    hidden = sanitize(_assertions(task).strip()) or "none: the tests stand in the program"
    return Content("\n").join([code, Content(""), Content("hidden tests").stylize("$heading"), Content(hidden)])


def _assertions(task: Task) -> str:
    assembly = task.tests.assembly if isinstance(task.tests, ProgramTests) else None
    return assembly.rest if isinstance(assembly, AtCursor) else ""


def answers_words(answers: Mapping[str, bool | None], note: str) -> Content:
    """Show the four questions with their keys and answers, and the note."""
    rows = []
    for number, (name, question) in enumerate(QUESTIONS.items(), 1):
        rows.append(Content.assemble((f"{number} ", "$heading"), _ANSWERS[answers[name]], f"  {name}: {question}"))
    if note:
        rows.append(Content.assemble(("note ", "$heading"), sanitize(note)))
    return Content("\n").join(rows)
