"""The symbols of an arm as parameters of its generated code.

Comes in: a derivation with symbols. Goes out: which symbols the functions take, how each named
constant of the code is computed from them, and numbers to measure usual sizes with.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from armwerk.derivation.emit.function_builder import PREFIX
from armwerk.derivation.ring import Ring, parameter_names
from armwerk.errors import UnsupportedError
from armwerk.robot import Arm
from armwerk.robot.dimension import CONSTANTS, evaluate, symbols
from armwerk.robot.joint import Link

_FIRST, _STEP = 0.41421356237309, 0.03819660112501  # [m], [rad]; no arm has such dimensions
_C_WORDS = re.compile(
    "auto|break|case|char|const|continue|default|do|double|else|enum|extern|float|for|goto|if|"
    "inline|int|long|register|restrict|return|short|signed|sizeof|static|struct|switch|typedef|"
    "union|unsigned|void|volatile|while"
)


@dataclass(frozen=True, slots=True)
class ArmSymbol:
    """One symbol.

    Args:
        name: As in the description and in files.
        unit: "m" or "rad".
        example: A number of usual size [m], [rad].
    """

    name: str
    unit: str
    example: float

    @property
    def field(self) -> str:
        """Its name in the generated code, where words of the language are taken."""
        taken = _C_WORDS.fullmatch(self.name) or keyword.iskeyword(self.name)
        return f"{self.name}_" if taken else self.name


@dataclass(frozen=True, slots=True)
class ArmParameters:
    """The symbols of an arm.

    Args:
        symbols: What the functions take, sorted by name.
        formulas: For a named constant of the code, the function to take ("", "cos", "sin") of
            an expression in the symbols, and that expression.
    """

    symbols: tuple[ArmSymbol, ...] = ()
    formulas: Mapping[str, tuple[str, str]] | None = None

    def __bool__(self) -> bool:
        return bool(self.symbols)

    def examples(self) -> dict[str, float]:
        """Return the example of every symbol."""
        return {one.name: one.example for one in self.symbols}

    def values(self) -> dict[str, float]:
        """Return the constants, without prefix, that the examples give."""
        examples, found = self.examples(), {}
        for name, (function, text) in (self.formulas or {}).items():
            value = float(evaluate(text, examples))
            turn = {"cos": math.cos, "sin": math.sin}.get(function)
            found[name.removeprefix(PREFIX)] = value if turn is None else turn(value)
        return found

    def lines(self, used: Iterable[str], place: str, power: str) -> list[tuple[str, str]]:
        """Return names and texts of the constants that a function uses.

        Args:
            used: Names of constants.
            place: How the field {} is written.
            power: How the power {} of {} is written.
        """
        wanted = set(used)
        fields = {one.name: place.format(one.field) for one in self.symbols}
        found = []
        for name, (function, text) in (self.formulas or {}).items():
            if name in wanted:
                written = _written(ast.parse(text, mode="eval").body, fields, power)
                found.append((name, f"{function}({written})" if function else written))
        return found


def arm_parameters(arm: Arm, ring: Ring) -> ArmParameters:
    """Return the parameters of an arm; none for one with numbers.

    Raises:
        UnsupportedError: For symbols that the code cannot take; the message says where.
    """
    names = parameter_names(arm)
    if not names:
        return ArmParameters()
    angles: set[str] = set()
    lengths: set[str] = set()
    for joint in arm.joints:
        here = f"arm '{arm.name}', joint '{joint.name}'"
        if not joint.is_moving and any(
            isinstance(value, str) for value in (joint.d, joint.a, joint.alpha, joint.offset)
        ):
            raise UnsupportedError(
                f"{here}: a fixed joint with symbols cannot be written as C or Python; put its "
                "symbols into the row of a moving joint, or give numbers with "
                "arm.with_values(...)"
            )
        if joint.kind == "revolute" and isinstance(joint.offset, str):
            raise UnsupportedError(
                f"{here}: the symbolic offset {joint.offset} cannot be written as C or Python; "
                "add it to the joint value, or give a number [rad] with arm.with_values(...)"
            )
        lengths |= symbols(joint.d) | symbols(joint.a)
        angles |= symbols(joint.alpha) | symbols(joint.offset)
    for name in sorted(angles & lengths):
        raise UnsupportedError(
            f"arm '{arm.name}': {name} is a length [m] and an angle [rad] at once; give one of "
            "them another name"
        )
    found = tuple(
        ArmSymbol(name, "rad" if name in angles else "m", _FIRST + _STEP * k)
        for k, name in enumerate(names)
    )
    formulas: dict[str, tuple[str, str]] = {}
    for name in ring.parameters:
        if name not in ring.values:
            formulas[PREFIX + name] = ("", ring.definitions.get(name, name))
    for tag in ring.twists:
        if ring.twist_value(tag) is None:
            for letter, function in (("c", "cos"), ("s", "sin")):
                formulas[f"{PREFIX}{letter}{tag}"] = (function, ring.definitions[tag])
    return ArmParameters(found, formulas)


def example_arm(arm: Arm, parameters: ArmParameters) -> Arm:
    """Return an arm without masses whose symbols have their examples as numbers."""
    joints = tuple(
        replace(joint, link=Link(), armature=0.0, viscous_friction=0.0, coulomb_friction=(0.0, 0.0))
        for joint in arm.joints
    )
    return replace(arm, joints=joints).with_values(parameters.examples())


def _written(node: ast.expr, fields: Mapping[str, str], power: str) -> str:
    """Return an expression of a dimension in the words that C and Python share."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return repr(float(value))
        case ast.Name(id=name):
            return fields[name] if name in fields else repr(CONSTANTS[name])
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return power.format(_written(left, fields, power), _written(right, fields, power))
        case ast.BinOp(left=left, op=op, right=right):
            sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(op)]
            return f"({_written(left, fields, power)} {sign} {_written(right, fields, power)})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{_written(operand, fields, power)})"
        case ast.UnaryOp(operand=operand):
            return _written(operand, fields, power)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return f"{name}({_written(argument, fields, power)})"
    raise AssertionError(ast.dump(node))
