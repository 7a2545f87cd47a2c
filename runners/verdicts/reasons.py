"""Why code failed, read from what compilers, interpreters and test runners write: tables, one for each of them.

In each table the order counts: what makes a file unreadable hides whatever else is wrong with it, and a name that is not
defined explains an assertion that fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from runners.verdicts.result import Class

Reason: TypeAlias = tuple[Class, str]
Table: TypeAlias = tuple[tuple[Class, re.Pattern[str]], ...]


def _table(*rows: tuple[Class, str]) -> Table:
    return tuple((klass, re.compile(pattern, re.MULTILINE)) for klass, pattern in rows)


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
    *((klass, pattern.pattern) for table in (TSC, JAVAC[:-1], CXX, CSC) for klass, pattern in table),
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
_OTHERWISE = _table(
    ("failed", r"^E +(\S.*)"),
    ("failed", _TAP),
    ("failed", r"^\t +(\d+ - .+)$"),
    ("failed", r"^((?:FAILED|ERROR|FAIL|--- FAIL:) .*)"),
)


@dataclass(frozen=True, slots=True)
class Written:
    """What a command wrote. `language` is that of a single program, empty for a project's tests.

    `began` says whether that program was started, or only built.
    """

    output: str
    errors: str
    language: str
    began: bool

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.output}\n{self.errors}"


def first_reason(written: Written) -> Reason | None:
    """Return the class and the line that explain a failure, or None if nothing known is said."""
    if not written.language:
        text = written.text
        return _search(PROJECT, text) or _earliest(FAILURES, text) or _search(_OTHERWISE, text)
    if not written.began:
        return _search(BUILDS[written.language], written.text) if written.language in BUILDS else None
    return _RUNS[written.language](written.errors) if written.language in _RUNS else None


def _search(table: Table, text: str) -> Reason | None:
    return next(((klass, found[1]) for klass, pattern in table if (found := pattern.search(text))), None)


def _earliest(table: Table, text: str) -> Reason | None:
    found = [
        (match.start(), order, klass, match[1])
        for order, (klass, pattern) in enumerate(table)
        if (match := pattern.search(text))
    ]
    return min(found)[2:] if found else None


_TRACE = re.compile(r"^(?:  \+ )?(?:Exception Group )?Traceback \(most recent call last\):$", re.MULTILINE)
_RAISED = re.compile(r"^(?:  \| )?([A-Za-z_][\w.]*)(?::.*)?$", re.MULTILINE)
_PYTHON: dict[str, Class] = {
    "IndentationError": "indentation",
    "TabError": "indentation",
    "SyntaxError": "syntax",
    "NameError": "undefined-name",
    "UnboundLocalError": "undefined-name",
    "AssertionError": "assertion",
}
_UNPARSED = re.compile(r"(?:\A|\n)  File \"(?!<)[^\n]*\n(?:    [^\n]*\n){0,4}((Indentation|Tab|Syntax)Error: .*)")


def _python(err: str) -> Reason | None:
    """Go by the last traceback: one that was printed before ended nothing. The program's own text may be unreadable."""
    traces = list(_TRACE.finditer(err))
    last = err[traces[-1].end() :] if traces else err
    if unread := list(_UNPARSED.finditer(last)):
        return _PYTHON[f"{unread[-1][2]}Error"], unread[-1][1]
    if not traces or not (raised := _RAISED.search(last)):
        return None
    klass = _PYTHON.get(raised[1], "exception")
    return "exception" if klass in {"syntax", "indentation"} else klass, raised[0].removeprefix("  | ")


_FATAL = re.compile(r"^Node\.js v\d", re.MULTILINE)
_THROWN = re.compile(r"^(?:Uncaught )?([A-Za-z_$][\w.$]*)(?: \[\w+\])?(?::.*)?$", re.MULTILINE)
_SHOWN = re.compile(r"^\S+:\d+\n(?:.*\n)(?:[ \t]*\^+[ \t]*\n)?", re.MULTILINE)
_NODE: dict[str, Class] = {"ReferenceError": "undefined-name", "AssertionError": "assertion"}
_LOADING = re.compile(
    r"^    at (?:wrapSafe|compileSourceTextModule|\S*(?:ModuleLoader|ModuleJob|ESMLoader))", re.MULTILINE
)


def _node(err: str) -> Reason | None:
    """Go by what stands before node's own name, which it writes when an error ends it."""
    if not (fatal := list(_FATAL.finditer(err))):
        return None
    told = err[: fatal[-1].start()]
    if shown := list(_SHOWN.finditer(told)):  # the line of the source, with a mark under it or not
        told = told[shown[-1].end() :]
    line = next((line for line in told.splitlines() if line.strip()), "")
    name = thrown[1] if (thrown := _THROWN.match(line)) else ""
    if name == "SyntaxError" and _LOADING.search(told):
        return "syntax", line
    return _NODE.get(name, "exception"), line


_UNCAUGHT = re.compile(r"^Exception in thread \"[^\"]*\" (.*)", re.MULTILINE)
_ASSERTED = re.compile(r"\b(?:AssertionError|AssertionFailedError|ComparisonFailure|AssertionFailed)\b")


def _java(err: str) -> Reason | None:
    if not (thrown := list(_UNCAUGHT.finditer(err))):
        return None
    line = thrown[-1][1]
    return "assertion" if _ASSERTED.search(line.split(":")[0]) else "exception", line


_CXX_RUN = _table(
    ("assertion", r"^(.*: Assertion [`'].*' failed\.)"),
    ("exception", r"^(terminate called after throwing an instance of .*(?:\n  what\(\): .*)?)"),
    ("exception", r"^(terminate called .*)"),
)
_CSC_RUN = _table(
    ("assertion", r"^(?:Process terminated\. )?(Assertion [Ff]ailed.*)"),
    ("exception", r"^(Unhandled exception\. .*)"),
)


def _cpp(err: str) -> Reason | None:
    reason = _search(_CXX_RUN, err)
    return (reason[0], re.sub(r"\n  what\(\): +", ": ", reason[1])) if reason else None


_RUNS: Mapping[str, Callable[[str], Reason | None]] = {
    "python": _python,
    "javascript": _node,
    "typescript": _node,
    "java": _java,
    "cpp": _cpp,
    "csharp": lambda err: _search(_CSC_RUN, err),
}
