"""What is wrong with an answer that fails, in the words of the paper (its section 1 and Appendix E), told by syntax.

An answer may have several of these errors. What none of them explains is `other`: wrong calls, names or values, which only tests tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

import Levenshtein

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


# How close an answer and the ground truth are, as Codev-Bench measures it: by its code, and by its paper,
# which are not the same.
#
# | | its code (`fuzz.ratio` in `src/evaluate.py`) | its paper (section 4.3, "Edit Similarity") |
# | --- | --- | --- |
# | what is compared | characters | sequences of tokens |
# | what is counted | twice the characters of matching runs, by those of both texts: fuzzywuzzy without python-Levenshtein, as its README installs it, takes `difflib` | insertions, deletions and substitutions (Levenshtein) by the longer sequence |
#
# Both are in [0, 1] here; the published script prints the first times 100, rounded for each answer.

_TOKEN = re.compile(r"\w+|[^\w\s]")


def published_similarity(answer: str, truth: str) -> float:
    """What `fuzz.ratio` of fuzzywuzzy 0.18 says, in hundredths: 1 for equal texts, also empty ones; 0 if one is empty.

    Example: `return x` and `return y + 1` have 0.7.
    """
    if answer == truth:
        return 1.0
    if not answer or not truth:
        return 0.0
    return round(100 * SequenceMatcher(None, answer, truth).ratio()) / 100


def token_similarity(answer: str, truth: str) -> float:
    """1 less the Levenshtein distance of the tokens by the length of the longer sequence; 1 for two without any.

    The paper does not say what a token is: here it is a run of letters, digits and `_`, or any other character but white space.
    Example: `return x` and `return y + 1` are 2 and 4 tokens with a distance of 3: 0.25.
    """
    one, other = tokens_of(answer), tokens_of(truth)
    return 1 - Levenshtein.distance(one, other) / max(1, len(one), len(other))


def tokens_of(text: str) -> list[str]:
    """The tokens of a text. Example: `x_1 += 2` has four."""
    return _TOKEN.findall(text)


def published_lines(answer: str) -> int:
    """The lines of an answer as the published script counts them: pieces between line feeds, so that an empty answer has one."""
    return answer.count("\n") + 1
