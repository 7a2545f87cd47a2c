"""Tapes, recordings, archives, settings and answers made to harm: each is refused in words, or done with, in little time and memory.

Each case runs in a process of its own with limits of processor time and memory: what exceeds them, or fails with an error that
nobody would understand, fails its test.
"""

import gzip
import io
import json
import os
import resource
import tarfile
import traceback
from contextlib import suppress
from pathlib import Path

import pytest

from replay.errors import ReplayError
from replay.importers.formats import format_of, tapes_of
from replay.tapes import tape
from server.errors import ServerRoomError, SettingsError
from server.repair.chain import repair
from server.repair.draft import Draft
from server.repair.offer import offered
from server.settings import Settings, merge
from syntax.languages import language_of
from tui.commands.options.configuration import FILE, settings_of
from tui.errors import TuiError

CPU_S, MEMORY = 30, 3 << 30
HEADER = json.dumps(
    {"tape": 1, "id": "x", "editor": "e", "origin": "recorded", "workspace": {"type": "folder", "path": "p"}}
)
OPEN = json.dumps({"event": "open", "t": 0, "doc": 0, "path": "a.py", "language": "python", "text": "x = 1\n"})
_CHUNKS = [gzip.compress(byte * (1 << 20), 9) for byte in (b" ", b"[", b"\0")]


def bomb(kind, gigabytes=4):
    """A gzip file of a few megabytes that unpacks to so many gigabytes of one character."""
    return _CHUNKS[kind] * (gigabytes << 10)


def event(**fields):
    return json.dumps(fields)


def lines(*given):
    return "\n".join([HEADER, *given]).encode("utf-8", "surrogatepass") + b"\n"


def edits(*changes):
    return lines(OPEN, event(event="edit", t=1, doc=0, changes=list(changes), reason="type"))


TAPES = {
    "one line of 4 GiB, packed": lambda: gzip.compress(HEADER.encode() + b"\n") + bomb(0),
    "a header of 4 GiB, packed": lambda: bomb(0),
    "brackets without end": lambda: lines("[" * 1_000_000),
    "objects in objects": lambda: lines('{"event":' * 200_000),
    "no line end in 70 MB": lambda: HEADER.encode() + b"\n" + b'"' + b"x" * (70 << 20),
    "offsets beyond all numbers": lambda: edits([10**400, 10**400, ""]),
    "offsets beyond 64 bits": lambda: edits([0, 2**64, "x"]),
    "negative offsets": lambda: edits([-5, -1, "x"]),
    "an end before its start": lambda: edits([3, 1, "x"]),
    "overlapping changes": lambda: edits([0, 3, "x"], [1, 4, "y"]),
    "a hundred thousand changes at one place": lambda: edits(*([0, 0, "x"] for _ in range(100_000))),
    "a path out of the project": lambda: lines(OPEN.replace("a.py", "../../etc/passwd")),
    "an absolute path": lambda: lines(OPEN.replace("a.py", "/etc/passwd")),
    "a path with a NUL": lambda: lines(OPEN.replace("a.py", "a\\u0000b")),
    "a path of a megabyte": lambda: lines(OPEN.replace("a.py", "a/" * 500_000 + "b")),
    "half a character": lambda: lines(OPEN.replace("x = 1", "\\ud800")),
    "bytes that are no text": lambda: HEADER.encode() + b"\n\xff\xfe\x00\n",
    "a number that is none": lambda: lines(OPEN.replace('"t": 0', '"t": NaN')),
    "a time of endless digits": lambda: lines(OPEN.replace('"t": 0', '"t": ' + "9" * 100_000)),
    "a version of the future": lambda: HEADER.replace('"tape": 1', '"tape": 999999999').encode() + b"\n",
    "a packed file that is cut off": lambda: gzip.compress(lines(OPEN))[:-9],
    "a packed file with a wrong sum": lambda: gzip.compress(lines(OPEN))[:-8] + b"\0" * 8,
    "the same document a thousand times": lambda: lines(*[OPEN] * 1000),
}


def archive(*members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as made:
        for name, kind, link, content in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content)
            made.addfile(info, io.BytesIO(content))
    return packed.getvalue()


RECORDINGS = {
    "a recording of 4 GiB, packed": lambda: bomb(1),
    "an archive of 4 GiB, packed": lambda: bomb(2),
    "an archive that leads out": lambda: archive(
        ("../../x.csv", tarfile.REGTYPE, "", b"a,b\n1,2\n"), ("/etc/x", tarfile.REGTYPE, "", b"")
    ),
    "an archive of links and devices": lambda: archive(
        ("a", tarfile.SYMTYPE, "/etc/passwd", b""), ("b", tarfile.LNKTYPE, "../x", b""), ("c", tarfile.CHRTYPE, "", b"")
    ),
    "an archive of 100,000 members": lambda: archive(*((f"f{n}", tarfile.REGTYPE, "", b"") for n in range(100_000))),
    "a recording of brackets": lambda: (
        b'{"kind": "header", "documentType": "workspaceRecording@1.0", "log": ' + b"[" * 1_000_000
    ),
    "a table of 100,000 columns": lambda: (
        b",".join(b"c%d" % n for n in range(100_000)) + b"\n" + b",".join([b"1"] * 100_000) + b"\n"
    ),
    "a table with one field of 20 MB": lambda: (
        b'Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type\n1,2,a,0,0,"' + b"x" * (20 << 20)
    ),
    "a table of NULs": lambda: b"Sequence,Time,File,RangeOffset,RangeLength,Text,Language,Type\n" + b"\0" * 100_000,
    "a recording that is a list": lambda: b"[1, 2, 3]",
}


