"""Operators and predefined functions: which types they take, what they give, what computes them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from armwerk.language import arithmetic as number, frames
from armwerk.language.types import (
    BOOL,
    CHAR,
    INT,
    NUMBERS,
    ORIENTATION,
    POSE,
    POSITION,
    REAL,
    STRING,
    IrlType,
)

Compute = Callable[..., object]


class Signature(NamedTuple):
    """A predefined function for arguments of certain types."""

    parameters: tuple[IrlType, ...]
    result: IrlType
    compute: Compute


def _binary() -> dict[tuple[str, IrlType, IrlType], tuple[IrlType, Compute]]:
    table: dict[tuple[str, IrlType, IrlType], tuple[IrlType, Compute]] = {}
    ints = {
        "+": number.add_int,
        "-": number.subtract_int,
        "*": number.multiply_int,
        "div": number.divide_int,
        "mod": number.remainder,
        "**": number.power_int,
    }
    reals = {
        "+": number.add_real,
        "-": number.subtract_real,
        "*": number.multiply_real,
        "**": number.power_real,
    }
    for sign, whole in ints.items():
        table[sign, INT, INT] = (INT, whole)
    for a in NUMBERS:
        for b in NUMBERS:
            table["/", a, b] = (REAL, number.divide_real)
            if (a, b) != (INT, INT):
                table |= {(sign, a, b): (REAL, compute) for sign, compute in reals.items()}
        table["*", a, POSITION] = (POSITION, frames.scale)
        table["*", POSITION, a] = (POSITION, frames.scaled)
        table["/", POSITION, a] = (POSITION, frames.divided)
    for a in (STRING, CHAR):
        for b in (STRING, CHAR):
            table["+", a, b] = (STRING, number.join)
    table["+", POSITION, POSITION] = (POSITION, frames.add_rows)
    table["-", POSITION, POSITION] = (POSITION, frames.subtract_rows)
    table["@", POSE, POSE] = (POSE, frames.composed)
    table["@", POSE, POSITION] = (POSITION, frames.placed)
    table["@", ORIENTATION, ORIENTATION] = (ORIENTATION, frames.product)
    table["@", ORIENTATION, POSITION] = (POSITION, frames.rotated)
    table["exor", BOOL, BOOL] = (BOOL, operator.ne)
    orders: dict[str, Compute] = {
        "=": operator.eq,
        "<>": operator.ne,
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
    }
    for sign, compare in orders.items():
        for group in (NUMBERS, (STRING, CHAR)):
            table |= {(sign, a, b): (BOOL, compare) for a in group for b in group}
    return table


BINARY = _binary()
EQUALITY: dict[str, Compute] = {"=": operator.eq, "<>": operator.ne}
"""Between values of any one type."""
UNARY: dict[tuple[str, IrlType], tuple[IrlType, Compute]] = {
    ("-", INT): (INT, operator.neg),
    ("-", REAL): (REAL, operator.neg),
    ("-", POSITION): (POSITION, frames.negative),
    ("+", INT): (INT, operator.pos),
    ("+", REAL): (REAL, operator.pos),
    ("not", BOOL): (BOOL, operator.not_),
}


def _degrees(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda angle: function(math.radians(angle))


def _inverse(function: Callable[[float], float], name: str) -> Callable[[float], float]:
    return number.real_function(lambda value: math.degrees(function(value)), name)


def _column(index: int) -> Callable[[frames.Row], frames.Row]:
    return lambda orientation: frames.columns(orientation)[index]


def _part(index: int) -> Callable[[frames.Row], float]:
    return lambda orientation: orientation[index]


_R1, _R3 = (REAL,), (REAL, REAL, REAL)
_ANGLES = (STRING, ORIENTATION)
FUNCTIONS: dict[str, tuple[Signature, ...]] = {
    "abs": (Signature((INT,), INT, abs), Signature(_R1, REAL, abs)),
    "sgn": (
        Signature((INT,), INT, lambda value: (value > 0) - (value < 0)),
        Signature(_R1, INT, lambda value: (value > 0) - (value < 0)),
    ),
    "sqrt": (Signature(_R1, REAL, number.real_function(math.sqrt, "sqrt")),),
    "ln": (Signature(_R1, REAL, number.real_function(math.log, "ln")),),
    "exp": (Signature(_R1, REAL, number.real_function(math.exp, "exp")),),
    "sin": (Signature(_R1, REAL, _degrees(math.sin)),),
    "cos": (Signature(_R1, REAL, _degrees(math.cos)),),
    "tan": (Signature(_R1, REAL, _degrees(math.tan)),),
    "asin": (Signature(_R1, REAL, _inverse(math.asin, "asin")),),
    "acos": (Signature(_R1, REAL, _inverse(math.acos, "acos")),),
    "atan": (Signature(_R1, REAL, _inverse(math.atan, "atan")),),
    "atan2": (Signature((REAL, REAL), REAL, lambda y, x: math.degrees(math.atan2(y, x))),),
    "min": (Signature((INT, INT), INT, min), Signature((REAL, REAL), REAL, min)),
    "max": (Signature((INT, INT), INT, max), Signature((REAL, REAL), REAL, max)),
    "round": (Signature(_R1, INT, number.whole(number.round_half_away)),),
    "trunc": (Signature(_R1, INT, number.whole(math.trunc)),),
    "float": (Signature((INT,), REAL, float),),
    "chr": (Signature((INT,), CHAR, number.letter),),
    "ord": (Signature((CHAR,), INT, ord),),
    "len": (Signature((STRING,), INT, len),),
    "substr": (Signature((STRING, INT, INT), STRING, number.part_of),),
    "upper": (Signature((STRING,), STRING, str.upper),),
    "lower": (Signature((STRING,), STRING, str.lower),),
    "str_to_int": (Signature((STRING,), INT, number.to_int),),
    "str_to_real": (Signature((STRING,), REAL, number.to_real),),
    "cross": (Signature((POSITION, POSITION), POSITION, frames.cross),),
    "dot": (Signature((POSITION, POSITION), REAL, frames.dot),),
    "norm": (Signature((POSITION,), REAL, frames.length),),
    "distance": (Signature((POSITION, POSITION), REAL, frames.distance),),
    "inv": (
        Signature((POSE,), POSE, frames.inverted),
        Signature((ORIENTATION,), ORIENTATION, frames.conjugate),
    ),
    "orivang": (Signature((POSITION, REAL), ORIENTATION, frames.about),),
    "oriquat": (Signature((REAL,) * 4, ORIENTATION, frames.unit_quaternion),),
    "orimat": (Signature((POSITION,) * 3, ORIENTATION, frames.from_columns),),
    "orimult": (Signature((ORIENTATION, ORIENTATION), ORIENTATION, frames.product),),
    "orixyz": (Signature(_R3, ORIENTATION, partial(frames.euler, "xyz")),),
    "oriyxz": (Signature(_R3, ORIENTATION, partial(frames.euler, "yxz")),),
    "orizyx": (Signature(_R3, ORIENTATION, partial(frames.euler, "zyx")),),
    "orizyz2": (Signature(_R3, ORIENTATION, partial(frames.euler, "zyz")),),
    "orirs": (Signature(_R3, ORIENTATION, lambda a, b, c: frames.euler("zyx", c, b, a)),),
    "quata": (Signature((ORIENTATION,), REAL, _part(0)),),
    "quatb": (Signature((ORIENTATION,), REAL, _part(1)),),
    "quatc": (Signature((ORIENTATION,), REAL, _part(2)),),
    "quatd": (Signature((ORIENTATION,), REAL, _part(3)),),
    "rotangle": (Signature((ORIENTATION,), REAL, frames.turn_angle),),
    "rotaxis": (Signature((ORIENTATION,), POSITION, frames.turn_axis),),
    "vectorn": (Signature((ORIENTATION,), POSITION, _column(0)),),
    "vectoro": (Signature((ORIENTATION,), POSITION, _column(1)),),
    "vectora": (Signature((ORIENTATION,), POSITION, _column(2)),),
    "anglex": (Signature(_ANGLES, REAL, partial(frames.angle_about, "x")),),
    "angley": (Signature(_ANGLES, REAL, partial(frames.angle_about, "y")),),
    "anglez": (Signature(_ANGLES, REAL, partial(frames.angle_about, "z")),),
    "anglez2": (Signature(_ANGLES, REAL, partial(frames.angle_about, "z2")),),
}
