"""The text of a program as words with their places, and the problems found in it.

Keywords and names are the same in capital and small letters: words are small, and their spelling is
looked up where it is shown. A word is a plain text and its place an index, so that a thousand lines
are split in a few milliseconds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from armwerk.errors import Problem

MOST_CHARACTERS = 2_000_000  # a program of 1,000 lines has 40,000; more is a mistake or an attack
NO_END = "this comment has no end"
MOST_PROBLEMS = 100  # then nothing more is reported

_PIECES = re.compile(
    r"""[ \t\r\n\f]+|\{[^{}]*\}|//[^\n]*|\(\*(?s:.*?)\*\)"""  # blanks and comments
    r"""|[a-z_][a-z_0-9]*"""
    r"""|\d+(?:\.\d+)?(?:e[+-]?\d+)?"""
    r"""|'(?:[^'\n]|'')*'|"(?:[^"\n]|"")*\""""
    r"""|:=|<>|<=|>=|\*\*|\.\.|\(\*"""
    r"""|(?s:.)"""
)
_BLANK = frozenset(" \t\r\n\f{")
_SMALL = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_BRACES = re.compile(r"[{}]")
_OUTSIDE = re.compile(r"""[{}]|//[^\n]*|'(?:[^'\n]|'')*'|"(?:[^"\n]|"")*\"|\(\*(?s:.*?)\*\)""")


@dataclass(frozen=True, slots=True, eq=False)
class Comment:
    """A comment.

    Args:
        text: With its braces or slashes.
        start: Where it begins in the text.
        before: Index of the word that follows it.
    """

    text: str
    start: int
    before: int


@dataclass(slots=True, eq=False)
class SourceText:
    """The words of a program.

    Args:
        text: As it was given, with newlines only as line ends.
        file: Where it is from, for messages; empty: no file.
    """

    text: str
    file: str = ""
    words: list[str] = field(init=False)
    starts: list[int] = field(init=False)
    comments: list[Comment] = field(init=False)
    problems: list[Problem] = field(init=False)
    _lines: list[int] = field(init=False)
    _seen: set[int] = field(init=False)

    def __post_init__(self) -> None:
        self.text = self.text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self.problems, self._seen = [], set()
        self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.words, self.starts, self.comments = [], [], []
        if len(self.text) > MOST_CHARACTERS:
            self._end(0)
            self._note(0, 1, f"the program is too long, {len(self.text)} characters", "")
            return
        self._split()

    def _split(self) -> None:
        small = self.text.lower() if self.text.isascii() else self.text.translate(_SMALL)
        start = self._take(small, 0)
        if start < len(small):  # a comment with comments inside, which no pattern finds the end of
            self._take(self._flattened(small, start), start)
        self._end(len(small))

    def _take(self, small: str, start: int) -> int:
        """Take words and comments; return where a brace inside a comment stopped it, or the end."""
        words, starts, comments = self.words, self.starts, self.comments
        pieces = _PIECES.findall(small, start)
        for piece, length in zip(pieces, map(len, pieces), strict=True):
            end = start + length
            first = piece[0]
            if first in _BLANK:
                if first == "{":
                    if length == 1:
                        return start
                    comments.append(Comment(self.text[start:end], start, len(words)))
            elif first == "/" and piece[:2] == "//":
                comments.append(Comment(self.text[start:end], start, len(words)))
            elif first == "(" and length > 1:
                if length == 2:
                    self._note(start, 2, NO_END, "'*)'")
                    return len(small)
                comments.append(Comment(self.text[start:end], start, len(words)))
            else:
                words.append(piece)
                starts.append(start)
            start = end
        return start

    def _flattened(self, small: str, start: int) -> str:
        """Return the text with blanks for the braces inside comments, from an offset on."""
        letters = list(small)
        depth, opened = 0, 0
        while found := (_BRACES if depth else _OUTSIDE).search(small, start):
            start = found.end()
            if found[0] == "{":
                opened = opened if depth else found.start()
                letters[found.start()] = " " if depth else "{"
                depth += 1
            elif depth:
                depth -= 1
                letters[found.start()] = " " if depth else "}"
        if depth:
            self._note(opened, 1, NO_END, "'}' for every '{'")
            letters[opened:] = " " * (len(letters) - opened)
        return "".join(letters)

    def _end(self, start: int) -> None:
        self.words.append("")
        self.starts.append(start)

    def spelling(self, at: int) -> str:
        """Return a word as it was written."""
        start = self.starts[at]
        return self.text[start : start + len(self.words[at])]

    def line(self, at: int) -> int:
        """Return the line of a word, counted from 1."""
        return bisect_right(self._lines, self.starts[at])

    def column(self, at: int) -> int:
        """Return the column of a word, counted from 1."""
        return self.starts[at] - self._lines[self.line(at) - 1] + 1

    def ends_line(self, at: int) -> bool:
        """Return whether the word after this one stands on a later line."""
        return self.line(at + 1) > self.line(at)

    def report(self, at: int, message: str, expected: str = "", *, last: int | None = None) -> None:
        """Note a problem with a word; of several at one place the first stays.

        Args:
            at: Index of the word.
            message: What is wrong.
            expected: What would have been right.
            last: Index of the last word that is meant; None: the same word.
        """
        last = at if last is None else max(at, last)
        start = self.starts[at]
        self._note(start, self.starts[last] + len(self.words[last]) - start, message, expected)

    def report_after(self, at: int, message: str, expected: str = "") -> None:
        """Note a problem right behind a word: something is missing there."""
        self._note(self.starts[at] + len(self.words[at]), 1, message, expected)

    def _note(self, start: int, length: int, message: str, expected: str) -> None:
        if start in self._seen or len(self.problems) >= MOST_PROBLEMS:
            return
        self._seen.add(start)
        line = bisect_right(self._lines, start)
        begin = self._lines[line - 1]
        end = self._lines[line] - 1 if line < len(self._lines) else len(self.text)
        length = max(1, min(length, end - start))
        column = start - begin + 1
        self.problems.append(Problem(message, line, column, self.text[begin:end], expected, length))
