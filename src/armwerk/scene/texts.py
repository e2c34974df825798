"""Texts with embedded values: ``_I{expression}_``, ``_D{expression}_`` and ``_S{name}_``.

What is put in is not looked at again, so a text cannot grow by being expanded; how long texts may
become is limited all the same, since each may repeat another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from armwerk.scene.expression import NAME, Expressions
from armwerk.scene.keywords import did_you_mean
from armwerk.scene.scanner import Scanner, Span, quoted

MOST_TEXT = 10_000  # characters of one text
_MOST_TEXTS = 2_000_000  # characters of all texts of a file
_EMBEDDED = re.compile(r"_([IDS])\{")
_WORD_PART = re.compile(r"(?:[^ \t\n/_]|/(?![/*])|_(?![IDS]\{))*")


class Texts:
    """Reads and expands texts at the cursor.

    Args:
        scanner: The cursor.
        expressions: Reads what stands in ``_I`` and ``_D``.
        strings: The variables defined so far; None: its definition was wrong.
    """

    def __init__(
        self, scanner: Scanner, expressions: Expressions, strings: Mapping[str, str | None]
    ) -> None:
        self._scanner = scanner
        self._expressions = expressions
        self._strings = strings
        self._total = 0

    def line(self) -> tuple[Span, str | None]:
        """Return the expanded rest of the line; None: a problem was reported."""
        span = self._scanner.rest_of_line()
        return span, self._expanded(span)

    def word(self) -> tuple[Span, str | None]:
        """Return the expanded next word; blanks may stand only in the braces of its values."""
        scanner = self._scanner
        start = at = scanner.skip()
        while True:
            match = _WORD_PART.match(scanner.text, at, scanner.end)
            at = match.end() if match else at
            if not _EMBEDDED.match(scanner.text, at, scanner.end):
                break
            stop = scanner.text.find("\n", at, scanner.end)
            brace = scanner.text.find("}", at, scanner.end if stop < 0 else stop)
            if brace < 0:
                scanner.fail((at, at + 3), "value without end", "}_ in the same line")
            at = brace + 1
        scanner.advance(at)
        return (start, at), self._expanded((start, at))

    def _expanded(self, span: Span) -> str | None:
        scanner = self._scanner
        parts: list[str] = []
        complete, at = True, span[0]
        outer, scanner.end = scanner.end, span[1]  # nothing inside may reach beyond the text
        try:
            while match := _EMBEDDED.search(scanner.text, at, span[1]):
                parts.append(scanner.text[at : match.start()])
                scanner.advance(match.end())
                part = self._embedded(match[1])
                complete = complete and part is not None
                parts.append(part or "")
                at = scanner.position
        finally:
            scanner.end = outer
        parts.append(scanner.text[at : span[1]])
        scanner.advance(span[1])
        text = "".join(parts)
        self._total += len(text)
        if len(text) > MOST_TEXT or self._total > _MOST_TEXTS:
            limit = f"at most {MOST_TEXT} characters, and {_MOST_TEXTS} in all texts"
            scanner.fail(span, f"text is too long, {len(text)} characters", limit)
        return text if complete else None

    def _embedded(self, kind: str) -> str | None:
        scanner = self._scanner
        text = self._string() if kind == "S" else self._number(kind)
        scanner.skip()
        at = scanner.position
        if scanner.letter() != "}":
            scanner.fail((at, at + 1), "value without end", "}_")
        scanner.advance(at + 1)
        if scanner.letter() == "_" and not (
            kind == "S" and _EMBEDDED.match(scanner.text, at + 1, scanner.end)
        ):
            scanner.advance(at + 2)
        elif kind != "S":
            scanner.fail((at, at + 1), "value without end", "}_")
        return text

    def _string(self) -> str | None:
        scanner = self._scanner
        at = scanner.skip()
        name = scanner.take(NAME)
        if not name:
            scanner.fail((at, at + 1), "no name stands in _S{}_", "the name of a STRING")
        if name not in self._strings:
            hint = did_you_mean(name, self._strings)
            span = (at, at + len(name))
            scanner.report(span, f"no STRING is called {quoted(name)}{hint}", "its name")
            return None
        return self._strings[name]

    def _number(self, kind: str) -> str | None:
        value = self._expressions.embedded("a number")
        if value is None:
            return None
        if kind == "D":
            return repr(float(value))
        if value.denominator != 1:
            self._scanner.report(
                self._expressions.span,
                f"{float(value):.12g} is no whole number",
                "a whole number in _I{}_; _D{}_ takes any",
            )
            return None
        return str(value.numerator)
