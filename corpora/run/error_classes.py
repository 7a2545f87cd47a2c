"""Failures in the four classes of SimCopilot's error analysis (Jiang et al. 2025, appendix C), told from our verdicts.

Its script (`error_analysis.py`) goes by what a run wrote. Where the program is compiled, all that the compiler refuses is one class; else the name of the last error decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from replay.numbers.metrics import UNJUDGED, counted

COMPILED = frozenset({"java", "c", "cpp", "csharp", "go", "rust", "typescript", "typescriptreact"})
_UNREAD = frozenset({"compile", "syntax", "indentation"})
_REFUSED = _UNREAD | {"undefined-name"}
_CLASSES: Mapping[str, str] = MappingProxyType(
    {"indentation": "indentation", "syntax": "syntax", "compile": "syntax", "undefined-name": "variable hallucination"}
)


def error_classes(verdicts: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How many answers fail in each class, from pairs of language (LSP identifier) and name of the verdict, the most frequent first.

    What passes, or could not be judged, is no error. Example: a Java program that the compiler refuses for a name is `compilation`,
    a Python program that ends in a NameError `variable hallucination`, and one with a wrong result `other`.
    """
    return counted(_class_of(language, name) for language, name in verdicts if name not in {"passed", *UNJUDGED})


def is_unbuilt(language: str, name: str) -> bool:
    """Whether a verdict says that no program ran: a compiler, or a parser, refused the text of a language (LSP identifier).

    An undefined name counts where the program is compiled; elsewhere it is found when the program runs.
    """
    return name in (_REFUSED if language in COMPILED else _UNREAD)


def _class_of(language: str, name: str) -> str:
    if language in COMPILED and is_unbuilt(language, name):
        return "compilation"
    return _CLASSES.get(name, "other")
