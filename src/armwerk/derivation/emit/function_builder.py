"""The formulas of one function: values defined one by one, shared and put in order at the end.

What comes out is a `CodeBlock`, the body of one function without the syntax of a language. The
numbers of an arm are named constants of the generated code: zero, one and minus one stay numbers,
so that terms with them vanish, and a number that occurs twice has one name. Definitions that only
rename something are taken out, and what nobody uses then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import symengine

from armwerk.derivation.program import Expression
from armwerk.derivation.ring import Angle, Poly, Ring
from armwerk.derivation.runtime.flow import NO_ROOTS, Builder, Definition, arrange, names_in
from armwerk.derivation.show import to_symengine

PREFIX = "p_"
_ROUNDING = 1e-15  # what is left of a cosine of 90 degrees, as a share of one
RESULT = "out_"  # what names of results start with; they are no better than x0
_SHARED = re.compile(r"x\d+")  # names that the search for common sub-expressions gives
Vector = tuple[Expression, Expression, Expression]
ZERO: Expression = symengine.Integer(0)
NOTHING: Vector = (ZERO, ZERO, ZERO)


@dataclass(frozen=True, slots=True)
class Constant:
    """A named number.

    Args:
        name: As in the source, with its prefix.
        value: The number.
        unit: "m", "kg", ... empty for a plain number.
    """

    name: str
    value: float
    unit: str


class Constants:
    """Hands out symbols for numbers."""

    def __init__(self) -> None:
        self._known: dict[str, Constant] = {}

    def define(self, name: str, value: float, unit: str) -> None:
        """Give a number a name, without its prefix."""
        self._known[PREFIX + name] = Constant(PREFIX + name, value, unit)

    def symbol(self, value: float, name: str, unit: str = "", size: float = 1.0) -> Expression:
        """Return 0, ±1 or a signed symbol for a number.

        Args:
            value: The number.
            name: Its name when it is new, without prefix.
            unit: Only numbers of one unit share a name.
            size: Numbers below a rounding error of this are zero.
        """
        if abs(value) <= _ROUNDING * size:
            return symengine.Integer(0)
        sign = 1 if value > 0 else -1
        if abs(abs(value) - 1.0) <= _ROUNDING:
            return symengine.Integer(sign)
        for other in self._known.values():
            if other.unit == unit and abs(abs(value) - other.value) <= _ROUNDING * abs(value):
                return sign * symengine.Symbol(other.name)
        self.define(name, abs(value), unit)
        return sign * symengine.Symbol(PREFIX + name)

    def names(self) -> frozenset[str]:
        """Return all names so far."""
        return frozenset(self._known)

    def used(self, names: Iterable[str]) -> list[Constant]:
        """Return the constants among some names, in order of definition."""
        wanted = set(names)
        return [one for name, one in self._known.items() if name in wanted]


def without_aliases(
    definitions: Sequence[Definition],
) -> tuple[list[Definition], dict[str, Expression]]:
    """Return the definitions in which no name stands for another name or a number.

    A sub-expression that has a name of its own elsewhere gets that name.

    Args:
        definitions: In order of execution.

    Returns:
        What is left, and what stands for the names that are gone.
    """
    swap = _better_names(definitions)
    gone: dict[str, Expression] = {old: symengine.Symbol(new) for old, new in swap.items()}
    kept: list[Definition] = []
    for one in definitions:
        names = tuple(swap.get(name, name) for name in one.names)
        mapping = {symengine.Symbol(name): value for name, value in gone.items()}
        expressions = tuple(value.xreplace(mapping) for value in one.expressions)
        if one.kind == "value" and is_plain(expressions[0]):
            if expressions[0] != symengine.Symbol(names[0]):
                # what was renamed to this name has to follow it
                step = {symengine.Symbol(names[0]): expressions[0]}
                gone = {name: value.xreplace(step) for name, value in gone.items()}
                gone[names[0]] = expressions[0]
            continue
        kept.append(replace(one, names=names, expressions=expressions))
    return kept, gone


def needed(definitions: Sequence[Definition], results: Iterable[str]) -> list[Definition]:
    """Return the definitions that the results need."""
    wanted = set(results)
    kept: list[Definition] = []
    for one in reversed(definitions):
        if wanted.intersection(one.names):
            wanted |= one.uses()
            kept.append(one)
    return kept[::-1]


def is_plain(value: Expression) -> bool:
    """Whether a value is a number or a name, with or without a sign."""
    return bool(value.is_Number or value.is_Symbol or (-value).is_Symbol)


def resolved(name: str, gone: Mapping[str, Expression]) -> Expression:
    """Return what stands for a name now."""
    return gone.get(name, symengine.Symbol(name))


def _better_names(definitions: Sequence[Definition]) -> dict[str, str]:
    defined = {name for one in definitions for name in one.names}
    found: dict[str, str] = {}
    for one in definitions:
        if one.kind != "value" or not one.expressions[0].is_Symbol:
            continue
        old = one.expressions[0].name
        new = one.names[0]
        is_free = old in defined and old not in found and bool(_SHARED.fullmatch(old))
        if is_free and not new.startswith(RESULT):
            found[old] = new
    return found


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The body of a function.

    Args:
        statements: name = expression, each behind what it uses.
        outputs: What leaves: place and expression, in order.
        inputs: Names that come from outside, sorted; constants are not among them.
    """

    statements: tuple[tuple[str, Expression], ...]
    outputs: tuple[tuple[str, Expression], ...]
    inputs: frozenset[str]

    def expressions(self) -> list[Expression]:
        """Return everything that is computed."""
        return [value for _, value in (*self.statements, *self.outputs)]

    def constants(self) -> set[str]:
        """Return the names of the constants it uses."""
        names = set().union(*(names_in(one) for one in self.expressions()))
        return {name for name in names if name.startswith(PREFIX)}


