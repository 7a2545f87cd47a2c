"""Compilers that stay running: they compile untrusted programs in sandboxes of their own, in which no such program runs."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shlex
import socket
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import msgspec

from runners.errors import SandboxFailed
from runners.files import remove_tree, write_all
from runners.limits.processes import in_thread
from runners.processes.open_sandbox import OpenSandbox, ReusableSandbox
from runners.protocol import PROJECT, Job, Limits
from runners.warm.inside import FOLDER

# What compilers made, kept as long as a run lasts: a text that is tested again is not compiled again.
#
# Only what compiles is kept: a compiler that fails may have been failed by the machine. A text that can tell where or when it is compiled, or that
# takes in files of its sandbox, is compiled each time.

_BYTES = 64 << 20
_TELLS = re.compile(
    r"__(?:TIME|DATE|TIMESTAMP|COUNTER|INCLUDE_LEVEL|BASE_FILE|has_include)|##|%:%:|\?\?/|asm|incbin|#\s*embed|/(?:proc|sys|dev|tmp|built|headers|project)\b"
)
"""Words of a text that may mean something else the next time; where names are put together (`##`), nothing is known of them."""


def is_fixed(text: str) -> bool:
    """Return whether what a compiler makes of a text depends on nothing but the text and the compiler's own files."""
    return not _TELLS.search(re.sub(r"\\\s*\n", "", text))


@dataclass(frozen=True, slots=True)
class Build:
    """What a compiler made: its exit status, what it printed on either stream, the files that it wrote, by path, and how long it took."""

    status: int
    stdout: str = ""
    stderr: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    took_s: float = 0.0

    @property
    def size(self) -> int:
        """How many bytes it takes, about."""
        return len(self.stdout) + len(self.stderr) + sum(map(len, self.files.values()))


@dataclass(slots=True)
class Builds:
    """Builds by what they were made from; the longest unused go when there are more than 64 MiB of them."""

    most: int = _BYTES
    _kept: dict[Hashable, Build] = field(default_factory=dict)
    _size: int = 0

    def get(self, key: Hashable) -> Build | None:
        """Return what was made from this before, if it is still there; that took no time now."""
        if (build := self._kept.pop(key, None)) is not None:
            self._kept[key] = build  # the last one again
        return build

    def put(self, key: Hashable, build: Build) -> None:
        """Keep a build, unless it failed or would leave little room for others."""
        if build.status or build.size > self.most // 4:
            return
        self._drop(key)
        self._kept[key] = build
        self._size += build.size
        while self._size > self.most:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._size -= old.size


_START_S = 60.0
_ORDERS = 400
_LINE = 64 << 20
_DEEPEST = 100
"""The depth of folders up to which a class is taken over; a package of a thousand words is left to a fresh sandbox."""
LIMITS = Limits(memory_mb=1536)


@dataclass(frozen=True, slots=True)
class ResidentCompiler:
    """How a compiler is started, how a request for it is written, and how its answer is read (None: it is not an answer)."""

    command: str
    order: Callable[[list[str]], str]
    build: Callable[[str], Build | None]


class _Tsc(msgspec.Struct):
    status: int = -1
    text: str = ""
    files: dict[str, str] = msgspec.field(default_factory=dict)


def _tsc_build(line: str) -> Build | None:
    answer = msgspec.json.decode(line, type=_Tsc)
    if answer.status not in {0, 1, 2} or any(not path.startswith(f"{PROJECT}/") for path in answer.files):
        return None
    files = {
        path.removeprefix(f"{PROJECT}/"): text.encode("utf-8", "surrogatepass") for path, text in answer.files.items()
    }
    return Build(answer.status, answer.text, "", files)


def _javac_build(line: str) -> Build | None:
    status, text, *files = line.rstrip("\n").split("\t")
    if status not in {"0", "1"}:  # it broke down
        return None
    contents = {path: base64.b64decode(content) for path, content in zip(files[::2], files[1::2], strict=True)}
    if any(path.count("/") > _DEEPEST for path in contents):
        return None
    return Build(int(status), "", base64.b64decode(text).decode("utf-8", "replace"), contents)


LANGUAGES = {
    "typescript": ResidentCompiler(
        f"node --max-old-space-size=1024 {FOLDER}/compile.cjs",
        lambda words: msgspec.json.encode(words).decode(),
        _tsc_build,
    ),
    "java": ResidentCompiler(
        f"java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss64m -Xmx512m {FOLDER}/Compile.java",
        "\t".join,
        _javac_build,
    ),
}


@dataclass(slots=True)
class Compiler:
    """A running compiler and its sandbox."""

    language: ResidentCompiler
    project: Path
    open_sandbox: OpenSandbox
    answers: asyncio.StreamReader
    asked: asyncio.StreamWriter
    fit: bool = True
    orders: int = 0

    @classmethod
    async def open(cls, language: ResidentCompiler, sandbox: ReusableSandbox, job: Job) -> Self:
        """Start the compiler in the job's folder, which is new, and wait until it is ready. Raises `SandboxFailed`."""
        job.project.mkdir()
        job = replace(job, command=language.command, limits=LIMITS)
        ours, theirs = socket.socketpair()
        answers, asked = await asyncio.open_unix_connection(sock=ours, limit=_LINE)
        try:
            with theirs, open(os.devnull, "w") as null:  # noqa: ASYNC230, PTH123 - no disk
                open_sandbox = await sandbox.open(job, (theirs.fileno(), theirs.fileno(), null.fileno()))
        except BaseException:  # a cancellation too: our end is closed, and the error goes on
            asked.close()
            raise
        compiler = cls(language, job.project, open_sandbox, answers, asked)
        ready = False
        try:
            with suppress(TimeoutError):
                ready = await asyncio.wait_for(compiler._line(), _START_S) == "ready\n"
        finally:
            if not ready:
                await compiler.close()
        if not ready:
            raise SandboxFailed(f"the resident compiler did not begin: {language.command}")
        return compiler

    async def build(self, files: Mapping[str, str], command: str) -> Build | None:
        """Compile as the command would, with these files in the project; None if it is not certain what that gives."""
        words = [word for word in shlex.split(command)[1:] if not word.startswith("-J")]
        order = self.language.order(words)
        if not self.fit or "\n" in order:
            return None
        self.orders += 1
        self.fit = False  # until it has answered
        write_all(self.project, files)
        self.open_sandbox.give(self.project)
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            self.asked.write(f"{order}\n".encode())
            build = self.language.build(await self._line())
            for name in files:
                (self.project / name).unlink()
            self.fit = self.orders < _ORDERS
            return build
        return None

    async def _line(self) -> str:
        return (await self.answers.readline()).decode()

    async def close(self) -> None:
        """End everything in the sandbox, and remove its folder."""
        self.fit = False
        self.asked.close()
        await self.open_sandbox.end()
        await in_thread(remove_tree, self.project)
