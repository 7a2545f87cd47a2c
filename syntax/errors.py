"""What can go wrong with text: SyntaxRoomError → OffsetError."""


class SyntaxRoomError(Exception):
    """Root of what this package raises."""


class OffsetError(SyntaxRoomError):
    """An offset or a range does not lie inside its text."""
