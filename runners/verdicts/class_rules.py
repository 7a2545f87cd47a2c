"""The data by which a verdict gets its class: limits, signals, and what compilers, interpreters and test runners write.

There is one table for each tool. The first row that matches counts, but in `FAILURES` what stands first in the text: a syntax error comes
first, as it hides all other errors of a file, and a name that is not defined before the assertion that fails because of it.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from typing import TypeAlias

from runners.protocol import Limit
from runners.verdicts.result import VerdictClass

Table: TypeAlias = tuple[tuple[VerdictClass, re.Pattern[str]], ...]


def _table(*rows: tuple[VerdictClass, str]) -> Table:
    return tuple((verdict_class, re.compile(pattern, re.MULTILINE)) for verdict_class, pattern in rows)


TOO_LONG = frozenset({"wall", "cpu"})
"""Limits that make a `timeout`."""

TOO_MUCH = frozenset({"output", "disk"})
"""Limits that make an `output`."""

LIMIT_OF_SIGNAL: dict[int, Limit] = {signal.SIGXCPU: "cpu", signal.SIGXFSZ: "disk"}
"""The limit that a process has met which the kernel ends by a signal."""

KILLED_FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM})
"""Signals that somebody else may have sent: without a limit that explains them, the infrastructure may be to blame."""

NO_COMMAND = re.compile(r"^sh: .*not found$", re.MULTILINE)
"""What a shell says of a command that is not installed: `infrastructure`."""


# pytest's, TAP's and plain lines; never the one on which a test merely mentions an error.
_START = r"^(?:E ++|# |[ \t]*+(?:=> )?)(?:Uncaught )?"
MEMORY = re.compile(
    _START + r"((?:MemoryError\b|.*(?:eap out of memory|std::bad_alloc|OutOfMemoryE(?:rror|xception))).*)", re.MULTILINE
)

_JAVA_SYNTAX = (
    r"(?:\S+ )*expected\b|illegal (?:start|character)|reached end of file|not a statement|unclosed|orphaned|malformed"
    r"|'(?:else|catch|finally|try)' without|invalid method declaration|class, interface|unnamed classes"
)
_CPP_SYNTAX = r"expected |stray |missing terminating|unterminated|extraneous "

TSC = _table(
    ("syntax", r"^(.*error TS1\d{3}\b.*)"),
    ("undefined-name", r"^(.*error TS(?:2304|2552|2503|258[0-4]|259[12]|18004)\b.*)"),
    ("compile", r"^(.*error TS\d+.*)"),
)
JAVAC = _table(
    ("syntax", rf"^(\S+\.java:\d+: error: (?:{_JAVA_SYNTAX}).*)"),
    (
        "undefined-name",
        r"^(\S+\.java:\d+: error: cannot find symbol)\n(?:.*\n){2}(?= *symbol: .*\n(?! *location: variable))",
    ),
    ("compile", r"^(\S+\.java:\d+: error: .*)"),
    ("compile", r"^(error: .*)"),
)
CXX = _table(
    ("syntax", rf"^(\S+:\d+(?::\d+)?: (?:fatal )?error: (?:{_CPP_SYNTAX}).*)"),
    (
        "undefined-name",
        r"^(\S+:\d+(?::\d+)?: error: .*(?:was not declared in this scope|use of undeclared identifier).*)",
    ),
    ("compile", r"^(\S+:\d+(?::\d+)?: (?:fatal )?error: .*)"),
    ("compile", r"^(.*: undefined reference to .*)"),
)
CSC = _table(
    (
        "syntax",
        r"^(.*\berror CS(?:1(?:00[1-9]|01\d|02\d|03\d|05[56]|5(?:1[0-9]|2[0-9]|3[0-9]|5[0-9]|6\d|8[0-9]))|80\d\d)\b.*)",
    ),
    ("undefined-name", r"^(.*\berror CS(?:0103|0246)\b.*)"),
    ("compile", r"^(.*\berror CS\d{4}\b.*)"),
)
BUILDS: Mapping[str, Table] = {"typescript": TSC, "java": JAVAC, "cpp": CXX, "csharp": CSC}


OTHER_TESTS = re.compile(
    r"(?P<section>=+ (?:PASSES|XPASSES|XFAILURES|warnings summary\b.*) =+$)"  # pytest
    r"|(?P<passed_on>std(?:out|err) \| .+)$"  # vitest
    r"|(?P<indent> *)(?:(?:not )?ok\b.* # (?i:todo|skip)\b|[✖⚠﹣✔] .* \([\d.]+ms\) # |console\.\w+$)"  # TAP, node's spec, jest
)
"""The first line of a part of a log that is about a test that did not fail, or of which that is not known."""
SECTION = re.compile(r"=+ .* =+$")
"""The heading of a section of pytest's."""


