"""A dimension of an arm: a number, or an expression in named symbols; numbers with units.

The derivation works with symbols (``a1``), the numbers with floats. A dimension is therefore
a float or a text such as ``"a1 + 0.1"``; a text without symbols (``"pi/2"``) becomes a float at
once. Anything with a ``free_symbols`` attribute (a SymPy expression) is taken by its text.

In files people write numbers with units: "660.4 mm", "-90 deg", "110 deg/s". Everything inside
armwerk is SI and radians; this is the door.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

from armwerk.errors import DescriptionError

Dimension: TypeAlias = float | str

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sqrt": math.sqrt,
}
CONSTANTS = {"pi": math.pi}
_NO_NAMES = ("nan", "inf", "infinity")  # failed calculations, never names of dimensions
_DECIMAL_COMMA = re.compile(r"(?<![\w.,])([+-]?\d+),(\d+)(?![\d.,])")
LONGEST = 200  # characters; a dimension is a length or an angle, not a program

_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
    ast.Pow: math.pow,
}
_ALLOWED = (
    "a finite number, or an expression of numbers, names, + - * / **, pi, sqrt, sin, cos, tan"
)
_NUMBER_AND_UNIT = re.compile(
    r"\s*((?>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))\s*([A-Za-z°][^+*()]*?)\s*"
)


def dimension(value: object, element: str) -> Dimension:
    """Return ``value`` as a float, or as normalised text when it holds symbols.

    Args:
        value: Number, text or symbolic expression.
        element: What the value is, for the error message ("joint 'q1', alpha").

    Raises:
        DescriptionError: When it is neither a finite number nor an allowed expression.
    """
    if isinstance(value, bool) or value is None:
        raise DescriptionError("not a number", element=element, value=value, allowed=_ALLOWED)
    if isinstance(value, str) or hasattr(value, "free_symbols"):
        return _from_text(str(value), element)
    return number(value, element)


def decimal_comma_hint(text: str) -> str:
    """Return how a number with a decimal comma is written here, "a decimal comma? Write 0.5".

    Empty when there is none in the text.
    """
    found = _DECIMAL_COMMA.search(text)
    if found is None:
        return ""
    return f"a decimal comma in '{found.group(0)}'? Write {found.group(1)}.{found.group(2)}"


def number(value: object, element: str) -> float:
    """Return ``value`` as a finite float or raise a `DescriptionError`."""
    try:
        if isinstance(value, bool | str):
            raise TypeError
        result = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise DescriptionError(
            "not a number", element=element, value=value, allowed="a finite number"
        ) from None
    if not math.isfinite(result):
        raise DescriptionError(
            "not finite", element=element, value=value, allowed="a finite number"
        )
    return result


def symbols(value: Dimension) -> frozenset[str]:
    """Return the names of the symbols in a dimension; none for a float."""
    if isinstance(value, float):
        return frozenset()
    names = {node.id for node in ast.walk(_tree(value, "")) if isinstance(node, ast.Name)}
    return frozenset(names - FUNCTIONS.keys() - CONSTANTS.keys())


def evaluate(value: Dimension, values: Mapping[str, float], element: str = "") -> Dimension:
    """Put numbers in place of symbols; what stays unknown stays symbolic."""
    if isinstance(value, float):
        return value
    if symbols(value) <= values.keys():
        return number(_number(_tree(value, element), values, element), element)
    tree = _Replace(values).visit(_tree(value, element))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Replace(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(float(self.values[node.id])) if node.id in self.values else node


def _from_text(text: str, element: str) -> Dimension:
    tree = _tree(text, element)
    _check(tree.body, element, text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if any(name.lower() in _NO_NAMES for name in names):
        raise DescriptionError("not finite", element=element, value=text, allowed=_ALLOWED)
    if names <= FUNCTIONS.keys() | CONSTANTS.keys():
        return number(_number(tree, {}, element), element)
    return ast.unparse(tree)


def _tree(text: str, element: str) -> ast.Expression:
    try:
        if len(text) > LONGEST:
            raise SyntaxError
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise DescriptionError(
            "not an expression", element=element, value=text, allowed=_ALLOWED
        ) from None


def _check(node: ast.AST, element: str, text: str) -> None:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float()):
            return
        case ast.Name():
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            _check(left, element, text)
            _check(right, element, text)
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            _check(operand, element, text)
            return
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            _check(argument, element, text)
            return
    raise DescriptionError("not an expression", element=element, value=text, allowed=_ALLOWED)


def _number(tree: ast.Expression, values: Mapping[str, float], element: str) -> float:
    def walk(node: ast.AST) -> float:
        match node:
            case ast.Constant(value=int() | float() as constant):
                return float(constant)
            case ast.Name(id=name):
                return float(values[name] if name in values else CONSTANTS[name])
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](walk(left), walk(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -walk(operand)
            case ast.UnaryOp(operand=operand):
                return walk(operand)
            case ast.Call(func=ast.Name(id=name), args=[argument]):
                return FUNCTIONS[name](walk(argument))
        raise KeyError(ast.dump(node))

    try:
        return walk(tree.body)
    except (ArithmeticError, ValueError, KeyError) as error:
        raise DescriptionError(
            f"cannot be evaluated ({error})", element=element, value=ast.unparse(tree)
        ) from None


def _scaled(factor: str) -> Callable[[str], float]:
    # in decimals, so that "660.4 mm" is the very float 0.6604
    return lambda digits: float(Decimal(digits) * Decimal(factor))


def _degrees(digits: str) -> float:
    return math.radians(float(digits))


_LENGTHS: dict[str, Callable[[str], float]] = {
    "m": float,
    "cm": _scaled("0.01"),
    "mm": _scaled("0.001"),
    "in": _scaled("0.0254"),
}
_ANGLES: dict[str, Callable[[str], float]] = {"rad": float, "deg": _degrees, "°": _degrees}


def _over_time(
    units: dict[str, Callable[[str], float]], time: str
) -> dict[str, Callable[[str], float]]:
    return {f"{unit}/{time}": change for unit, change in units.items()}


UNITS: dict[str, dict[str, Callable[[str], float]]] = {
    "length": _LENGTHS,
    "angle": _ANGLES,
    "joint value": {**_ANGLES, **_LENGTHS},  # where the kind of the joint is not known yet
    "speed": _over_time(_LENGTHS, "s"),
    "angular speed": _over_time(_ANGLES, "s"),
    "acceleration": _over_time(_LENGTHS, "s^2"),
    "angular acceleration": _over_time(_ANGLES, "s^2"),
    "jerk": _over_time(_LENGTHS, "s^3"),
    "angular jerk": _over_time(_ANGLES, "s^3"),
    "force": {"N": float},
    "torque": {"N m": float, "Nm": float},
    "mass": {"kg": float, "g": _scaled("0.001")},
    "time": {"s": float, "ms": _scaled("0.001")},
    "inertia": {"kg m^2": float},
    "pressure": {"Pa": float, "kPa": _scaled("1000"), "bar": _scaled("100000")},
    "stiffness": {"N/m": float, "N/mm": _scaled("1000")},
    "number": {},
}
"""Quantity -> unit -> how to turn digits into SI."""

QUANTITIES = {
    "revolute": {
        "limits": "angle",
        "angle_limits": "angle",
        "max_velocity": "angular speed",
        "max_acceleration": "angular acceleration",
        "max_jerk": "angular jerk",
        "max_force": "torque",
        "coulomb_friction": "torque",
    },
    "prismatic": {
        "limits": "length",
        "angle_limits": "length",
        "max_velocity": "speed",
        "max_acceleration": "acceleration",
        "max_jerk": "jerk",
        "max_force": "force",
        "coulomb_friction": "force",
    },
}
"""Kind of joint -> field -> quantity, for the fields whose unit depends on the kind."""


def dimension_in(value: object, quantity: str, element: str) -> Dimension:
    """Return a number, a text with a unit, or an expression as a dimension in SI.

    Args:
        value: 0.6604, "660.4 mm", "pi/2", "a1 + 0.1". A plain number is SI already.
        quantity: Key of `UNITS`.
        element: What the value is, for the error message.

    Raises:
        DescriptionError: For a unit of the wrong sort, or a text that is no dimension.
    """
    if isinstance(value, str):
        found = _NUMBER_AND_UNIT.fullmatch(value)
        if found:
            return _converted(found.group(1), found.group(2), quantity, element, value)
    try:
        return dimension(value, element)
    except DescriptionError as error:
        units = ", ".join(UNITS[quantity])
        if not (isinstance(value, str) and error.allowed):
            raise
        hint = decimal_comma_hint(value)
        with_unit = f"a number with a unit ({units}), or " if units else ""
        raise DescriptionError(
            f"{error.problem}; {hint}" if hint else error.problem,
            element=element,
            value=value,
            allowed=with_unit + error.allowed,
        ) from None


def number_in(value: object, quantity: str, element: str) -> float:
    """Return ``value`` like `dimension_in`, but refuse symbols."""
    result = dimension_in(value, quantity, element)
    if isinstance(result, str):
        raise DescriptionError(
            "not a number", element=element, value=value, allowed="a number, no symbols"
        )
    return result


def _converted(digits: str, unit: str, quantity: str, element: str, text: str) -> float:
    units = UNITS[quantity]
    unit = " ".join(unit.replace("²", "^2").replace("³", "^3").split())
    if unit not in units:
        known = ", ".join(units) or "no unit"
        article = "an" if quantity[0] in "aeiou" else "a"
        raise DescriptionError(
            f"wrong unit '{unit}' for {article} {quantity}" if units else "takes no unit",
            element=element,
            value=text,
            allowed=known,
        )
    number(float(digits), element)
    return number(units[unit](digits), element)
