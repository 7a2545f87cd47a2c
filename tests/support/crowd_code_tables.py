"""Tables as the recorders of crowd-code write them, of rows and of whole tapes."""

from replay.importers.crowd.table import import_table
from replay.tapes.tape import Edit, Open, Select, walk
from syntax.text import cut, length, splice

HEADER = "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type"


def row(sequence, kind, text="", *, file="a.py", at=0, length=0, language="python", t=None):
    """A row as the recorders build it (`buildCsvRow`): file and text in quotes, quotes doubled, white space as marks."""
    cell = (
        text.replace('"', '""').replace("\r\n", "\\r\\n").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    )
    if kind.startswith("terminal_"):
        file, language = "TERMINAL", ""
    return f'{sequence},{sequence * 10 if t is None else t},"{file}",{at},{length},"{cell}",{language},{kind}'


def table(path, *rows, header=HEADER):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8", newline="")
    return path


def imported(tmp_path, *rows, **options):
    return import_table(table(tmp_path / "source.csv", *rows, **options))


def rewritten(tape):
    """A tape's rows as crowd-code 1.1.3 would have written them, and the texts of its documents."""
    rows, texts = [], {}
    for _, event, documents in walk(tape):
        given = {"t": max(0, int(event.t))}
        doc = getattr(event, "doc", None)
        file, held = documents.paths.get(doc), documents.texts[doc] if doc in documents.paths else ""
        if isinstance(event, Open):
            rows.append(row(len(rows), "tab", event.text, file=event.path, language=event.language, **given))
            texts.setdefault(event.path, [event.text])
        elif isinstance(event, Edit):
            given |= {"file": file, "language": documents.languages[doc]}
            for start, end, text in sorted(event.changes, reverse=True):
                rows.append(row(len(rows), "content", text, at=start, length=end - start, **given))
            texts[file] += [after] if (after := splice(held, event.changes)) != texts[file][-1] else []
        elif isinstance(event, Select) and event.ranges and max(event.ranges[0]) <= length(held):
            start, end = sorted(event.ranges[0])
            given |= {"file": file, "language": documents.languages[doc], "at": start, "length": end - start}
            rows.append(row(len(rows), "selection_mouse", cut(held, start, end), **given))
    return rows, texts