class FunctionBuilder:
    """Collects the formulas of one function.

    Args:
        constants: Where the numbers are.
        inputs: Names that come from outside.
    """

    def __init__(self, constants: Constants, inputs: Iterable[str]) -> None:
        self._constants = constants
        self._builder = Builder(constants.names())
        self._inputs = frozenset(inputs)
        for name in self._inputs:
            self._builder.depends[name] = NO_ROOTS
        self._outputs: dict[str, str] = {}

    def let(self, name: str, value: Expression) -> Expression:
        """Give a value a name unless it is a number or a name; return what stands for it."""
        value = symengine.sympify(value)
        if is_plain(value):
            return value
        self._admit(value)
        return self._builder.value(name, value)

    def vector(self, name: str, values: Sequence[Expression]) -> Vector:
        """Give names to the three components of a vector."""
        x, y, z = (
            self.let(f"{name}{axis}", value) for axis, value in zip("xyz", values, strict=True)
        )
        return x, y, z

    def put(self, place: str, value: Expression) -> None:
        """Say what goes to a place of the result."""
        value = symengine.sympify(value)
        self._admit(value)
        name = f"out_{len(self._outputs)}"
        self._builder.value(name, value)
        self._outputs[name] = place

    def block(self) -> CodeBlock:
        """Return what has been collected, shared and in order."""
        flow = arrange(self._builder, list(self._outputs))
        found = [one for level in flow.levels for one in level.statements]
        found, gone = without_aliases(found)
        results = [(place, resolved(name, gone)) for name, place in self._outputs.items()]
        roots = {name for _, value in results for name in names_in(value)}
        found = needed(found, roots)
        values = {one.names[0]: one.expressions[0] for one in found}
        # an output that nothing else uses is written to its place at once
        outputs = [
            (place, values.pop(str(value), value))
            if str(value) in self._outputs
            else (place, value)
            for place, value in results
        ]
        computed = [*values.values(), *(value for _, value in outputs)]
        used: set[str] = set().union(*(names_in(value) for value in computed))
        return CodeBlock(
            tuple(values.items()), tuple(_in_order(outputs)), frozenset(used & self._inputs)
        )

    def _admit(self, value: Expression) -> None:
        for name in names_in(value):  # constants may be defined while the function is built
            if name.startswith(PREFIX):
                self._builder.depends.setdefault(name, NO_ROOTS)
        self._builder.parameters = self._constants.names()


def _in_order(outputs: list[tuple[str, Expression]]) -> list[tuple[str, Expression]]:
    """Return outputs by the number of their place, where places are numbers."""
    if all(place.isdigit() for place, _ in outputs):
        return sorted(outputs, key=lambda output: int(output[0]))
    return outputs


def lifted(ring: Ring, poly: Poly) -> Expression:
    """Return a polynomial with constants under the names of the generated code."""
    swap = _swap(ring)
    return symengine.sympify(to_symengine(ring, poly)).xreplace(swap)


def _swap(ring: Ring) -> Mapping[Expression, Expression]:
    names = [*ring.parameters]
    names += [name for tag in ring.twists for name in (f"c{tag}", f"s{tag}")]
    return {symengine.Symbol(name): symengine.Symbol(PREFIX + name) for name in names}


def joint_inputs(ring: Ring) -> list[str]:
    """Return the names of cosines, sines and slides of an arm."""
    found = [name for angle in ring.angles for name in (angle.cos, angle.sin)]
    return found + list(ring.slides.values())


def angles_used(ring: Ring, names: Iterable[str]) -> list[tuple[Angle, bool, bool]]:
    """Return the angles whose cosine or sine is among the names, and which of the two is."""
    wanted = set(names)
    found = [(angle, angle.cos in wanted, angle.sin in wanted) for angle in ring.angles]
    return [one for one in found if one[1] or one[2]]
