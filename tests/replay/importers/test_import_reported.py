"""Tables and recordings as public bug reports describe them: read as they are meant, or refused with the place, the reason and what to do."""

from __future__ import annotations

import gzip
import json

import pytest

from replay.errors import ReplayError
from replay.importers.import_batch import import_many
from replay.tapes import tape as tapes
from replay.tapes.tape import verify

HEADER = "Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type"
ROWS = [HEADER, '1,0,"a.py",0,0,"x = 1",python,tab', '2,5,"a.py",5,0,"0",python,content']
MAIN = "EventID,SubjectID,EventType,Order,CodeStateSection,SourceLocation,InsertText,DeleteText"
LOG = json.dumps(
    {
        "log": [
            {"kind": "header", "documentType": "workspaceRecording@1.0", "repoRootUri": "", "time": 5, "uuid": "u"},
            {"kind": "documentEncountered", "id": 0, "time": 6, "relativePath": "a.py"},
            {"kind": "setContent", "id": 0, "time": 6, "v": 1, "content": "x = 1"},
            {"kind": "changed", "id": 0, "time": 9, "edit": [[5, 5, "0"]], "v": 2},
        ]
    }
)
SEEN = {"type": "observation", "observation": {"viewport": {"file": "a.py", "startLine": 1, "content": "x = 10"}}}
CHUNK = json.dumps(
    {"version": "2.0", "sessionId": "s", "startTime": 1.7e12, "events": [{"sequence": 1, "timestamp": 1.7e12, **SEEN}]}
)


def table(*rows, end="\n"):
    return end.join(rows) + end


def main_table(*rows, header=MAIN):
    return {"d/MainTable.csv": table(header, *rows).encode()}


def imported(folder, files):
    """The finished text of the only document; or the refusal, without the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    name = next(iter(files))
    try:
        report = import_many([folder / name.partition("/")[0]], folder / "out")
    except ReplayError as error:
        return str(error).replace(f"{folder}/", "")
    [(_, text)] = verify(tapes.read(next((folder / "out").glob("*.jsonl")))).finished().items()
    assert report.tapes == 1
    return text


READ = {
    "lines that end in CR alone, of Excel for Mac (votingworks/arlo#883)": {"source.csv": table(*ROWS, end="\r").encode()},
    "semicolons, of Excel in Europe (asafdav/ng-csv#28)": {"source.csv": table(*ROWS).replace(",", ";").encode()},
    "UTF-16 with tabs, Excel's Unicode Text": {"source.csv": table(*ROWS).replace(",", "\t").encode("utf-16")},
    "UTF-16 without a mark": {"source.csv": table(*ROWS).encode("utf-16-be")},
    "a byte order mark before JSON (axodotdev/axoasset#87)": {"r.w.json": b"\xef\xbb\xbf" + LOG.encode()},
    "JSON that PowerShell wrote with > (jotaen/klog#217)": {"r.w.json": LOG.encode("utf-16")},
    "a chunk in UTF-16 (jqlang/jq#2351)": {"chunk_000.json": CHUNK.encode("utf-16")},
    "whole numbers with .0 (SEL-Columbia/bamboo#349)": {
        "source.csv": table(HEADER, '1.0,0.0,a.py,0.0,0.0,"x = 1",python,tab', '2.0,5.0,a.py,5.0,0.0,"0",python,content').encode()
    },
    "rows of nothing but commas (votingworks/arlo#734)": {"source.csv": table(*ROWS, ",,,,,,,", ",,,,,,,").encode()},
    "a packed table": {"source.csv.gz": gzip.compress(table(*ROWS).encode())},
    "a column of pandas' index (cpadavis/billy#18)": main_table("0,1,S,File.Edit,1,a.py,0,x = 1,", "1,2,S,File.Edit,2,a.py,5,0,", header=f",{MAIN}"),
    "a main table of another name": {"events.csv": table(MAIN, "1,S,File.Edit,1,a.py,0,x = 10,").encode()},
    "places with their form": main_table("1,S,File.Edit,1,a.py,Text:0,x = 0,", "2,S,File.Edit,2,a.py,text:4-4,1,"),
    "places and an order with .0": main_table("1,S,File.Edit,2.0,a.py,5.0,0,", "2,S,File.Edit,1.0,a.py,0.0,x = 1,"),
    "an edit at 0, which SQLiteToProgSnap2 writes without a place": main_table("1,S,X-FileInit,1,a.py,,= 10,", "2,S,File.Edit,2,a.py,,x ,"),
    "a first edit without a place": main_table("1,S,File.Edit,1,a.py,,x = 1,", "2,S,File.Edit,2,a.py,5,0,"),
    "the first text, as SQLiteToProgSnap2 writes it": main_table("1,S,X-FileInit,1,a.py,0,x = 1,", "2,S,File.Edit,2,a.py,5,0,"),
}  # fmt: skip
REFUSED = [
    ({"x.csv": b"a\rb\n"}, "x.csv: is of no format that can be imported"),
    ({"r.w.json": LOG.replace('"changed"', '["changed"]').encode()}, "r.w.json: entry 3: Expected `str`, got `array`"),
    ({"source.csv": table(*ROWS, "3,9,a.py,0,0,é,python,content").encode("cp1252")}, "source.csv: line 4: is not a table in UTF-8 (invalid continuation byte): save it as CSV in UTF-8"),
    ({"source.csv": table(*ROWS, "3,9,a.py,0,0,two\rowt,python,content").encode()}, "source.csv: row 4: has too few or too many cells"),
    ({"source.csv": b"\xff\xfe" + table(*ROWS).encode("utf-16-le") + b"\x00\xd8\x20"}, "source.csv: is not a table in UTF-16"),
    (main_table("1,S,File.Edit,1,a.py,0,x,", "2,S,File.Edit,2,a.py,Text:3:7,y,"), "d/MainTable.csv: row 3: SourceLocation 'Text:3:7' is no offset"),
    (main_table("1,S,File.Edit,1,a.py,,= 10,", "2,S,File.Edit,2,a.py,,x ,"), "d/MainTable.csv: row 3: SourceLocation '' is no offset"),
    (main_table("1,S,File.Edit,1,a.py,0,x,", "2,S,File.Edit,2,a.py,9,y,"), "d/MainTable.csv: row 3: a.py: edit [9, 9] lies outside"),
]  # fmt: skip


@pytest.mark.parametrize("files", READ.values(), ids=READ)
def test_what_is_written_in_another_way_is_read_as_it_is_meant(files, tmp_path):
    assert imported(tmp_path, files) == "x = 10"


@pytest.mark.parametrize(("files", "reason"), REFUSED)
def test_what_cannot_be_read_is_refused_with_its_place_and_reason(files, reason, tmp_path):
    assert imported(tmp_path, files).startswith(reason)


def test_a_cell_may_hold_a_whole_document(tmp_path):
    text = "x" * 300_000
    files = {"source.csv": table(HEADER, f'1,0,a.py,0,0,"{text}",python,tab').encode()}
    assert imported(tmp_path, files) == text
