"""The arguments of directives: read one by one, checked, turned into SI.

A value that is out of range is reported and reading goes on with nan in its place, so that all
problems of a directive come out together; the scene is thrown away then. Checks are written so
that nan passes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from armwerk.scene.expression import NAME, Expressions, Texts, Value
from armwerk.scene.keywords import did_you_mean, is_reserved, metres, radians
from armwerk.scene.scanner import Scanner, Span, quoted

LARGEST = 1e4  # [m] how far away anything may be, and [m/s] how fast
SMALLEST = 1e-4  # [m] sizes of what stands still
SMALLEST_THING = 1e-3  # [m] sizes of what moves: less has no inertia to compute with
LARGEST_ANGLE = 360_000  # [°]
MOST_INSTANCE = 999_999_999
MOST_TILE = 9999  # a floor of 5 km
_LONGEST_NAME = 100
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}")
_WRONG = "000000"


class Arguments:
    """Reads arguments at the cursor.

    Args:
        scanner: The cursor; also collects the problems.
    """

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.numbers: dict[str, Value] = {}
        self.strings: dict[str, str | None] = {}
        self.expressions = Expressions(scanner, self.numbers)
        self.texts = Texts(scanner, self.expressions, self.strings)
        self.directive = ""  # the one being read
        self.usage = ""  # how it is written
        self.start: Span = (0, 0)  # where it begins
        self.span: Span = (0, 0)  # where the last argument stood

    def _wanted(self, what: str) -> str:
        return f"{what} of {self.directive} {self.usage}"

    def report(self, span: Span, what: str, expected: str = "") -> None:
        """Report a problem of the directive being read."""
        self.scanner.report(span, f"{self.directive}: {what}", expected)

    def number(self, what: str, follow: str = "") -> Value:
        """Return any number; None: a problem was reported."""
        value = self.expressions.value(self._wanted(what), follow)
        self.span = self.expressions.span
        return value

    def _out_of_range(self, what: str, value: Fraction, expected: str) -> None:
        written = self.scanner.text[slice(*self.span)]
        plain = written.lstrip("-").replace(".", "", 1).isdigit() and len(written) < 20
        shown = written if plain else f"{float(value):.12g}"
        self.report(self.span, f"{what} is {shown}", expected)

    def length(self, what: str, low: float = -LARGEST, expected: str = "") -> float:
        """Return a length [m], given in cm.

        Args:
            what: Its name.
            low: The least that is allowed [m].
            expected: How to say so.
        """
        value = self.number(what)
        if value is None:
            return math.nan
        result = metres(value)
        if abs(result) > LARGEST:
            self._out_of_range(what, value, f"at most {LARGEST * 100:.0f} cm")
        elif result < low:
            self._out_of_range(what, value, expected)
        return result

    def size(self, what: str, smallest: float = SMALLEST) -> float:
        """Return a length above zero [m]."""
        return self.length(what, smallest, f"more than 0, at least {smallest * 100:g} cm")

    def height(self, what: str) -> float:
        """Return a length that may be zero [m]."""
        return self.length(what, 0.0, "0 or more")

    def speed(self, what: str, low: float = -LARGEST) -> float:
        """Return a speed [m/s], given in cm/s."""
        return self.length(what, low, "0 or more")

    def angle(self, what: str) -> float:
        """Return an angle [rad], given in degrees."""
        value = self.number(what)
        if value is None:
            return math.nan
        if abs(value) > LARGEST_ANGLE:
            self._out_of_range(what, value, f"at most {LARGEST_ANGLE} degrees")
        return radians(value)

    def share(self, what: str) -> float:
        """Return a number from 0 to 1."""
        value = self.number(what)
        if value is None:
            return math.nan
        if not 0 <= value <= 1:
            self._out_of_range(what, value, "0 to 1")
        return float(value)

    def quantity(self, what: str, low: float, high: float, unit: str) -> float:
        """Return a number within bounds that is kept as it is written."""
        value = self.number(what)
        if value is None:
            return math.nan
        # Both ends as floats: the exact 0.001 of a text lies below the float 0.001.
        if not low <= float(value) <= high:
            self._out_of_range(what, value, f"{low:g} to {high:g} {unit}".strip())
        return float(value)

    def point(self, x: str = "x", y: str = "y") -> tuple[float, float]:
        """Return two lengths [m]."""
        return self.length(x), self.length(y)

    def place(self) -> tuple[float, float, float]:
        """Return x, y and z [m]."""
        return self.length("x"), self.length("y"), self.length("z")

    def whole(self, what: str, low: int, high: int, follow: str = "") -> int:
        """Return a whole number from ``low`` to ``high``; ``low`` after a problem."""
        value = self.number(what, follow)
        if value is None:
            return low
        if value.denominator != 1 or not low <= value <= high:
            self._out_of_range(what, value, f"a whole number from {low} to {high}")
            return low
        return value.numerator

    def instance(self, low: int = -1) -> int:
        """Return an instance number."""
        return self.whole("instance", low, MOST_INSTANCE)

    def tiles(self, what: str) -> tuple[int, int]:
        """Return a range ``n`` or ``a~b`` of tile numbers."""
        first = self.whole(what, 0, MOST_TILE, follow="~")
        start = self.span[0]
        if self.scanner.letter() != "~":
            return first, first
        self.scanner.advance(self.scanner.position + 1)
        if self.scanner.blank_ahead():
            at = self.scanner.position
            self.scanner.fail((at - 1, at), "nothing stands behind '~'", "a range a~b")
        last = self.whole(what, 0, MOST_TILE)
        if last < first:
            span = (start, self.span[1])
            self.report(span, f"{what} run from {first} to {last}", "a~b with a at most b")
        return first, last

    def word(self, what: str, *, free: bool = False) -> str:
        """Return a word that is no directive.

        Args:
            what: Its name.
            free: Whether it may look like a directive, as long as it does not begin a line.
        """
        span, word = self.scanner.peek()
        self.span = span
        if not word:
            self.scanner.fail(span, "the file ends too early", self._wanted(what))
        if is_reserved(word) and not (free and not self.scanner.begins_line()):
            self.scanner.fail(
                span, f"found {quoted(word)} where {what} is missing", self._wanted(what)
            )
        self.scanner.advance(span[1])
        return word

    def name(self, what: str, known: Iterable[str] = ()) -> str:
        """Return the name of a new variable."""
        word = self.word(what)
        if not NAME.fullmatch(word) or len(word) > _LONGEST_NAME:
            self.report(self.span, f"{quoted(word)} is no name", "letters, digits and _")
        elif word in known:
            self.report(self.span, f"{quoted(word)} is defined already", "a new name")
        return word

    def title(self) -> str:
        """Return the name of a body: any word."""
        word = self.word("name", free=True)
        if len(word) > _LONGEST_NAME:
            self.report(self.span, "name is too long", f"at most {_LONGEST_NAME} characters")
        return word

    def choice(self, what: str, options: tuple[str, ...]) -> str:
        """Return one of a few words; the first after a problem."""
        word = self.word(what)
        if word in options:
            return word
        hint = did_you_mean(word, options)
        self.report(self.span, f"{what} is {quoted(word)}{hint}", " or ".join(options))
        return options[0]

    def direction(self) -> Literal["x", "y"]:
        """Return the direction in which heights change."""
        return "y" if self.choice("direction", ("x", "y")) == "y" else "x"

    def colour(self) -> str:
        """Return six hexadecimal digits in upper case."""
        word = self.word("colour")
        if _COLOUR.fullmatch(word):
            return word.upper()
        self.report(self.span, f"colour is {quoted(word)}", "6 hexadecimal digits such as F0E0A0")
        return _WRONG

    def colour_or_any(self) -> str | None:
        """Return a colour; None: ``*``, all of them."""
        span, word = self.scanner.peek()
        if word != "*":
            return self.colour()
        self.scanner.advance(span[1])
        return None

    def line_text(self) -> str | None:
        """Return the rest of the line with its values put in; None: a problem was reported."""
        self.span, text = self.texts.line()
        return text

    def trigger_text(self) -> str:
        """Return a word with its values put in."""
        _, word = self.scanner.peek()
        if not word or (is_reserved(word) and self.scanner.begins_line()):
            self.word("text")  # says what is missing
        self.span, text = self.texts.word()
        if text == "":
            self.report(self.span, "text is empty", "a text")
        return text or ""
