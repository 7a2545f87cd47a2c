"""What is wrong with an answer that fails, in the words of the paper (its section 1 and Appendix E), told by syntax.

An answer may have several of these errors. What none of them explains is `other`: wrong calls, names or values, which only tests tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from corpora.codev.closeness import tokens_of
from corpora.tasks import Task
from syntax.bodies import bodies
from syntax.languages import Language, language_of
from syntax.parse import parse
from syntax.tokens import CLOSERS, PAIRS, tokens

AnswerError: TypeAlias = Literal["wants-nothing", "stops-late", "stops-early", "crosses", "indent", "repeats", "other"]
ANSWER_ERRORS: Mapping[AnswerError, str] = {
    "wants-nothing": "it says something where nothing is missing (Appendix E.3)",
    "stops-late": "it has said what was missing, or the one statement that was, and goes on (E.1)",
    "stops-early": "it ends before all that was missing is said",
    "crosses": "it leaves the block that the cursor is in (E.2)",
    "indent": "Python cannot read it for its indentation",
    "repeats": "it says again the line before the cursor, or the one behind it",
    "other": "none of these: wrong calls, names or values",
}
"""Error → what it means."""
_GOES_ON = (".", "?", ":")
"""What a line begins with that goes on with the one before it, in languages with braces."""
_LEAST = 2
"""Tokens of a line that counts as a repetition: `)` or `else` may stand there twice."""


def answer_errors(task: Task, answer: str, verdict: str) -> tuple[AnswerError, ...]:
    """The errors of an answer that failed with a verdict (its class); at least one."""
    found: list[AnswerError] = ["indent"] if verdict == "indentation" else []
    if task.wants_nothing:
        found += ["wants-nothing"] if answer.strip() else []
    else:
        found += _ends_wrong(task, answer)
    found += ["crosses"] if _crosses(task, answer) else []
    found += ["repeats"] if _repeats(task, answer) else []
    return tuple(found) or ("other",)


def _ends_wrong(task: Task, answer: str) -> list[AnswerError]:
    """Whether it ends too late or too early, by its tokens and those of the truth; where one statement was wanted, also by a second one."""
    said, wanted = tokens_of(answer), tokens_of(task.truth)
    if len(said) < len(wanted) and said == wanted[: len(said)]:
        return ["stops-early"]
    goes_on = len(said) > len(wanted) and said[: len(wanted)] == wanted
    language = language_of(task.language)
    more = language is not None and is_one_statement(language, task) and _statements(language, task, answer) > 1
    return ["stops-late"] if goes_on or more else []


def is_one_statement(language: Language, task: Task) -> bool:
    """Whether a simple statement, or a part of one, is all that is missing."""
    return task.category == "STATEMENT" and _statements(language, task, task.truth) <= 1


def _statements(language: Language, task: Task, text: str) -> int:
    """How many lines of a text in the gap begin outside of brackets and strings, and are not empty: in languages with braces, and in Python, those begin statements."""
    whole, start = task.before + text + task.rest, len(task.before)
    return sum(1 for _ in _free_lines(language, whole, start, start + len(text)))


def _free_lines(language: Language, whole: str, start: int, end: int) -> list[int]:
    """Where the first token of each line of a part stands that begins outside of brackets and strings."""
    depth, last, found = 0, -1, list[int]()
    for token in tokens(parse(language, whole), start, end):
        row = whole.count("\n", 0, token.start)
        if not token.comment and token.start >= start and row != last and not depth and token.text[:1] not in _GOES_ON:
            found.append(token.start)
        last = row + token.text.count("\n")
        if not token.opaque and not token.block:
            depth = max(0, depth + (token.text in PAIRS) - (token.text in CLOSERS))
    return found


def _crosses(task: Task, answer: str) -> bool:
    """Whether a line of the answer belongs to what is around the block: in Python by its indentation, else because more is closed than was opened."""
    language = language_of(task.language)
    if language is None:
        return False
    whole, start = task.before + answer + task.rest, len(task.before)
    if not language.layout:
        return _closes_more(language, answer)
    least = _indent(task.finished.text, start) + (_is_on_header(language, task))
    later = [at for at in _free_lines(language, whole, start, start + len(answer)) if "\n" in whole[start:at]]
    return any(_indent(whole, at) < least for at in later)


def _is_on_header(language: Language, task: Task) -> bool:
    """Whether the block begins on the line of its header, behind the colon."""
    line = task.before[task.before.rfind("\n") + 1 :]
    start = len(task.before)
    return bool(line.strip()) and any(body.start == start for body in bodies(language, task.finished.text))


def _closes_more(language: Language, answer: str) -> bool:
    depth = 0
    for token in tokens(parse(language, answer), 0, len(answer)):
        depth += 0 if token.opaque else (token.text == "{") - (token.text == "}")
        if depth < 0:
            return True
    return False


def _indent(text: str, index: int) -> int:
    """The columns before the first character of a line that is no white space; a tab goes to the next multiple of eight, as in Python."""
    line = text[text.rfind("\n", 0, index) + 1 :].partition("\n")[0]
    return len(line[: len(line) - len(line.lstrip())].expandtabs(8))


def _repeats(task: Task, answer: str) -> bool:
    """Whether the first line of an answer is the last one before the cursor, or its last line the first one behind the gap, and the truth has no such line."""
    said, truth = _lines(answer), _lines(task.truth)
    if not said:
        return False
    near = [(said[0], _lines(task.before)[-1:]), (said[-1], _lines(task.after)[:1])]
    return any([line] == beside and line not in truth and len(tokens_of(line)) >= _LEAST for line, beside in near)


def _lines(text: str) -> list[str]:
    """The lines that are not blank, without white space at their ends."""
    return [line.strip() for line in text.split("\n") if line.strip()]
