"""Reads a letter from a model's answer, or says that there is none: nothing is guessed."""

from __future__ import annotations

import re

_ANSWER = re.compile(
    r"""[\s*_`"'(\[]*                                  # marks of emphasis, quotes, brackets
    (?:(?:the\s+)?(?:correct\s+|right\s+|best\s+)?(?:answer|choice|option|solution)(?:\s+is)?\s*[:=]?)?
    [\s*_`"'(\[]*(?:choice|option)?\s*
    (?P<letter>[A-D])
    [\s*_`"')\].:,]*\Z""",
    re.VERBOSE | re.IGNORECASE,
)


def letter_of(answer: str) -> str | None:
    """The letter that an answer consists of, in upper case; None where it says anything else, or several letters.

    The benchmark asks for one upper-case letter and publishes no parser. `B`, `b`, `(B)`, `**B.**`, `Choice B` and `The answer is: B` are read; `A or B`, a
    sentence with a reason, and an empty answer are not.
    """
    found = _ANSWER.match(answer)
    return found["letter"].upper() if found else None
