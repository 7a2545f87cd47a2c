r"""Text as vs-code-recorder and crowd-code 1.x write it into a table: new lines and tabs as `\n`, `\r\n`, `\r`, `\t`.

A backslash of the text itself is not escaped. So `\n` in a table is a new line, or the two characters of a program's own
`"\n"`: the format does not say which. Two rules help to decide: a document of VS Code has one kind of line end, and a string
in quotes has no new line.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"\\r\\n|\\n|\\r|\\t")
_PLAIN = {r"\r\n": "\r\n", r"\n": "\n", r"\r": "\r", r"\t": "\t"}
_ENTER = re.compile(r"(?:\\r\\n|\\n|\\t| )*")
_QUOTES = frozenset("\"'")
_REGEX_LITERALS = frozenset({"javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte"})
_REGEX = r"(?<=[(,=:\[!&|?{};])[ ]?/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/"
_NAME = 12
_OPENED = re.compile(r"(['\"`])[^\s'\"`]*\Z")
_CLOSES_WITHIN = 400
"""The most characters between two quotes of a string."""
_PROSE = frozenset(
    {"markdown", "plaintext", "latex", "log", "html", "xml", "csv", "restructuredtext", "git-commit", "bibtex"}
)
_HASH = frozenset(
    {"python", "shellscript", "ruby", "yaml", "toml", "perl", "r", "makefile", "dockerfile", "powershell"}
)
_DOUBLE_ONLY = frozenset({"json", "jsonc", "jsonl", "rust", "clojure", "haskell", "lisp", "verilog", "vhdl"})


def escape(text: str) -> str:
    """A text as the recorders write it, before the quotes are doubled for the table."""
    for plain, mark in (("\r\n", r"\r\n"), ("\n", r"\n"), ("\r", r"\r"), ("\t", r"\t")):
        text = text.replace(plain, mark)
    return text


def unescape(raw: str) -> str:
    """A text in which each mark is read as its character, as the recorders' own players do."""
    return _MARK.sub(lambda mark: _PLAIN[mark[0]], raw)


def line_end(raw: str) -> str | None:
    """The marks that end the lines of a whole document; None if it has none."""
    crlf = raw.count(r"\r\n")
    lf = raw.count(r"\n") - crlf
    if not crlf and not lf:
        return None
    return r"\r\n" if crlf >= lf else r"\n"


def readings(raw: str, language: str, end: str | None, before: str = "") -> tuple[str, ...]:
    """The texts that a recorded text may mean, the likeliest first; only one if there is no doubt.

    `end` is the mark that ends the document's lines (None if it has only one line), `before` the text left of it in the
    document.
    """
    plain = unescape(raw)
    if "\\" not in raw or _ENTER.fullmatch(raw):
        return (plain,)
    read = (_Reader(language, end, templates=templates).read(raw, before) for templates in (False, True))
    return tuple(dict.fromkeys((*read, plain)))


class _Reader:
    """Reads a text like a lexer that knows only strings and comments."""

    def __init__(self, language: str, end: str | None, *, templates: bool) -> None:
        self.end, self.templates = end, templates
        self.comment = "#" if language in _HASH else "//"
        quotes = '"' if language in _DOUBLE_ONLY else "\"'"
        code = rf"{_MARK.pattern}|\n|{self.comment}|/\*|\*/|\"\"\"|'''|`|[{quotes}]"
        regex = f"{_REGEX}|" if language in _REGEX_LITERALS else ""
        # a backslash can end a line; two before a letter are the program's own; a tab never follows one
        self.outside = _MARK if language in _PROSE else re.compile(rf"{regex}\\\\t|{code}")
        self.block = _MARK if language in _PROSE else re.compile(rf"\\\\[nrt]|{code}")
        self.quoted = re.compile(rf"{_MARK.pattern}|\n|\\.|[\"']")
        self.inside = ""  # the open quote, comment or block

    def read(self, raw: str, before: str) -> str:
        self._go(before, marks=False)
        return self._go(raw, marks=True)

    def _go(self, text: str, *, marks: bool) -> str:
        parts, at = [], 0
        while found := self._signs().search(text, at):
            parts += [text[at : found.start()], self._step(text, found, marks=marks)]
            at = found.end()
        return "".join([*parts, text[at:]])

    def _signs(self) -> re.Pattern[str]:
        if not self.inside:
            return self.outside
        return self.quoted if self.inside in _QUOTES else self.block

    def _step(self, text: str, found: re.Match[str], *, marks: bool) -> str:
        """Read one sign; returns the text that it means."""
        sign = found[0]
        if sign == "\n" or (marks and sign in _PLAIN):
            return self._mark(sign, named=self._is_named(text, found))
        if not self.inside:
            self._open(text, found)
        elif sign == self.inside or (self.inside == "/*" and sign == "*/"):
            self.inside = ""
        return sign

    def _mark(self, sign: str, *, named: bool) -> str:
        line = sign != r"\t"
        literal = named or self.inside in _QUOTES or (line and self.end not in {None, sign})
        if sign in _PLAIN and literal:
            return sign
        if line and self.inside in {"#", "//", *_QUOTES}:
            self.inside = ""
        return _PLAIN.get(sign, sign)

    def _is_named(self, text: str, found: re.Match[str]) -> bool:
        """Whether a mark in a comment or a text block means itself."""
        if self.templates and self.inside == "`" and text[found.start() - 1] != "`":
            return bool(re.match(r"[^\s\\`]", text[found.end() : found.end() + 1]))
        return bool(self.inside) and _is_quoted(text, found)

    def _open(self, text: str, found: re.Match[str]) -> None:
        sign = found[0]
        if sign in _QUOTES:
            closes = text.find(sign, found.end(), found.end() + _CLOSES_WITHIN)
            self.inside = sign if closes >= 0 else ""
        elif sign in {self.comment, "/*", '"""', "'''", "`"}:
            self.inside = sign


def _is_quoted(text: str, found: re.Match[str]) -> bool:
    """Whether a mark is in quotes without a space, as in a comment about it."""
    opened = _OPENED.search(text[max(0, found.start() - _NAME) : found.start()])
    if opened is None:
        return False
    closes = rf"[^\s'\"`]{{0,{_NAME}}}{opened[1]}(?!{opened[1]})"
    return bool(re.match(closes, text[found.end() : found.end() + 2 * _NAME]))
