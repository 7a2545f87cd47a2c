"""`ghosttape` in a process of its own that begins without loading anything: forked from one that has loaded all of it.

A start of the console script takes a second of processor time, nearly all of it for loading modules. Where a test needs a process of the
program, and not its start, `preloaded_script()` stands in for the console script: the same words, standard streams, folder, environment,
signals and exit status.
"""

from __future__ import annotations

import array
import atexit
import functools
import importlib
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STREAMS = 3
MODULES = (
    *("replay.run.engine", "replay.run.served.replay_commands", "corpora.errors", "corpora.opened.evaluation_commands"),
    *("tui.commands.options.configuration", "server.providers.fixed", "server.providers.openai"),
    *("server.providers.http.event_stream", "typer._adapters", "tree_sitter_python"),
    *("anyio._backends._asyncio", "httpcore", "certifi"),
)
"""What is loaded beside the command line; some of it the program itself loads only when it needs it."""
SCRIPT = """\
#!{python} -ISE
import array, json, os, signal, socket, sys
door = socket.socket(socket.AF_UNIX)
door.connect({address!r})
for number in {forwarded}:
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, lambda sent, _: door.send(bytes([sent])))
given = json.dumps([sys.argv, os.getcwd(), dict(os.environ), os.getpgrp() == os.getpid()]).encode()
streams = array.array("i", [0, 1, 2])
door.sendmsg([len(given).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
door.sendall(given)
os.close(0), os.close(1)
status = door.recv(1)
if not status:
    os._exit(1)
if status[0] > 128:
    signal.signal(status[0] - 128, signal.SIG_DFL)
    os.kill(os.getpid(), status[0] - 128)
os._exit(status[0])
"""
"""What is run in the place of the console script: it hands over its streams, and waits for the status. Above 128: the number of a signal."""


@functools.cache
def preloaded_script(packages: str = "") -> str:
    """The path of a script that begins at once, and otherwise is `ghosttape`, with a folder of `packages` on its path. The process that it is forked from ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="ghosttape-preloaded-"))
    address = str(folder / "door")
    script = folder / "ghosttape"
    script.write_text(SCRIPT.format(python=sys.executable, address=address, forwarded=[int(one) for one in FORWARDED]))
    script.chmod(0o755)
    argv = [sys.executable, "-m", "tests.support.preloaded", address]
    path = os.pathsep.join(filter(None, (packages, os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path} if path else None
    loaded = subprocess.Popen(argv, stdout=subprocess.PIPE, env=env)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(loaded.wait)  # so that what it took counts among what this process took
    atexit.register(loaded.kill)
    assert loaded.stdout is not None
    assert loaded.stdout.readline() == b"ready\n"
    return str(script)


def main(address: str) -> None:
    """Load the program, and fork a process for each that asks, until killed."""
    import gc

    gc.disable()
    load()
    gc.freeze()
    gc.enable()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    selector = selectors.DefaultSelector()
    selector.register(listening, selectors.EVENT_READ)
    signal.set_wakeup_fd(_child_ends(selector))
    callers: dict[int, socket.socket] = {}
    parent = os.getppid()
    while os.getppid() == parent:
        for key, _ in selector.select(timeout=5):
            if key.fileobj is listening:
                caller, _ = listening.accept()
                callers[_fork(caller, [listening, *callers.values()])] = caller
                selector.register(caller, selectors.EVENT_READ, "caller")
            elif key.data == "caller":
                _hear(key.fileobj, callers, selector)
            else:
                key.fileobj.recv(1 << 12)
        _bury(callers, selector)


def load() -> None:
    """Import what a language server and a replay load, and make once what each of them would make first."""
    for module in MODULES:
        importlib.import_module(module)
    from server.lsp.language_server import create

    create()
    _command()


@functools.cache
def _command() -> Any:
    """The command line; to make it of its declarations takes a tenth of a second."""
    from typer.main import get_command

    from tui.cli.app import app

    return get_command(app)


def _child_ends(selector: selectors.BaseSelector) -> int:
    """Make the selector wake up when a child ends; what the wakeup writes to."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    selector.register(ours, selectors.EVENT_READ, "ended")
    return theirs.detach()


def _fork(caller: socket.socket, others: list[socket.socket]) -> int:
    head, ancillary, _, _ = caller.recvmsg(4, socket.CMSG_SPACE(4 * STREAMS))
    streams = array.array("i")
    for _, _, data in ancillary:
        streams.frombytes(data[: 4 * STREAMS])
    given = b""
    while len(given) < int.from_bytes(head, "big"):
        given += caller.recv(1 << 16)
    if child := os.fork():
        for stream in streams:
            os.close(stream)
        return child
    for other in [*others, caller]:
        other.close()
    _become(*json.loads(given), streams)
    raise AssertionError  # it has become the program


def _become(argv: list[str], folder: str, environment: dict[str, str], leads: bool, streams: array.array) -> None:
    """Be the program, with the streams, words, folder and environment of the one that asked."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if leads:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(STREAMS, 256)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = argv
    status = 1
    try:
        _command()()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = status or 1
        os._exit(status)


def _hear(caller: socket.socket, callers: dict[int, socket.socket], selector: selectors.BaseSelector) -> None:
    """Pass on a signal; a caller that was killed takes its program along."""
    child = next(pid for pid, one in callers.items() if one is caller)
    heard = caller.recv(16)
    for number in heard or bytes([signal.SIGKILL]):
        os.kill(child, number)
    if not heard:
        selector.unregister(caller)


def _bury(callers: dict[int, socket.socket], selector: selectors.BaseSelector) -> None:
    """Send the status of each child that has ended to its caller."""
    for child in list(callers):
        ended, raw = os.waitpid(child, os.WNOHANG)
        if not ended:
            continue
        caller = callers.pop(child)
        status = os.waitstatus_to_exitcode(raw)
        with suppress(KeyError):  # it was killed itself, and is not listened to any more
            selector.unregister(caller)
        with suppress(OSError):
            caller.send(bytes([status if status >= 0 else 128 - status]))
        caller.close()


if __name__ == "__main__":
    main(sys.argv[1])