SETTINGS = {
    "a file that names a program": "[server.provider]\nname = 'lsp'\ncommand = 'sh -c id'\n",
    "a file that gives keys to a program": "[server.provider]\nname = 'lsp'\npass_keys = ['OPENAI_API_KEY']\n",
    "a file that names a place to write": "[server.provider.record]\npath = '/etc/cron.d/x'\nmode = 'write'\n",
    "a file that names a server elsewhere": "[server.provider]\nname = 'openai'\nbase_url = 'http://127.0.0.1@example.com/'\n",
    "a file that names a model to load": "[server.provider]\nmodel = '/dev/zero'\n",
    "a file of nested lists": "x = " + "[" * 50_000 + "]" * 50_000,
    "a file of nested tables": "[" + ".".join(["a"] * 50_000) + "]\n",
    "a file of endless digits": "[server.provider]\nmax_tokens = " + "9" * 100_000 + "\n",
    "a file of no number": "[server.provider]\ntimeout_s = nan\ntemperature = inf\n",
}
OVER_LSP = {
    "numbers beyond all limits": {"provider": {"max_tokens": 10**30}},
    "members of other types": {"provider": [1, {"name": None}]},
    "a wait without end": {"provider": {"timeout_s": float("inf")}},
    "a name of no field": {"provider": {"x" * 1000: 1}},
}
SIZE = 60_000
"""Characters of a text that a repair is given: below its own limit."""
ANSWERS = {
    "backticks": "`" * SIZE,
    "fences in fences": "```python\n" * (SIZE // 10),
    "white space and a letter": " " * SIZE + "x",
    "tabs and line ends": "\t\r\n" * (SIZE // 3),
    "open brackets": "([{" * (SIZE // 3),
    "comments that open": "/*" * (SIZE // 2),
    "quotes": "'\"" * (SIZE // 2),
    "one word again and again": "so " * (SIZE // 3),
    "one line again and again": "x = x + 1\n" * (SIZE // 10),
    "a prompt's words": "Here is the code: " * (SIZE // 18) + ":",
    "special tokens": "<|endoftext|" * (SIZE // 12),
    "backslashes": "\\" * SIZE,
}
LONG = SIZE // 2
DOCUMENTS = {
    "a line of members": ("x = " + "a." * (LONG // 2), "\n", "b()"),
    "a line of tags": ("const a = " + "<a" * (LONG // 2) + "\n", "\n", "    <b>x</b>"),
    "a tag with an endless name": ("<", "</p>\n", "a" * LONG + "</p>"),
    "closers without end": ("f(", ")" * LONG + "\n", "x" + ")" * LONG),
}
"""What stands before the cursor and behind it, and an answer."""


def read_tape(content, folder):
    path = folder / ("x.tape.jsonl.gz" if content[:2] == b"\x1f\x8b" else "x.tape.jsonl")
    path.write_bytes(content)
    tape.read(path)


def read_recording(content, folder):
    path = folder / (
        "x.tar.gz" if content[:2] == b"\x1f\x8b" else "x.csv" if content[:3] in {b"Seq", b"c0,"} else "x.json"
    )
    path.write_bytes(content)
    for _ in tapes_of(path, format_of(path)):
        pass


def in_a_process(work):
    """Do the work in a child with limits; return "done", "refused", or what went wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with suppress(BaseException):
            os.write(writer, _outcome(work).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        said = file.read().decode()
    _, status = os.waitpid(child, 0)
    return said or f"ended by {status}: too much processor time or memory"


def _outcome(work):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    spent = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_S, spent + CPU_S + 1))
    try:
        work()
    except (ReplayError, TuiError, ServerRoomError) as error:
        return "refused" if len(str(error)) < 2000 else "an error of endless words"
    except BaseException:  # noqa: BLE001 - it is what is looked for
        return traceback.format_exc()
    return "done"


def test_there_are_more_than_forty():
    assert len(TAPES) + len(RECORDINGS) + len(SETTINGS) + len(OVER_LSP) + len(ANSWERS) + len(DOCUMENTS) >= 61


@pytest.mark.parametrize("name", TAPES)
def test_a_tape_made_to_harm_is_refused(name, tmp_path):
    content = TAPES[name]()
    whole = name == "a hundred thousand changes at one place"
    assert in_a_process(lambda: read_tape(content, tmp_path)) == "refused" or whole


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recording_made_to_harm_is_refused(name, tmp_path):
    content = RECORDINGS[name]()
    assert in_a_process(lambda: read_recording(content, tmp_path)) == "refused"


@pytest.mark.parametrize("name", SETTINGS)
def test_a_folders_settings_made_to_harm_are_refused(name, tmp_path):
    (tmp_path / FILE).write_text(SETTINGS[name])
    assert in_a_process(lambda: settings_of("{}", {}, tmp_path)) == "refused"


@pytest.mark.parametrize("name", OVER_LSP)
def test_settings_that_a_client_sends_are_refused_in_few_words(name):
    with pytest.raises(SettingsError) as raised:
        merge(Settings(), OVER_LSP[name])
    assert len(str(raised.value)) < 2000


@pytest.mark.parametrize("language", ["python", "typescript", "cpp"])
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_made_to_harm_is_repaired_in_time(name, language):
    draft = Draft(language_of(language), "def f():\n    ", "\nf()\n", ANSWERS[name])
    assert in_a_process(lambda: repair(draft)) == "done"


@pytest.mark.parametrize("language", [None, "python", "typescriptreact"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_answer_in_a_document_made_to_harm_is_repaired_in_time(name, language):
    draft = Draft(language and language_of(language), *DOCUMENTS[name])
    assert in_a_process(lambda: offered(draft)) == "done"
