"""Standard output carries the protocol and nothing else, whatever a library prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

from tests.support.places import ROOT
from tests.support.preloaded import preloaded_script
from tests.support.waiting import PATIENCE_S


def _message(value) -> bytes:
    body = json.dumps(value).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def _session() -> bytes:
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": "def f():\n    "}
    where = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 1, "character": 4}}
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 2, "method": "textDocument/inlineCompletion", "params": {**where, "context": {"triggerKind": 1}}},
        {"id": 3, "method": "nonsense", "params": {}},
        {"method": "nonsense/too", "params": {}},
        {"id": 4, "method": "ghosttape/explain", "params": where},
    ]
    return b"".join(_message({"jsonrpc": "2.0", **message}) for message in messages)


def _parsed(stream: bytes) -> list[dict]:
    """Every message of the stream; fails on a byte that belongs to none."""
    messages = []
    while stream:
        head, separator, rest = stream.partition(b"\r\n\r\n")
        assert separator, f"not LSP: {stream[:80]!r}"
        fields = dict(line.split(b": ") for line in head.split(b"\r\n"))
        assert set(fields) <= {b"Content-Length", b"Content-Type"}, head
        size = int(fields[b"Content-Length"])
        messages.append(json.loads(rest[:size]))
        stream = rest[size:]
    return messages


def _run(argv, **options) -> tuple[list[dict], bytes]:
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    assert process.stdin
    assert process.stdout
    process.stdin.write(_session())
    process.stdin.flush()
    received = b""
    while b'"id": 4' not in received and b'"id":4' not in received:
        piece = os.read(process.stdout.fileno(), 65536)
        assert piece, received
        received += piece
    rest, errors = process.communicate(_message({"jsonrpc": "2.0", "method": "exit"}), timeout=PATIENCE_S)
    return _parsed(received + rest), errors


def test_the_whole_stream_is_lsp():
    flags = ["serve", "--stdio", "--provider", "fixed", "--text", "return 1"]
    messages, _ = _run([preloaded_script(), *flags])
    by_id = {message.get("id"): message for message in messages}
    assert by_id[2]["result"][0]["insertText"] == "return 1"
    assert by_id[3]["error"]["code"] == -32601
    assert by_id[4]["result"]["outcome"] == "shown"


def test_what_libraries_and_children_print_goes_to_standard_error(tmp_path):
    program = tmp_path / "noisy.py"
    program.write_text(
        textwrap.dedent("""
        import os, subprocess, sys
        from server.lsp.language_server import create, serve
        from server.providers.fixed import Fixed

        def noisy(request):
            print("from python")
            os.write(1, b"from C\\n")
            subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
            sys.__stdout__.write("from the old stdout\\n")
            sys.__stdout__.flush()
            return "return 1"

        serve(create(provider=Fixed(noisy)))
        """)
    )
    root = ROOT
    messages, errors = _run([sys.executable, str(program)], cwd=root, env={**os.environ, "PYTHONPATH": str(root)})
    assert next(message for message in messages if message.get("id") == 2)["result"][0]["insertText"] == "return 1"
    for said in (b"from python", b"from C", b"from a child", b"from the old stdout"):
        assert said in errors