# An error as TAP's YAML has it: quoted by the mark that is not in it, or as a block.
_TAP = r"^[ \t]*error: (?:\|-\n[ \t]*|['\"])(.+?)['\"]?$"
_MORE = r"(?=(?:\n(?! *(?:\.\.\.|{until})).*){{0,40}}\n *{then})"
_FAULT = r"(?:[A-Za-z_$][\w.$]*)?(?:Error|Exception|Failure)(?=:|$| \[)"
_MAVEN = r"^(\[ERROR\] \S+\.java:\[\d+,\d+\] "
PROJECT = _table(
    ("indentation", _START + r"((?:IndentationError|TabError)\b.*)"),
    ("syntax", r"^(\S+:\d+:\d+: ERROR: .*)"),
    ("syntax", _START + r"((?:SyntaxError\b|Error: Transform failed|Error: Failed to parse source).*)"),
    ("syntax", r"^(\S+\.go:\d+:\d+: syntax error: .*)"),
    ("syntax", rf"{_MAVEN}(?:{_JAVA_SYNTAX}).*)"),
    ("undefined-name", _START + r"((?:NameError|UnboundLocalError|ReferenceError)\b.*)"),
    ("undefined-name", r"^[ \t]*error: ['\"](.* is not defined)['\"]$"),
    ("syntax", _TAP + _MORE.format(until="name: '(?!SyntaxError)", then=r"(?:wrapSafe|compileSourceTextModule) ")),
    ("undefined-name", r"^(error\[E042[35]\].*)"),
    ("undefined-name", r"^(\S+\.go:\d+:\d+: undefined: .*)"),
    ("undefined-name", rf"{_MAVEN}cannot find symbol.*)"),
    ("syntax", r"^(error: (?:expected|unexpected|mismatched|this file contains).*)"),
    *((verdict_class, pattern.pattern) for table in (TSC, JAVAC[:-1], CXX, CSC) for verdict_class, pattern in table),
    ("compile", r"^(error(?:\[E\d+\]: |: could not compile ).*)"),
    ("compile", rf"{_MAVEN}.*)"),
    ("compile", r"^(\S+\.(?:go|cs)\b[:(]\d+.*\berror\b.*|\S+\.go:\d+:\d+: .*)"),
)
# What stands first in the text counts, as runners tell failures one after the other.
FAILURES = _table(
    ("assertion", r"^E +((?:assert\b|AssertionError\b|Failed: ).*)"),
    (
        "assertion",
        _START + r"((?:[A-Za-z_][\w.]*\.)?(?:Assertion\w*(?:Error|Exception)|AssertionFailed|ComparisonFailure)\b.*)",
    ),
    ("assertion", r"^ +(expect\(.*\)\..*)"),
    ("assertion", r"^(\S+:\d+: Failure)$"),
    ("exception", r"^(\S+:\d+: ERROR: test case (?:THREW|CRASHED)\b.*)"),  # doctest of C++
    ("assertion", r"^(\S+:\d+: (?:FATAL )?ERROR: .*)"),
    ("assertion", r"^(.*: [Aa]ssertion .* failed\b.*)"),
    ("assertion", _TAP + _MORE.format(until="code:", then="code: 'ERR_ASSERTION'")),
    ("exception", _TAP + _MORE.format(until="name:", then=r"name: '(?!AssertionError)\w+")),
    ("assertion", r"^thread '.*?'.* panicked at .*\n(assertion .*)"),
    ("exception", r"^thread '.*?'.* panicked at .*\n(.*)"),
    ("exception", r"^(panic: .*)"),
    ("exception", r"^(?:Unhandled exception\. |Exception in thread \"[^\"]*\" )(.*)"),
    ("exception", r"^(terminate called .*)"),
    ("exception", _START + rf"({_FAULT}.*)"),
)
OTHERWISE = _table(
    ("failed", r"^E +(\S.*)"),
    ("failed", _TAP),
    ("failed", r"^\t +(?!.*\((?:Disabled|Skipped)\))(\d+ - .+)$"),  # ctest
    ("failed", r"^((?:FAILED|ERROR|FAIL|--- FAIL:) .*)"),
)


PYTHON_TRACEBACK = re.compile(r"^(?:  \+ )?(?:Exception Group )?Traceback \(most recent call last\):$", re.MULTILINE)
PYTHON_RAISED = re.compile(r"^(?:  \| )?([A-Za-z_][\w.]*)(?::.*)?$", re.MULTILINE)
PYTHON_CLASSES: dict[str, VerdictClass] = {
    "IndentationError": "indentation",
    "TabError": "indentation",
    "SyntaxError": "syntax",
    "NameError": "undefined-name",
    "UnboundLocalError": "undefined-name",
    "AssertionError": "assertion",
}
PYTHON_UNPARSED = re.compile(r"(?:\A|\n)  File \"(?!<)[^\n]*\n(?:    [^\n]*\n){0,4}((Indentation|Tab|Syntax)Error: .*)")


NODE_FATAL = re.compile(r"^Node\.js v\d", re.MULTILINE)
NODE_THROWN = re.compile(r"^(?:Uncaught )?([A-Za-z_$][\w.$]*)(?: \[\w+\])?(?::.*)?$", re.MULTILINE)
NODE_SOURCE_LINE = re.compile(r"^\S+:\d+\n(?:.*\n)(?:[ \t]*\^+[ \t]*\n)?", re.MULTILINE)
NODE_CLASSES: dict[str, VerdictClass] = {"ReferenceError": "undefined-name", "AssertionError": "assertion"}
NODE_LOADING = re.compile(
    r"^    at (?:wrapSafe|compileSourceTextModule|\S*(?:ModuleLoader|ModuleJob|ESMLoader))", re.MULTILINE
)


JAVA_UNCAUGHT = re.compile(r"^Exception in thread \"[^\"]*\" (.*)", re.MULTILINE)
JAVA_ASSERTED = re.compile(r"\b(?:AssertionError|AssertionFailedError|ComparisonFailure|AssertionFailed)\b")


CXX_RUN = _table(
    ("assertion", r"^(.*: Assertion [`'].*' failed\.)"),
    ("exception", r"^(terminate called after throwing an instance of .*(?:\n  what\(\): .*)?)"),
    ("exception", r"^(terminate called .*)"),
)
CSC_RUN = _table(
    ("assertion", r"^(?:Process terminated\. )?(Assertion [Ff]ailed.*)"),
    ("exception", r"^(Unhandled exception\. .*)"),
)
