"""Git's plumbing in one folder: commands that read, and change or fetch nothing."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator

from corpora.errors import HistoryError
from replay.tapes.git_environment import quiet_environment

_OWN = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false")
"""What a repository's own settings could name to be run, put out of use; signatures are checked by a program that it names."""
INCOMPLETE = "is a partial or damaged clone that lacks an object: complete it with `git fetch --refetch --no-filter`"


class GitCommands:
    """Runs git in the folder `path`. No hook, filter, replacement of objects, check of signatures or external diff is used.

    Each method raises HistoryError if git is missing or fails, with what git says.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def text(self, *arguments: str, fails: bool = False) -> str:
        """The output of a command; with `fails` also if git ends with an error."""
        return self.raw(*arguments, fails=fails).decode("utf-8", "replace")

    def raw(self, *arguments: str, fails: bool = False, given: bytes = b"") -> bytes:
        """The output of a command that reads `given`, in bytes."""
        try:
            environment = quiet_environment(os.environ)
            command = self._command(*arguments)
            done = subprocess.run(
                command, capture_output=True, check=False, env=environment, input=given, process_group=0
            )
        except OSError as error:
            raise _missing(error) from error
        if done.returncode and not fails:
            raise self._failure(arguments[0], done.stderr)
        return done.stdout

    def piped(self, first: tuple[str, ...], second: tuple[str, ...], given: bytes) -> bytes:
        """The output of the second command, which reads that of the first, which reads `given`; nothing between them is held."""
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as errors:
            asked.write(given)
            asked.seek(0)
            with self._started(first, stdin=asked.fileno(), stderr=errors.fileno()) as source:
                assert source.stdout  # is a pipe
                with self._started(second, stdin=source.stdout.fileno(), stderr=errors.fileno()) as sink:
                    source.stdout.close()
                    found = sink.communicate()[0]
            for command, done in ((first, source), (second, sink)):
                if done.returncode:
                    errors.seek(0)
                    raise self._failure(command[0], errors.read())
        return found

    def lines(self, *arguments: str) -> Iterator[str]:
        """The lines of the output as they come, without their ends. Git is ended when the iterator is closed."""
        with tempfile.TemporaryFile() as errors:
            git = self._started(arguments, stderr=errors.fileno())
            assert git.stdout  # is a pipe
            try:
                for line in git.stdout:
                    yield line.decode("utf-8", "replace").removesuffix("\n")
                git.wait()
            finally:
                git.kill()
                git.communicate()
            if git.returncode:
                errors.seek(0)
                raise self._failure(arguments[0], errors.read())

    def open(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A command that is asked and answers through pipes; the caller ends it."""
        return self._started(arguments, stdin=subprocess.PIPE)

    def _started(
        self, arguments: tuple[str, ...], *, stdin: int = subprocess.DEVNULL, stderr: int | None = None
    ) -> subprocess.Popen[bytes]:
        command, environment = self._command(*arguments), quiet_environment(os.environ)
        try:
            return subprocess.Popen(
                command, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=environment, process_group=0
            )
        except OSError as error:
            raise _missing(error) from error

    def _command(self, *arguments: str) -> list[str]:
        return [
            "git",
            "--no-replace-objects",
            *(word for one in _OWN for word in ("-c", one)),
            "-C",
            self.path,
            *arguments,
        ]

    def _failure(self, command: str, errors: bytes) -> HistoryError:
        return HistoryError(f"{self.path}: {_said(command, errors.decode('utf-8', 'replace'))}")


def _missing(error: OSError) -> HistoryError:
    return HistoryError(f"git cannot be run ({error.strerror}): install it")


def _said(command: str, errors: str) -> str:
    """The error message of git, in one line."""
    if "promisor" in errors:
        return INCOMPLETE
    lines = [line.removeprefix("fatal: ") for line in errors.splitlines() if line.startswith("fatal: ")]
    return f"`git {command}` says: {(lines or errors.splitlines() or ['nothing'])[0]}"
