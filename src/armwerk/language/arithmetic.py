"""Numbers and texts of IRL: every result is in range, or a `Fault` says why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable

MOST_INT = 2**31 - 1  # as on controllers, so that a program does the same there
MOST_LETTERS = 100_000  # of a string: a loop that doubles one is stopped
_INFINITE = math.inf


class Fault(Exception):  # noqa: N818 - the user sees an ExecutionError with the place
    """A statement cannot be carried out; the interpreter adds where."""


def in_range(value: int) -> int:
    """Return an int that can be one.

    Raises:
        Fault: When it is too large.
    """
    if -MOST_INT <= value <= MOST_INT:
        return value
    raise Fault(f"the result is too large for an int (at most {MOST_INT})")


def finite(value: float) -> float:
    """Return a real that can be one.

    Raises:
        Fault: When it is infinite or not a number.
    """
    if -_INFINITE < value < _INFINITE:
        return value
    raise Fault("the result is too large for a real")


def add_int(a: int, b: int) -> int:
    """Return a + b."""
    value = a + b
    if -MOST_INT <= value <= MOST_INT:
        return value
    return in_range(value)


def subtract_int(a: int, b: int) -> int:
    """Return a - b."""
    value = a - b
    if -MOST_INT <= value <= MOST_INT:
        return value
    return in_range(value)


def multiply_int(a: int, b: int) -> int:
    """Return a b."""
    return in_range(a * b)


def divide_int(a: int, b: int) -> int:
    """Return the whole part of a / b, towards zero."""
    if b == 0:
        raise Fault("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    """Return a - (a div b) b: it has the sign of a."""
    return a - divide_int(a, b) * b


def power_int(a: int, b: int) -> int:
    """Return a to the power of b, which is not negative."""
    if b < 0:
        raise Fault("an int to a negative power is no int; make it a real")
    if abs(a) > 1 and b > 31:
        raise Fault(f"the result is too large for an int (at most {MOST_INT})")
    return in_range(a**b)


def add_real(a: float, b: float) -> float:
    """Return a + b."""
    return finite(a + b)


def subtract_real(a: float, b: float) -> float:
    """Return a - b."""
    return finite(a - b)


def multiply_real(a: float, b: float) -> float:
    """Return a b."""
    return finite(a * b)


def divide_real(a: float, b: float) -> float:
    """Return a / b."""
    if b == 0:
        raise Fault("division by zero")
    return finite(a / b)


def power_real(a: float, b: float) -> float:
    """Return a to the power of b."""
    try:
        value = float(a) ** b
    except (OverflowError, ZeroDivisionError):
        raise Fault(f"{a:g} ** {b:g} has no finite value") from None
    if isinstance(value, complex):
        raise Fault(f"{a:g} ** {b:g} is no real number")
    return finite(value)


def join(a: str, b: str) -> str:
    """Return two texts one behind the other."""
    if len(a) + len(b) > MOST_LETTERS:
        raise Fault(f"the text is longer than {MOST_LETTERS} letters")
    return a + b


def real_function(function: Callable[[float], float], name: str) -> Callable[[float], float]:
    """Return a function of reals whose failures are faults."""

    def safe(value: float) -> float:
        try:
            return finite(function(value))
        except (ValueError, OverflowError):
            raise Fault(f"{name}({value:g}) has no value") from None

    return safe


def whole(function: Callable[[float], float]) -> Callable[[float], int]:
    """Return a function from real to int."""
    return lambda value: in_range(int(function(value)))


def round_half_away(value: float) -> float:
    """Return the nearest whole number; halves go away from zero."""
    return math.copysign(math.floor(abs(value) + 0.5), value)


def letter(code: int) -> str:
    """Return the character of a code, 0 to 127."""
    if not 0 <= code <= 127:
        raise Fault(f"there is no character {code} (0 to 127)")
    return chr(code)


def part_of(text: str, start: int, count: int) -> str:
    """Return letters of a text, counted from 1."""
    if start < 1 or count < 0:
        raise Fault(f"substr from {start}, {count} letters: positions begin at 1")
    return text[start - 1 : start - 1 + count]


def to_int(text: str) -> int:
    """Return the whole number that a text shows."""
    try:
        return in_range(int(text.strip()))
    except ValueError:
        raise Fault(f"'{text[:40]}' is no whole number") from None


def to_real(text: str) -> float:
    """Return the number that a text shows."""
    try:
        return finite(float(text.strip().replace("_", "x")))
    except ValueError:
        raise Fault(f"'{text[:40]}' is no number") from None


def letter_of(text: str, index: int) -> str:
    """Return a letter of a text, counted from 1."""
    if not 1 <= index <= len(text):
        raise Fault(f"index {index} is outside 1..{len(text)} of the text")
    return text[index - 1]


def shown_value(value: object) -> str:
    """Return a value as ``writeln`` shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = f"{value + 0.0:.10g}"
        return text if "." in text or "e" in text else f"{text}.0"
    if isinstance(value, list):
        return "(" + ", ".join(map(shown_value, value)) + ")"
    return str(value)
