"""A cursor over an environment file that knows blanks, comments, words and places.

The text comes in; words and located problems go out. A newline is a blank like others; only the
text directives (`Scanner.rest_of_line`) end with their line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from armwerk.errors import Problem

Span: TypeAlias = tuple[int, int]
MOST_PROBLEMS = 100  # then reading ends

_BLANKS = re.compile(r"[ \t\n]*")
_WORD = re.compile(r"(?:[^ \t\n/]|/(?![/*]))+")
_COMMENT = re.compile(r"(?<![^ \t])(?://|/\*)")  # in a text: set off by a blank
_SHORT = 40


class Abandoned(Exception):  # noqa: N818 - no error of the user, who never sees it
    """The directive cannot be read further; its problem has been reported."""


class TooManyProblems(Exception):  # noqa: N818
    """Enough has been found; the rest of the file is not read."""


def quoted(word: str) -> str:
    """Return a word in quotes, cut when it is long."""
    return f"'{word}'" if len(word) <= _SHORT else f"'{word[: _SHORT - 1]}…'"


class Scanner:
    """The cursor.

    Args:
        text: With newlines only as line ends.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.end = len(text)
        self.problems: list[Problem] = []
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._taken = 0  # end of the last word that was consumed
        self._seen: set[int] = set()  # where problems were reported

    @property
    def taken(self) -> int:
        """Where the last word that was consumed ends."""
        return self._taken

    def line(self, offset: int) -> int:
        """Return the line of an offset, counted from 1."""
        return bisect_right(self._starts, offset)

    def place(self, offset: int) -> tuple[int, int, str]:
        """Return line and column of an offset, counted from 1, and the whole line."""
        line = self.line(offset)
        start = self._starts[line - 1]
        stop = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return line, offset - start + 1, self.text[start:stop]

    def report(self, span: Span, message: str, expected: str = "") -> None:
        """Note a problem; of several at one spot the first stays.

        Raises:
            TooManyProblems: When there are enough of them.
        """
        if span[0] in self._seen:
            return
        self._seen.add(span[0])
        line, column, source = self.place(span[0])
        self.problems.append(
            Problem(message, line, column, source, expected, max(1, span[1] - span[0]))
        )
        if len(self.problems) >= MOST_PROBLEMS:
            raise TooManyProblems

    def fail(self, span: Span, message: str, expected: str = "") -> NoReturn:
        """Note a problem after which the directive cannot be read further."""
        self.report(span, message, expected)
        raise Abandoned

    def skip(self) -> int:
        """Go past blanks and comments; return where the next word begins."""
        text, end = self.text, self.end
        while True:
            match = _BLANKS.match(text, self.position, end)
            self.position = match.end() if match else end
            if text.startswith("//", self.position, end):
                stop = text.find("\n", self.position, end)
            elif text.startswith("/*", self.position, end):
                stop = text.find("*/", self.position + 2, end)
                if stop < 0:
                    self.report((self.position, self.position + 2), "comment without end", "*/")
                else:
                    stop += 2
            else:
                return self.position
            self.position = stop if stop >= 0 else end

    def blank_ahead(self) -> bool:
        """Say whether a blank, a comment or the end comes next."""
        at = self.position
        return (
            at >= self.end
            or self.text[at] in " \t\n"
            or self.text.startswith(("//", "/*"), at, self.end)
        )

    def letter(self) -> str:
        """Return the next character; empty at the end."""
        return self.text[self.position] if self.position < self.end else ""

    def advance(self, end: int) -> None:
        """Consume up to ``end``."""
        self.position = self._taken = end

    def take(self, pattern: re.Pattern[str]) -> str:
        """Consume what a pattern matches here; empty: it does not."""
        match = pattern.match(self.text, self.position, self.end)
        if match is None or match.end() == self.position:
            return ""
        self.advance(match.end())
        return match[0]

    def peek(self) -> tuple[Span, str]:
        """Return the next word with its place, without consuming it; empty at the end."""
        start = self.skip()
        match = _WORD.match(self.text, start, self.end)
        word = match[0] if match else ""
        return (start, start + len(word)), word

    def word(self) -> tuple[Span, str]:
        """Return the next word with its place; empty at the end of the file."""
        span, word = self.peek()
        self.advance(span[1])
        return span, word

    def rest_of_line(self) -> Span:
        """Consume the text up to the end of the line or to a comment set off by a blank."""
        while self.letter() in (" ", "\t"):
            self.position += 1
        start = self.position
        stop = self.text.find("\n", start, self.end)
        stop = self.end if stop < 0 else stop
        comment = _COMMENT.search(self.text, start, stop)
        if self.text.startswith(("//", "/*"), start, stop):
            stop = start
        elif comment:
            stop = comment.start()
        while stop > start and self.text[stop - 1] in " \t":
            stop -= 1
        self.advance(stop)
        return start, stop

    def begins_line(self) -> bool:
        """Say whether the next word is the first of its line."""
        return not self._taken or "\n" in self.text[self._taken : self.skip()]

    def recover(self, wanted: Callable[[str], bool]) -> str:
        """Go to the next wanted word that begins a line; return it, empty at the end."""
        while True:
            first = self.begins_line()
            span, word = self.peek()
            if not word or (first and wanted(word)):
                return word
            self.advance(span[1])
