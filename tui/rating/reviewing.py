"""Reviewing new tasks: one after the other, four questions, and a decision. What others said is not shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import structs
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Input, Static

from corpora.generation.reviews import QUESTIONS, Review, ReviewDecision, Reviews
from corpora.program_tests import AtCursor, ProgramTests
from corpora.tasks import Task
from replay.records import Suggestion
from tui.inspector.code import code_with_suggestion
from tui.rating.rating_app import ENDS, STEPS, RatingApp
from tui.terminal_text import one_line, sanitize

_HELP = """The task: what stands before the gap, the ground truth (marked), what stands behind it, and the hidden tests.

1 2 3 4   answer a question: yes, and no if pressed again
a         accept, and go to the next task without a review of yours
x         reject, and go on
m         write a note; it is kept with your decision
n p       the next task, the one before
q         quit; every decision is kept at once

Two people review each task and do not see what the other said. A task is accepted if both accept it."""


class ReviewApp(RatingApp[Task]):
    """Shows the tasks that wait for a review to one reviewer."""

    TITLE = "ghosttape corpora review"
    CSS_PATH = ["rating.tcss", "reviewing.tcss"]  # noqa: RUF012 - Textual does not declare it as a ClassVar
    HELP = _HELP
    ANSWER = "The review"
    AUTO_FOCUS = "#code"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"turn('{name}')", "Answer", show=number == 1, key_display="1-4")
            for number, name in enumerate(QUESTIONS, 1)
        ),
        Binding("a", "decide('accept')", "Accept"),
        Binding("x", "decide('reject')", "Reject"),
        Binding("m", "note", "Note"),
        *STEPS,
        *ENDS,
    ]

    def __init__(self, reviews: Reviews, reviewer: str) -> None:
        self._kept, self.reviewer = reviews, reviewer
        self.tasks = reviews.tasks()
        self._own = {review.task: review for review in reviews.all() if review.reviewer == reviewer}
        super().__init__(self.tasks)
        self._answers: dict[str, bool | None] = {}
        self._note = ""

    def is_answered(self, item: Task) -> bool:
        """Whether this person reviewed a task."""
        return item.name in self._own

    def compose(self) -> ComposeResult:
        """Lay out the place, the code, the questions and the field for a note."""
        yield Static("", id="headline", markup=False)
        with VerticalScroll(id="code"):
            yield Static("", markup=False)
        yield Static("", id="answers", markup=False)
        yield Input(placeholder="note", id="note", disabled=True)
        yield Footer(compact=True, show_command_palette=False)

    def show_item(self) -> None:
        """Show the task, with what this person said of it."""
        own = self._own.get(self.shown.name)
        self._answers = dict.fromkeys(QUESTIONS) | (own.answers if own else {})
        self._note = own.note if own else ""
        self.query_one("#code Static", Static).update(task_code(self.shown))
        self.query_one("#code", VerticalScroll).scroll_home(animate=False)
        self._show()

    def action_turn(self, question: str) -> None:
        """Answer a question with yes, or turn its answer round."""
        self._answers[question] = not self._answers[question]
        self._keep_again()
        self._show()

    def action_decide(self, decision: ReviewDecision) -> None:
        """Keep the decision, and go to the next task without one."""
        answers = {name: answer for name, answer in self._answers.items() if answer is not None}
        if len(answers) < len(QUESTIONS):
            self.notify("Answer the questions 1 to 4 first.", severity="warning")
            return
        if self._keep(Review(self.shown.name, self.reviewer, decision, answers, self._note)):
            self.go_on()

    def _keep(self, review: Review) -> bool:
        if not self.is_kept(lambda: self._kept.keep(review)):
            return False
        self._own[review.task] = review
        return True

    def _keep_again(self) -> None:
        """Keep what has changed of a review that is decided; one that is not is kept with its decision."""
        own = self._own.get(self.shown.name)
        answers = {name: answer for name, answer in self._answers.items() if answer is not None}
        if own is not None and (own.answers, own.note) != (answers, self._note):
            self._keep(structs.replace(own, answers=answers, note=self._note))

    def action_note(self) -> None:
        """Open the field for a note."""
        field = self.query_one("#note", Input)
        field.value, field.disabled = self._note, False
        self.screen.add_class("-noting")
        field.focus()

    @on(Input.Submitted, "#note")
    def _noted(self, event: Input.Submitted) -> None:
        self._note = event.value
        self._keep_again()
        event.input.disabled = True
        self.screen.remove_class("-noting")
        self.query_one("#code").focus()
        self._show()

    def _show(self) -> None:
        own = self._own.get(self.shown.name)
        done = sum(task.name in self._own for task in self.tasks)
        place = headline(self.shown, self._at, len(self.tasks), done, own.decision if own else "")
        self.query_one("#headline", Static).update(place)
        self.query_one("#answers", Static).update(answers_words(self._answers, self._note))


# What stands on the screen of a review.

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
