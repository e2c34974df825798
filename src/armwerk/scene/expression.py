"""Numbers with + - * / and brackets, by descent, and texts with embedded values.

    sum      = product { ("+" | "-") product }
    product  = operand { ("*" | "/") operand }
    operand  = { "-" | "+" } ( number | name | "(" sum ")" )

An expression is one word: outside brackets it ends with the first blank, so that ``1 -2`` is two
numbers; inside brackets blanks and newlines are free. Values are exact fractions.

Values stand in texts as ``_I{expression}_``, ``_D{expression}_`` and ``_S{name}_``. What is put in
is not looked at again, so a text cannot grow by being expanded; how long texts may become is
limited all the same, since each may repeat another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from armwerk.scene.keywords import did_you_mean, is_reserved
from armwerk.scene.scanner import Abandoned, Scanner, Span, quoted

Value = Fraction | None  # None: a problem has been reported, nothing more to say about it

NAME = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}")
_DEEPEST = 50  # brackets within brackets
_LONGEST = 100  # characters of one number
_EXPONENT = 400
_LARGEST = 10**30
_BITS = 2048  # fractions with a longer denominator are rounded to the next float
MOST_TEXT = 10_000  # characters of one text
_MOST_TEXTS = 2_000_000  # characters of all texts of a file
_EMBEDDED = re.compile(r"_([IDS])\{")
_WORD_PART = re.compile(r"(?:[^ \t\n/_]|/(?![/*])|_(?![IDS]\{))*")


class Expressions:
    """Reads expressions at the cursor.

    Args:
        scanner: The cursor.
        numbers: The variables defined so far; None: its definition was wrong.
    """

    def __init__(self, scanner: Scanner, numbers: Mapping[str, Value]) -> None:
        self._scanner = scanner
        self._numbers = numbers
        self.span: Span = (0, 0)  # where the last value stood

    def value(self, wanted: str, follow: str = "") -> Value:
        """Return the value of the next word.

        Args:
            wanted: What it is for, to say so when it is missing.
            follow: Characters that may stand right behind it.
        """
        start = self._scanner.skip()
        self._missing(wanted)
        result = self._sum(0, wanted)
        self.span = (start, self._scanner.position)
        self._nothing_behind(start, follow, known=result is not None)
        return result

    def embedded(self, wanted: str) -> Value:
        """Return the value of an expression in braces; blanks are free in it."""
        start = self._scanner.skip()
        result = self._sum(1, wanted)
        self.span = (start, self._scanner.position)
        return result

    def _missing(self, wanted: str) -> None:
        span, word = self._scanner.peek()
        if not word:
            self._scanner.fail(span, "the file ends too early", wanted)
        if is_reserved(word):
            self._scanner.fail(span, f"found {quoted(word)} where a number is missing", wanted)
        if word[0] in "*/":
            hint = f"{wanted}; blanks round an operator only inside brackets"
            self._scanner.fail(span, f"found {quoted(word)} where a number is missing", hint)
        if _COLOUR.fullmatch(word) and not word.isdigit() and word not in self._numbers:
            if _NUMBER.fullmatch(word):  # 12E345 is meant as a colour too
                return
            self._scanner.fail(
                span, f"found the colour {quoted(word)} where a number is missing", wanted
            )

    def _nothing_behind(self, start: int, follow: str, *, known: bool) -> None:
        scanner = self._scanner
        if scanner.blank_ahead() or scanner.letter() in follow:
            return
        if not known:  # one problem of this word is enough
            raise Abandoned
        at = scanner.position
        span, word = scanner.peek()
        taken = scanner.text[start:at]
        hint = "a decimal point, no comma" if word[0] == "," else "a blank or an operator"
        scanner.fail(span, f"unexpected {quoted(word)} behind {quoted(taken)}", hint)

    def _sum(self, depth: int, wanted: str) -> Value:
        left = self._product(depth, wanted)
        while (sign := self._operator("+-", depth)) is not None:
            right = self._product(depth, wanted)
            if left is not None and right is not None:
                left = self._tidy(left + right if sign[1] == "+" else left - right, sign[0])
            else:
                left = None
        return left

    def _product(self, depth: int, wanted: str) -> Value:
        left = self._operand(depth, wanted)
        while (sign := self._operator("*/", depth)) is not None:
            at = self._scanner.position
            right = self._operand(depth, wanted)
            if left is None or right is None:
                left = None
            elif sign[1] == "*":
                left = self._tidy(left * right, sign[0])
            elif right == 0:
                here = (at, max(at + 1, self._scanner.position))
                self._scanner.report(here, "division by zero", "a divisor other than 0")
                left = None
            else:
                left = self._tidy(left / right, sign[0])
        return left

    def _operator(self, signs: str, depth: int) -> tuple[int, str] | None:
        scanner = self._scanner
        if depth:
            scanner.skip()
        elif scanner.blank_ahead():
            return None
        at, sign = scanner.position, scanner.letter()
        if not sign or sign not in signs:
            return None
        scanner.advance(at + 1)
        return at, sign

    def _operand(self, depth: int, wanted: str) -> Value:
        scanner = self._scanner
        minus = False
        while True:
            if depth:
                scanner.skip()
            letter = scanner.letter()
            if not letter or letter not in "+-":
                break
            minus ^= letter == "-"
            scanner.advance(scanner.position + 1)
        if not depth and scanner.blank_ahead():
            at = scanner.position
            scanner.fail(
                (at - 1, at),
                f"nothing stands right behind {quoted(scanner.text[at - 1])}",
                "a number there, or brackets round all of it: (a + b)",
            )
        result = self._bracket(depth, wanted) if letter == "(" else self._atom(wanted)
        return -result if minus and result is not None else result

    def _bracket(self, depth: int, wanted: str) -> Value:
        scanner, at = self._scanner, self._scanner.position
        if depth >= _DEEPEST:
            scanner.fail((at, at + 1), "too many brackets", f"at most {_DEEPEST} within each other")
        scanner.advance(at + 1)
        result = self._sum(depth + 1, wanted)
        scanner.skip()
        if scanner.letter() != ")":
            span, word = scanner.peek()
            found = quoted(word) if word else "the end"
            line = scanner.line(at)
            scanner.fail(
                span, f"found {found} inside a bracket opened in line {line}", "')' or an operator"
            )
        scanner.advance(scanner.position + 1)
        return result

    def _atom(self, wanted: str) -> Value:
        scanner, at = self._scanner, self._scanner.position
        if literal := scanner.take(_NUMBER):
            return self._literal(literal, at)
        name = scanner.take(NAME)
        if not name:
            span, word = scanner.peek()
            found = quoted(word) if word else "the end"
            scanner.fail(span, f"found {found} where a number is missing", wanted)
        span = (at, at + len(name))
        if name not in self._numbers:
            if is_reserved(name):
                scanner.fail(span, f"found {quoted(name)} where a number is missing", wanted)
            hint = did_you_mean(name, self._numbers)
            scanner.report(span, f"no NUMBER is called {quoted(name)}{hint}", wanted)
            return None
        return self._numbers[name]

    def _literal(self, literal: str, at: int) -> Value:
        span = (at, at + len(literal))
        exponent = literal.lower().partition("e")[2].lstrip("+-").lstrip("0")
        if len(literal) > _LONGEST or len(exponent) > 3 or int(exponent or 0) > _EXPONENT:
            self._scanner.report(
                span, "number is too large or too long", f"at most 1e30 and {_LONGEST} characters"
            )
            return None
        return self._tidy(Fraction(literal), at)

    def _tidy(self, value: Fraction, at: int) -> Value:
        """Refuse what is too large, and keep what is too long from growing without end."""
        if abs(value) > _LARGEST:
            self._scanner.report((at, at + 1), "number is too large", "at most 1e30")
            return None
        if value.denominator.bit_length() > _BITS:
            return Fraction(float(value))
        return value


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
