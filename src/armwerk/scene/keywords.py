"""The words of an environment file, how each directive is written, and its units.

Centimetres and degrees stand at the door of the file, exactly both ways: its numbers are fractions,
turned into SI by one rounding to the nearest float; the writer looks for the shortest decimal that
this rounding brings back. So a scene that is written and read again is the same to the last bit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import Context, Decimal
from difflib import get_close_matches
from fractions import Fraction

NUMBERED = ("ROBOT", "CONTROLLER", "CONFIG", "MANIPULATOR", "GRIPPER")

USAGE: dict[str, str] = {
    "NUMBER": "name value",
    "STRING": "name text",
    "DEBUGNAME": "name",
    "MASS": "kg",
    "DENSITY": "kg/m³",
    "FRICTION": "coefficient",
    "BOUNCE": "share",
    "MAGNETIC": "0 or 1",
    "MULTIROBOT": "count",
    "ROBOT": "x y angle",
    "CONTROLLER": "class",
    "CONFIG": "text",
    "MANIPULATOR": "class",
    "GRIPPER": "class",
    "TRIGGERPROCESSOR": "instance class",
    "TPCONFIG": "text",
    "BORDER": "minx miny maxx maxy",
    "TILE": "columns rows colour",
    "BOTTOMPAINT": "colour alpha shape ENDSLICK",
    "STEP": "height colour shape ENDSTEP",
    "SLOPE": "height1 height2 x|y colour RECT… ENDSLOPE",
    "SLICE": "bottom top colour shape ENDSLICE",
    "WEDGE": "upper1 upper2 lower1 lower2 x|y colour RECT… ENDWEDGE",
    "CONVEYOR": (
        "instance RUN|STOP height1 height2 x|y speed tomiddlespeed colour RECT… ENDCONVEYOR"
    ),
    "SPHERE": "x y z radius colour",
    "BALL": "x y z radius resistance bounce colour",
    "CUBOID": "x y z sizex sizey sizez colour",
    "TRIGGER": "kind instance text x y radius height colour (or x1 y1 x2 y2 height colour)",
}
# to the file of the source, by armwerk
ADDITIONS = ("MASS", "DENSITY", "FRICTION", "BOUNCE", "MAGNETIC")
SHAPES: dict[str, str] = {
    "RECT": "x y sizex sizey",
    "CIRCLE": "x y radius",
    "POLY": "n x1 y1 … xn yn",
}
ENDS: dict[str, tuple[str, ...]] = {
    "BOTTOMPAINT": ("ENDSLICK", "ENDBOTTOMPAINT"),
    "STEP": ("ENDSTEP",),
    "SLOPE": ("ENDSLOPE",),
    "SLICE": ("ENDSLICE",),
    "WEDGE": ("ENDWEDGE",),
    "CONVEYOR": ("ENDCONVEYOR",),
}
BODIES = (*ENDS, "SPHERE", "BALL", "CUBOID")
ALL_ENDS = frozenset(end for ends in ENDS.values() for end in ends)

_WITH_NUMBER = re.compile(rf"({'|'.join(NUMBERED)})([0-9]*)")
_LONGEST = 40  # a longer word is no misspelling, and comparing it would take long
_MOST_KNOWN = 500
_PI = Fraction("3.14159265358979323846264338327950288419716939937510")
_PER_DEGREE = _PI / 180
_EXACT = Context(prec=60)
_DIGITS = 25  # more than a float can tell apart
_PLAIN = range(-9, 16)  # powers of ten that are written without an exponent


def split(word: str) -> tuple[str, str]:
    """Return directive and robot number: ``ROBOT3`` is ROBOT and 3; no number: an empty text."""
    match = _WITH_NUMBER.fullmatch(word)
    return (match[1], match[2]) if match else (word, "")


def is_directive(word: str) -> bool:
    """Say whether a word begins a directive."""
    return split(word)[0] in USAGE


def _shortened(word: str) -> set[str]:
    return {word[:i] + word[i + 1 :] for i in range(len(word))}


_NEAR = {short for name in (*USAGE, *(f"{n}0" for n in NUMBERED)) for short in _shortened(name)}


def is_nearly_directive(word: str) -> bool:
    """Say whether a word is a directive, or one with a letter wrong, missing or too many.

    Asked for every line after a mistake, so it compares sets of shortened words; that costs the
    length of the word and no more.
    """
    if len(word) > _LONGEST:
        return False
    word = word.upper()
    if is_directive(word) or word in _NEAR:
        return True
    return any(is_directive(short) or short in _NEAR for short in _shortened(word))


def is_reserved(word: str) -> bool:
    """Say whether a word means something in the file, so that no variable may have its name.

    Additions do not count: files from elsewhere may have variables of these names.
    """
    if word in ADDITIONS:
        return False
    return is_directive(word) or word in SHAPES or word in ALL_ENDS


def closest(word: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """Return the word that was probably meant, whatever its case; None: nothing is close."""
    names = {name.upper(): name for name in list(known)[:_MOST_KNOWN]}
    if len(word) > _LONGEST:
        return None
    found = get_close_matches(word.upper(), names, n=1, cutoff=cutoff)
    return names[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint to put behind a message, or an empty text."""
    close = closest(word, known)
    return f"; did you mean '{close}'?" if close else ""


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
