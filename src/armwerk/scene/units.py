"""Centimetres and degrees at the door of an environment file, exactly both ways.

Numbers of the file are fractions, turned into SI by one rounding to the nearest float; the writer
looks for the shortest decimal that this rounding brings back. So a scene that is written and read
again is the same to the last bit.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

_PI = Fraction("3.14159265358979323846264338327950288419716939937510")
_PER_DEGREE = _PI / 180
_EXACT = Context(prec=60)
_DIGITS = 25  # more than a float can tell apart
_PLAIN = range(-9, 16)  # powers of ten that are written without an exponent


def metres(centimetres: Fraction) -> float:
    """Return a length in cm, or a speed in cm/s, in SI [m, m/s]."""
    return float(centimetres / 100)


def radians(degrees: Fraction) -> float:
    """Return an angle in degrees in radians [rad]."""
    return float(degrees * _PER_DEGREE)


def number_text(value: float) -> str:
    """Return the shortest decimal that reads back as ``value``."""
    return _plain(Decimal(repr(float(value))))


def centimetre_text(metre: float) -> str:
    """Return the shortest decimal in cm that `metres` turns into ``metre``."""
    return _plain(Decimal(repr(float(metre))).scaleb(2, _EXACT))


def degree_text(angle: float) -> str:
    """Return the shortest decimal in degrees that `radians` turns into ``angle``."""
    if not math.isfinite(angle):
        return repr(float(angle))
    exact = Fraction(float(angle)) / _PER_DEGREE
    decimal = _EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    for digits in range(1, _DIGITS):
        short = Context(prec=digits).plus(decimal)
        if radians(Fraction(short)) == angle:
            return _plain(short)
    return _plain(decimal)


def _plain(decimal: Decimal) -> str:
    if not decimal:
        return "0"
    if decimal.adjusted() not in _PLAIN:
        return str(decimal.normalize(_EXACT)).lower()
    text = format(decimal, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
