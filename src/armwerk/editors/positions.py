"""Places in a text as editors count them: lines from 0, columns in UTF-16 units."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

_BEYOND = 0xFFFF  # letters above it, emoji say, are two units


class TextPosition(NamedTuple):
    """A place between two letters.

    Attributes:
        line: Counted from 0.
        column: In UTF-16 units, counted from 0.
    """

    line: int
    column: int


class TextRange(NamedTuple):
    """The letters between two places.

    Attributes:
        start: Before the first.
        end: Behind the last.
    """

    start: TextPosition
    end: TextPosition


def normalised(text: str) -> str:
    """Return a text with newlines only as line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def units(text: str) -> int:
    """Return how many UTF-16 units a text has."""
    if text.isascii():
        return len(text)
    return len(text) + sum(ord(letter) > _BEYOND for letter in text)


class TextLines:
    """The lines of a text.

    Args:
        text: With newlines only as line ends.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def __len__(self) -> int:
        return len(self._starts)

    def position(self, offset: int) -> TextPosition:
        """Return the place of an offset."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        column = offset - start if self._ascii else units(self.text[start:offset])
        return TextPosition(line, column)

    def offset(self, position: TextPosition) -> int:
        """Return the offset of a place; one behind the end of a line is that end."""
        if position.line < 0:
            return 0
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        last = position.line + 1 == len(self._starts)
        end = len(self.text) if last else self._starts[position.line + 1] - 1
        if self._ascii:
            return min(start + max(0, position.column), end)
        left = position.column
        while start < end and left > 0:
            left -= 2 if ord(self.text[start]) > _BEYOND else 1
            start += 1
        return start

    def range(self, start: int, end: int) -> TextRange:
        """Return the letters between two offsets."""
        return TextRange(self.position(start), self.position(end))

    @property
    def whole(self) -> TextRange:
        """All of it."""
        return self.range(0, len(self.text))


def changed(text: str, where: TextRange, new: str) -> str:
    """Return a text in which letters are replaced by others."""
    lines = TextLines(text)
    start, end = lines.offset(where.start), lines.offset(where.end)
    return text[:start] + normalised(new) + text[max(start, end) :]
