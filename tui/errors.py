"""What can go wrong in the terminal.

TuiError
├── RunReadError         a folder holds no run, or one that cannot be read
├── NoTerminalError      the inspector is started where there is no terminal
├── PortError            a port of this machine cannot be served
├── LackingError         this machine lacks something: git, room, a network
├── ConfigurationError   `ghosttape.toml` or a flag is malformed
└── InterruptedRunError  a run was stopped by Ctrl-C or SIGTERM
"""

from __future__ import annotations


class TuiError(Exception):
    """Root of what this package raises."""


class RunReadError(TuiError):
    """A folder holds no run, or its run cannot be read."""


class ConfigurationError(TuiError):
    """`ghosttape.toml` or a flag is malformed."""


class LackingError(TuiError):
    """Something that is needed is not on this machine: git, room on the disk, a network."""


class PortError(TuiError):
    """A port of this machine cannot be served: another program has it, or it needs rights."""


class InterruptedRunError(TuiError):
    """A run was stopped by Ctrl-C or SIGTERM; says where what was finished is kept."""


class NoTerminalError(TuiError):
    """The inspector is started where there is no terminal to draw on."""
