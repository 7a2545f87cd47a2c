"""What runs beside the tests inside the sandbox and bears witness to how they ended; and how that is read here.

A program can print what it likes and leave with status 0 before its assertions. So what starts it, or a plugin of the test
runner, writes lines of its own on standard error: a number that was drawn for this run, and a word.

The driver of a program of one file reads its number from a file, and removes that, before any line of the program runs: it is
in no environment and in no command. The tests of a project run by a command of the project's, which may start anything: their number
is in the environment. Code could find it there; but then it was written to cheat ghosttape, and not just any test runner.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
import zlib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from runners.protocol import Mount, Sandbox
from runners.verdicts.test_counts import TestCounts

FILES = Path(__file__).parent
FOLDER = "/ghosttape"
MOUNT = Mount(FILES, FOLDER)
FILE = ".witness"
"""The file in a program's folder that its driver finds its number in."""
_LARGEST = 64 << 20
"""Bytes that are unpacked at most."""
_COUNTS = re.compile(r"counts \d{1,9} \d{1,9} [\w -]{1,20}")
_REPORTER = "--test-reporter"
_SCRIPTS = re.compile(r"\b(?:npm|npx|yarn|pnpm|bun|make)\b")
"""Programs that run a script of `package.json`."""
_TOOLCHAINS_OF_NODE = ("node", "typescript")


def new_nonce() -> str:
    """Return a number for one run."""
    return secrets.token_hex(16)


def begin_number(nonce: str) -> str:
    """Return the number with which the command says that the program begins: the program may know it."""
    return hashlib.sha256(nonce.encode()).hexdigest()[:32]


def program_environment(nonce: str) -> dict[str, str]:
    """Return the variables that the command of a program of one file needs."""
    return {"GHOSTTAPE": FOLDER, "GHOSTTAPE_BEGIN": begin_number(nonce)}


def environment(nonce: str) -> dict[str, str]:
    """Return the variables by which the files in `FOLDER` know where they are, and what to sign with."""
    return {"GHOSTTAPE": FOLDER, "GHOSTTAPE_WITNESS": nonce}


def split_words(text: str, nonce: str) -> tuple[list[str], str]:
    """Return the words that were said with this number, and the text without them."""
    line = re.compile(rf"\n?^{nonce} (.*)\n", re.MULTILINE)
    return line.findall(text), line.sub("", text)


def options(toolchain: str, command: str, files: Mapping[str, str], sandbox: Sandbox) -> dict[str, str]:
    """Return the variables that make a project's test runner call its witness.

    Python's lies in the layer and needs none. A command that chooses the reporter of `node --test` keeps it: with a second one, node wants
    to know where each writes. A project that chooses it in its scripts keeps it too, and then has no witness.
    """
    if toolchain not in _TOOLCHAINS_OF_NODE:
        return {}
    folder = str(FILES) if sandbox.name == "none" else FOLDER
    words = ["--require", f"{folder}/node/runners.cjs"]
    scripts = (
        [text for name, text in files.items() if name.endswith("package.json")] if _SCRIPTS.search(command) else []
    )
    chosen = any(_REPORTER in text for text in scripts)
    own = len(re.findall(rf"{_REPORTER}[= ]", command))
    placed = command.count(f"{_REPORTER}-destination")
    if not chosen and (own == placed or (own == 1 and command.count("node ") == 1)):
        reporters = [(f"{folder}/node/node-test.mjs", "stderr"), *([] if own else [("tap", "stdout")])]
        for reporter, where in reporters:
            words += [f"{_REPORTER}={reporter}", f"{_REPORTER}-destination={where}"]
        words += [f"{_REPORTER}-destination=stdout"] * (own - placed)
    return {"NODE_OPTIONS": " ".join(words)}


def tests(said: list[str]) -> frozenset[str] | None:
    """Return the names of the tests that passed, of all runners that came to their end; None if none did."""
    return _named(said, "tests")


def failing(said: list[str]) -> frozenset[str]:
    """Return the names of the tests that failed, and of files that could not be loaded, of all runners that came to their end."""
    return _named(said, "failing") or frozenset()


def counts(said: list[str]) -> TestCounts | None:
    """Return how many tests passed and failed, of all runners that came to their end; None if no runner saw a test.

    They can be more than the names: two tests of a file may have the same name.
    """
    rows = [word.split(" ", 3)[1:] for word in said if _COUNTS.fullmatch(word)]
    passed, failed = (sum(int(row[column]) for row in rows) for column in (0, 1))
    runners = " and ".join(dict.fromkeys(row[2] for row in rows))
    return TestCounts(runners, passed, failed) if passed or failed else None


def first_failed(said: list[str]) -> str:
    """Return the name of the test that ended a run as the first that failed; empty if none did, or the runner does not say it."""
    packed = next((rest for kind, _, rest in (word.partition(" ") for word in said) if kind == "failed"), "")
    return (unpacked(packed) or b"").decode("utf-8", "replace")


def _named(said: list[str], wanted: str) -> frozenset[str] | None:
    lists = [found for word in said if (found := _names(word, wanted)) is not None]
    return frozenset(name for names in lists for name in names) if lists else None


def _names(word: str, wanted: str) -> list[str] | None:
    kind, _, packed = word.partition(" ")
    names = unpacked(packed) if kind == wanted else None
    try:
        return None if names is None else msgspec.json.decode(names, type=list[str])
    except msgspec.DecodeError:  # more than `_LARGEST`, or written by others
        return None


def unpacked(packed: str) -> bytes | None:
    """Return what a witness said packed (zlib in base64), its first `_LARGEST` bytes; None if others wrote into it."""
    try:
        return zlib.decompressobj().decompress(base64.b64decode(packed, validate=True), _LARGEST)
    except (ValueError, zlib.error):
        return None
