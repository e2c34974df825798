"""The formulas of one function: values defined one by one, shared and put in order at the end.

What comes out is a `CodeBlock`, the body of one function without the syntax of a language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import symengine

from armwerk.derivation.emit.aliases import is_plain, needed, resolved, without_aliases
from armwerk.derivation.emit.constants import PREFIX, Constants
from armwerk.derivation.program import Expression
from armwerk.derivation.ring import Angle, Poly, Ring
from armwerk.derivation.runtime.flow import NO_ROOTS, Builder, arrange, names_in
from armwerk.derivation.show import to_symengine

Vector = tuple[Expression, Expression, Expression]
ZERO: Expression = symengine.Integer(0)
NOTHING: Vector = (ZERO, ZERO, ZERO)


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
