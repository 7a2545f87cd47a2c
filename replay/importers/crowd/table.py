"""Import of vs-code-recorder and crowd-code 1.x: one table a session (docs/importers.md says what is kept).

A `tab` row opens a document; its text, if it has one, is the whole document. A `content` row is a change, a `selection_*` row
the main cursor, a `terminal_*` row a command or its output. The recorder sees only the active editor: changes by other
programs and extensions are missing until a `tab` row has the text again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from replay.importers.building.language_ids import language_id
from replay.importers.building.tape_builder import ImportedTape, TapeBuilder
from replay.importers.building.test_runs import TestWatch
from replay.importers.crowd.table_rows import TableRow, grouped, read_rows
from replay.importers.errors import locate
from replay.tapes.authors.change_reasons import certain_reason
from syntax.text import Change, cut, length, splice

FORMAT = "crowd-code@1"
_STAMP = re.compile(r"(\d{4})_(\d\d)_(\d\d)-(\d\d)\.(\d\d)\.(\d\d)\.(\d{1,3})")
_WEIGHED = 2_000
"""Following rows of a document that decide which of two readings of its text is right."""


def import_table(path: Path) -> ImportedTape:
    """Read a table, and apply each of its events.

    Raises:
        RecordingError: the table is malformed, or a change lies outside its document.

    """
    importing = _Import(path, read_rows(path))
    for group in grouped(importing.rows):
        importing.take(group)
    return importing.finish()


def table_name(path: Path) -> str:
    """The name of the tape: the folder's name if the file is `source.csv` or `recording.csv`, else the file's."""
    return path.absolute().parent.name if path.stem in {"source", "recording"} else path.stem


class _Import:
    def __init__(self, path: Path, rows: Sequence[TableRow]) -> None:
        self.path, self.rows = path, rows
        self.builder = TapeBuilder(str(path), FORMAT)
        self.watch = TestWatch()
        self.later = _by_file(rows)
        # crowd-code writes a document's text once (and again after a checkout), vs-code-recorder with every tab row
        self.once = any(row.type not in {"tab", "content"} for row in rows)
        self.given: set[str] = set()
        self.aside: dict[str, str] = {}

    def take(self, group: Sequence[TableRow]) -> None:
        """Turn rows that belong together into events."""
        with locate(self.path, group[0].number, "row"):
            self._take(group)

    def finish(self) -> ImportedTape:
        return self.builder.finish(table_name(self.path), editor="vscode", created=_created(self.path))

    def _take(self, group: Sequence[TableRow]) -> None:
        row = group[0]
        match row.type:
            case "tab" if _is_document(row):
                self._tab(row)
            case "content" if _is_document(row):
                self._content(group)
            case "selection_keyboard" | "selection_mouse" | "selection_command" if _is_document(row):
                self._select(row)
            case "terminal_command" | "terminal_output":
                self._terminal(row)
            case _:
                self._other(group)

    def _other(self, group: Sequence[TableRow]) -> None:
        for row in group:
            if row.type == "git_branch_checkout":
                self.given.clear()
            self.builder.foreign(row.time, row.entry())

    def _tab(self, row: TableRow) -> None:
        first = row.file not in self.given
        self.given.add(row.file)
        if row.text or first or not self.once:
            self._text(row)
        elif (text := self.aside.pop(row.file, None)) is not None:
            self.builder.settle(row.time, row.file, text)
        self.builder.focus(row.time, row.file)

    def _text(self, row: TableRow) -> None:
        """Take the whole text of a document. If an open document has another text, a change is missing, or the row is of a diff."""
        if not self.builder.is_open(row.file):
            language = row.language or language_id(row.file)
            self.builder.open(row.time, row.file, language, self._read(row, language))
            return
        held = self.builder.text(row.file) or ""
        text = held if escape(held) == row.text else self._read(row, row.language)
        if self.once and text != held:
            self.aside[row.file] = held
        self.builder.settle(row.time, row.file, text)

    def _read(self, row: TableRow, language: str) -> str:
        texts = readings(row.text, language, line_end(row.text))
        return texts[0] if len(texts) == 1 else min(texts, key=lambda text: _faults(text, self._after(row)))

    def _after(self, row: TableRow) -> Sequence[TableRow]:
        """The rows after this one that belong to the same document."""
        rows = self.later[row.file]
        first = bisect_right(rows, row.sequence, key=lambda each: each.sequence)
        return rows[first : first + _WEIGHED]

    def _content(self, group: Sequence[TableRow]) -> None:
        row = group[0]
        if not self.builder.is_open(row.file):
            raise ValueError(f"{row.file} changes before a tab row has its text")
        self.aside.pop(row.file, None)
        held = self.builder.text(row.file) or ""
        if row.end > (size := length(held)):
            raise ValueError(
                f"{row.file}: edit [{row.offset}, {row.end}] lies outside its document of {size} UTF-16 code units: the "
                "recorder missed changes before this row"
            )
        changes = [_changes(held, each)[0] for each in group]
        for place, each in enumerate(group):
            choices = _changes(held, each)
            if len(choices) > 1:
                others = [*changes[:place], *changes[place + 1 :]]
                after = self._after(group[-1])
                changes[place] = min(choices, key=lambda choice: _faults(splice(held, [*others, choice]), after))
        self.builder.edit(row.time, row.file, changes, certain_reason(changes))

    def _select(self, row: TableRow) -> None:
        held = self.builder.text(row.file) if self.builder.is_open(row.file) else None
        if held is not None and _selects(held, row):
            self.builder.select(row.time, row.file, [(row.offset, row.end)])
        else:
            self.builder.foreign(row.time, row.entry())

    def _terminal(self, row: TableRow) -> None:
        text = unescape(row.text)
        run = None
        if row.type == "terminal_command":
            self.watch.started(text)
        else:
            run = self.watch.printed(row.time, text)
        self.builder.foreign(row.time, row.entry(), run)


def _is_document(row: TableRow) -> bool:
    """Whether a row belongs to a file. Changes of output channels are not recorded, and all cells of a notebook have one name."""
    return (
        bool(row.file)
        and not row.file.startswith("extension-output-")
        and row.language != "Log"
        and not (row.file.endswith(".ipynb") and row.language != "json")
    )


def _changes(held: str, row: TableRow) -> tuple[Change, ...]:
    """The changes that a row may mean, the likeliest first; the text left of it decides between them."""
    if "\\" not in row.text or row.end > length(held):
        return ((row.offset, row.end, unescape(row.text)),)
    end = r"\r\n" if "\r\n" in held else r"\n" if "\n" in held else line_end(row.text)
    texts = readings(row.text, row.language or language_id(row.file), end, cut(held, 0, row.offset))
    return tuple((row.offset, row.end, text) for text in texts)


def _selects(held: str, row: TableRow) -> bool:
    """Whether the text at the selection equals the recorded one."""
    return row.end <= length(held) and escape(cut(held, row.offset, row.end)) == row.text


def _by_file(rows: Iterable[TableRow]) -> dict[str, list[TableRow]]:
    by_file: dict[str, list[TableRow]] = {}
    for row in rows:
        by_file.setdefault(row.file, []).append(row)
    return by_file


def _faults(text: str, rows: Iterable[TableRow]) -> int:
    """How many of the following rows, up to the next whole text of the document, do not fit this text."""
    faults = 0
    for row in _until_text(rows):
        if row.type.startswith("selection_"):
            faults += not _selects(text, row)
        elif row.end > length(text):
            faults += 1
        else:
            text = splice(text, _changes(text, row)[:1])
    return faults


def _until_text(rows: Iterable[TableRow]) -> Iterator[TableRow]:
    for row in rows:
        if row.type == "tab" and row.text:
            return
        if row.type == "content" or row.type.startswith("selection_"):
            yield row


def _created(path: Path) -> str:
    """The local time in the name of the folder or file; empty if there is none."""
    stamp = _STAMP.search(path.name) or _STAMP.search(path.absolute().parent.name)
    if stamp is None:
        return ""
    year, month, day, hour, minute, second, millis = stamp.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}.{millis.zfill(3)}"


# Text as vs-code-recorder and crowd-code 1.x write it into a table: new lines and tabs as `\n`, `\r\n`,
# `\r`, `\t`.
#
# A backslash of the text itself is not escaped. So `\n` in a table is a new line, or the two characters of a program's own
# `"\n"`: the format does not say which. Two rules help to decide: a document of VS Code has one kind of line end, and a string
# in quotes has no new line.

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
