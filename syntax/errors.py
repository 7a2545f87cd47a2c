"""What can go wrong with text, and with what packages register.

SyntaxRoomError
├── OffsetError        an offset or a range does not lie inside its text
└── ExtensionBroken    a registered part of another package cannot be imported
"""


class SyntaxRoomError(Exception):
    """Root of what this package raises."""


class OffsetError(SyntaxRoomError):
    """An offset or a range does not lie inside its text."""


class ExtensionBroken(SyntaxRoomError):  # noqa: N818 - named for what happened
    """A registered part cannot be imported; the message names the entry point, its package and why."""
