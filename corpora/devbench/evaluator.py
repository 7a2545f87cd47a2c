"""Programs as DevBench's own script (`execute_benchmark.py`) puts them together, so that published numbers can be found again.

Its parts are joined by line feeds in Python, JavaScript and TypeScript. In Java, C++ and C# they stand without one, but for one before the answer where
neither side has one: then the white space at the end of the prefix and at the beginning of the suffix goes too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from corpora.program_tests import Assembled

_COMMENTS = {"python": "#", "javascript": "//", "typescript": "//"}
"""The languages whose parts are joined by line feeds, with how a comment begins there."""
_CXX_HEADERS = ("iostream", "cassert", "string", "vector", "algorithm")
_PLOTS = re.compile(r"\b(?:matplotlib|plt|original_show|non_blocking_show)\b")
_JAVA_PACKAGE = re.compile(r"^\s*package\s+([\w.]+);", re.MULTILINE)
_JAVA_LIBRARIES = re.compile(
    r"org\.(?:apache\.(?:commons|poi|logging\.log4j)|junit|json|springframework|hibernate|jdom2|dom4j)"
    r"|com\.(?:google\.(?:common|gson)|fasterxml\.jackson)|(?:javax|jakarta)\.xml\.bind"
)
"""What sends a Java program to Gradle, which wants a package."""
_CSHARP_MAIN = re.compile(r"static\s+(?:void|Task|async\s+Task)\s+Main")
_CSHARP_CLASS = re.compile(r"public\s+class\s+(\w+)|class\s+(\w+)")
_CSHARP_NAMESPACE = re.compile(r"namespace\s+([\w.]+)")
_CSHARP_LIBRARIES = re.compile(
    r"Newtonsoft\.Json|NUnit|xunit|Microsoft\.(?:EntityFrameworkCore|Extensions\.DependencyInjection|AspNetCore|ML|Azure\.Cosmos)"
    r"|System\.Data\.SqlClient|RestSharp|Dapper|Serilog|AutoMapper|FluentValidation|MongoDB\.Driver|StackExchange\.Redis|Azure"
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The parts of a document: what stands before the gap, in it, and behind it, without the line feeds that an editor shows around the gap."""

    prefix: str
    answer: str
    suffix: str
    start: int
    """Where the answer stands in the document."""

    @classmethod
    def of(cls, document: str, prefix: str, suffix: str) -> Gap:
        """Find the parts of a filled document. Lines that an answer replaced beside the gap belong to the answer."""
        before, after = f"{prefix}\n", f"\n{suffix}"
        start = _whole_lines(before, document)
        behind = _whole_lines(after[::-1], document[start:][::-1])
        answer = document[start : len(document) - behind]
        return cls(document[: max(0, start - 1)], answer, document[len(document) - max(0, behind - 1) :], start)


def _whole_lines(part: str, document: str) -> int:
    """How many characters both begin with, whole lines of the part alone."""
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(part, document, strict=False)))
    return len(part) if common == len(part) else part.rfind("\n", 0, common) + 1


@dataclass(frozen=True, slots=True)
class AsEvaluated:
    """The program that DevBench's script makes of an instance with the answer that fills a document."""

    language: str
    prefix: str
    suffix: str
    assertions: str

    def __call__(self, document: str) -> Assembled:
        """Return the program of a filled document."""
        gap = Gap.of(document, self.prefix, self.suffix)
        if self.language in _COMMENTS:
            return _joined_by_lines(self.language, gap, self.assertions)
        text, start = _joined(gap)
        wrap = {"java": _with_package, "cpp": _with_main, "csharp": _in_class}[self.language]
        whole, by = wrap(text, start, self.assertions)
        return Assembled(whole, gap.start, start + by)


def _joined_by_lines(language: str, gap: Gap, assertions: str) -> Assembled:
    text = f"{gap.prefix}\n{gap.answer}\n{gap.suffix}\n\n{_COMMENTS[language]} Run assertions\n{assertions}\n"
    head = _python_head(text) if language == "python" else ""
    return Assembled(head + text, gap.start, len(head) + len(gap.prefix) + 1)


def _python_head(text: str) -> str:
    """What every program is given: here the part that concerns plots only where a program can notice it."""
    return f"{PYTHON_PLOTS if _PLOTS.search(text) else ''}import os\nimport asyncio\n\n"


