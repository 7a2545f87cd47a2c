"""A text that is changed many times and seldom looked at: a change costs what it moves, not what the text holds."""

from __future__ import annotations

from collections.abc import Sequence

from syntax.text import Change, splice

_NARROW, _WIDE = "latin-1", "utf-16-le"


class Buffer:
    """A text as bytes of one width a UTF-16 code unit: one byte while every unit fits, two from then on.

    `str(buffer)` is the text, made when it is asked for and kept until the next change; `len(buffer)` is its length in
    UTF-16 code units. Halves of a pair that meet become one character, lone ones stay as they are.
    """

    __slots__ = ("_codec", "_text", "_units", "_width")

    def __init__(self, text: str = "") -> None:
        self._text: str | None = text
        try:
            self._units, self._codec, self._width = bytearray(text, _NARROW), _NARROW, 1
        except UnicodeEncodeError:
            self._widen(text)
            self._text = None  # it may hold both halves of a pair as two characters

    def __str__(self) -> str:
        if self._text is None:
            self._text = self._units.decode(self._codec, "surrogatepass")
        return self._text

    def __len__(self) -> int:
        return len(self._units) // self._width

    def splice(self, changes: Sequence[Change]) -> None:
        """Apply changes that are all against the text as it stands.

        Raises:
            OffsetError: a range lies outside the text, runs backwards, or overlaps another; nothing is changed then.

        """
        ordered = changes if len(changes) == 1 else sorted(changes, key=lambda change: change[:2])
        if not self._fit(ordered):
            splice(str(self), ordered)  # says what is wrong
        news = self._encoded(ordered)
        width, units = self._width, self._units
        for (start, end, _), new in zip(reversed(ordered), reversed(news), strict=True):
            units[width * start : width * end] = new
        self._text = None

    def _fit(self, ordered: Sequence[Change]) -> bool:
        reached = 0
        for start, end, _ in ordered:
            if not reached <= start <= end:
                return False
            reached = end
        return reached <= len(self)

    def _encoded(self, changes: Sequence[Change]) -> list[bytes]:
        """The new texts in the buffer's width, which grows if one of them needs it."""
        if self._width == 1:
            try:
                return [new.encode(_NARROW) for _, _, new in changes]
            except UnicodeEncodeError:
                self._widen(str(self))
        return [new.encode(_WIDE, "surrogatepass") for _, _, new in changes]

    def _widen(self, text: str) -> None:
        self._units, self._codec, self._width = bytearray(text.encode(_WIDE, "surrogatepass")), _WIDE, 2
