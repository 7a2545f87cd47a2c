"""Errors of the runners.

RunnerError
├── SandboxMissing     no sandbox of that name works on this machine
│   └── SandboxUnknown no sandbox has that name
├── SandboxFailed      a sandbox that works did not get as far as the command, or was lost while that ran
├── ToolchainMissing   a program that a toolchain needs is not installed
├── MachineFails       the machine fails again and again, or has no room left
│   └── NoProcesses    no process can be started: a limit of processes is reached
├── RequirementRefused a requirement is not a plain package name
├── PathRefused        a file of the project would lie outside it
└── SetupFailed        an installation or a project's own setup ended with an error
    └── IndexUnreachable an installation could not reach the index of packages
"""

# ruff: noqa: N818 - the names say what happened

from collections.abc import Collection
from difflib import get_close_matches


def unknown_name(kind: str, name: str, known: Collection[str]) -> str:
    """Return the message about a name that is not known, with the nearest known one.

    `unknown_name("sandbox", "unshar", ["unshare", "none"])` is
    "there is no sandbox 'unshar' (did you mean 'unshare'?): choose one of unshare, none".
    """
    nearest = get_close_matches(name, known, n=1)
    hint = f" (did you mean {nearest[0]!r}?)" if nearest else ""
    return f"there is no {kind} {name!r}{hint}: choose one of {', '.join(known)}"


class RunnerError(Exception):
    """Report that a project's tests could not be run; the cause is never the code under test."""


class SandboxMissing(RunnerError):
    """Report that the sandbox asked for does not work here."""


class SandboxUnknown(SandboxMissing):
    """Report that no sandbox has the name that was asked for."""


class SandboxFailed(RunnerError):
    """Report that the sandbox ended before the command began, or was lost in mid-run (killed, the disk full)."""


class MachineFails(RunnerError):
    """Report that it is no use to go on here: runs fail one after the other, or the machine lacks room or processes."""


class NoProcesses(MachineFails):
    """Report that the kernel starts no more processes or threads for this user."""


class ToolchainMissing(RunnerError):
    """Report that a program a toolchain needs cannot be found."""


class RequirementRefused(RunnerError):
    """Report a requirement that is something else than a package name with versions."""


class PathRefused(RunnerError):
    """Report a project file whose path leads out of the project."""


class SetupFailed(RunnerError):
    """Report that installing or setting up a project ended with an error."""


class IndexUnreachable(SetupFailed):
    """Report that packages could not be installed, as nothing answers where they come from."""