def _joined(gap: Gap) -> tuple[str, int]:
    """The joined text, and where the answer stands in it."""
    if gap.prefix.endswith("\n") or gap.answer.startswith("\n"):
        return gap.prefix + gap.answer + gap.suffix, len(gap.prefix)
    prefix = f"{gap.prefix.rstrip()}\n"
    return prefix + gap.answer + gap.suffix.lstrip(), len(prefix)


def _with_package(text: str, start: int, assertions: str) -> tuple[str, int]:
    """A Java program, with a package if it goes to Gradle and has none; and how far its answer moved."""
    del start, assertions
    head = "package devbench.test;\n\n" if _JAVA_LIBRARIES.search(text) and not _JAVA_PACKAGE.search(text) else ""
    return head + text, len(head)


def _with_main(text: str, start: int, assertions: str) -> tuple[str, int]:
    """A C++ program with the headers that it does not name, in a main if it has none; and how far its answer moved."""
    lines = [f"#include <{name}>\n" for name in _CXX_HEADERS if name not in text]
    head = f"{''.join(lines)}\n" if lines else ""
    whole = head + text
    if "int main(" not in whole:
        before, _, after = CXX_MAIN.partition("PROGRAM")
        return before + whole + after.replace("ASSERTIONS", assertions), len(before) + len(head)
    if not assertions:
        return whole, len(head)
    lines = whole.split("\n")
    at = _before_return(lines)
    lines.insert(at, f"    // Assertions\n    {assertions}")
    added = len(lines[at]) + 1 if len("\n".join(lines[:at])) < start + len(head) else 0
    return "\n".join(lines), len(head) + added


def _before_return(lines: list[str]) -> int:
    """The line before which assertions go: the last one with `return` down to where main's braces are balanced; else the last line.

    A `main` whose brace stands on the next line is balanced at once.
    """
    depth, in_main = 0, False
    for number, line in enumerate(lines):
        in_main = in_main or "int main(" in line
        depth += line.count("{") - line.count("}") if in_main else 0
        if in_main and depth == 0:
            returns = (index for index in range(number, -1, -1) if "return" in lines[index])
            return next(returns, len(lines) - 1)
    return len(lines) - 1


def _in_class(text: str, start: int, assertions: str) -> tuple[str, int]:
    """A C# program, in a class with a Main if it has none; and how far its answer moved."""
    del start
    namespace = _CSHARP_NAMESPACE.search(text)
    is_test = namespace is not None and any(word in namespace[1] for word in ("Test", "Benchmark", "Company"))
    has_packages = is_test or _CSHARP_LIBRARIES.search(text) is not None
    if _CSHARP_MAIN.search(text) or (has_packages and namespace):
        return text, 0
    named = _CSHARP_CLASS.search(text)
    name = (named[1] or named[2]) if named else "TestCase"
    frame = CSHARP_NAMESPACE if has_packages else CSHARP_MAIN
    before, _, after = frame.replace("CLASS", name).partition("PROGRAM")
    return before + text + after.replace("ASSERTIONS", assertions), len(before)


# What DevBench's script puts around programs: its frames of C++ and C# as they are, and what its Python
# head does, in other words.

PYTHON_PLOTS = """import matplotlib
import matplotlib.pyplot as plt
matplotlib.use("Agg")
original_show = plt.show
plt.show = non_blocking_show = lambda *_, **__: (plt.savefig("shown.png"), plt.close())[1]
"""
"""Plots are drawn without a screen, and `show` saves them.

The head also lengthens time limits of tornado's client, which here has no network, and imports `os` and `asyncio`.
"""
CXX_MAIN = """
#include <iostream>
#include <cassert>
#include <string>
#include <vector>
#include <algorithm>

int main() {
    PROGRAM

    // Run assertions if any
    ASSERTIONS

    return 0;
}
"""
CSHARP_MAIN = """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

public class CLASS
{
    public static void Main(string[] args)
    {
        PROGRAM

        // Run assertions if any
        ASSERTIONS
    }
}
"""
CSHARP_NAMESPACE = """
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace TestNamespace
{
    public class CLASS
    {
        public static void Main(string[] args)
        {
            PROGRAM

            // Run assertions if any
            ASSERTIONS
        }
    }
}
"""
