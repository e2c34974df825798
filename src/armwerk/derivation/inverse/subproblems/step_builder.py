"""Where a derivation by twists builds the steps of its program, and notes what they conclude."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
import symengine

from armwerk.derivation.inverse.knowledge import StepNames, two_fold_steps
from armwerk.derivation.inverse.memory import Unknown
from armwerk.derivation.inverse.subproblems.quantity import Scalar, Vector
from armwerk.derivation.program import Expression, Let, LinePair, Root, Slide, Step, Turn
from armwerk.derivation.ring import Angle

FiveScalars: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar]


@dataclass(frozen=True, slots=True)
class SubProblem:
    """What an explanation says about a sub-problem.

    Args:
        number: "sub-problem 2", or the name of a step that has no number in the source.
        title: What moves.
        pattern, solution: The equation and its solution, as LaTeX.
    """

    number: str
    title: str
    pattern: str
    solution: str


@dataclass(frozen=True, slots=True, eq=False)
class SolvedSubProblem:
    """A solved sub-problem: what it found, and the steps that compute it."""

    problem: SubProblem
    unknowns: tuple[Unknown, ...]
    steps: tuple[Step, ...]
    remark: str = ""


@dataclass(slots=True, eq=False)
class StepBuilder:
    """Where sub-problems write their steps.

    Args:
        probes: Random postures: a number for every name that occurs, unknowns included.
        names: Fresh names for roots and shared values.
        valued: Names of dimensions that have a number; only of these the sign is certain.
        pending: Steps that belong to no conclusion yet.
        conclusions: What has been found.
        remark: Where the equation comes from; goes into the next conclusions.
    """

    probes: list[dict[str, float]]
    names: StepNames
    valued: frozenset[str] = frozenset()
    pending: list[Step] = field(default_factory=list)
    conclusions: list[SolvedSubProblem] = field(default_factory=list)
    remark: str = ""

    def fork(self) -> StepBuilder:
        """Return a copy to try something on, without the conclusions."""
        probes = [dict(probe) for probe in self.probes]
        return StepBuilder(probes, replace(self.names), self.valued, list(self.pending))

    def symbol(self, name: str, is_constant: bool = False) -> Scalar:
        """Return the scalar behind a name of the probes."""
        numbers = np.array([probe[name] for probe in self.probes])
        return Scalar(symengine.Symbol(name), numbers, is_constant)

    def number(self, value: float) -> Scalar:
        """Return a number; whole ones are exact."""
        exact = symengine.Integer(int(value)) if value == int(value) else symengine.sympify(value)
        return Scalar(exact, np.full(len(self.probes), float(value)), True)

    def share(self, scalar: Scalar) -> Scalar:
        """Return the scalar under a name of its own, unless it is simple."""
        value = self.names.share(scalar.value, self.pending)
        if value.is_Symbol:
            for probe, number in zip(self.probes, scalar.numbers, strict=True):
                probe[value.name] = float(number)
        return Scalar(value, scalar.numbers, scalar.is_constant)

    def shared(self, vector: Vector) -> Vector:
        """Return the vector with a name for every component that is not simple."""
        return self.share(vector[0]), self.share(vector[1]), self.share(vector[2])

    def root(self, radicand: Scalar, truth: Scalar) -> Scalar:
        """Return ± sqrt(radicand); ``truth`` tells which of the two a probe has."""
        name = self.names.root()
        self.pending.append(Root(name, radicand.value))
        return Scalar(symengine.Symbol(name), truth.numbers)

    def turn(self, angle: Angle, sine: Scalar, cosine: Scalar) -> None:
        """Find an angle from a positive multiple of its sine and cosine."""
        self.pending.append(Turn(angle, sine.value, cosine.value))

    def slide(self, joint: int, numerator: Scalar, denominator: Scalar) -> None:
        """Find a slide."""
        top, bottom = numerator.value, denominator.value
        if bottom == -1:
            top, bottom = -top, -bottom
        self.pending.append(Slide(joint, top, bottom))

    def two_fold(self, angle: Angle, a: Scalar, b: Scalar, c: Scalar) -> None:
        """Find an angle from a cos + b sin = c: two solutions, c = 0 needs no root."""
        if c.is_zero and not (a.is_zero or b.is_zero):
            name = self.names.root()
            sign = symengine.Symbol(name)
            self.pending += [
                Root(name, symengine.Integer(1)),
                Turn(angle, sign * a.value, -sign * b.value),
            ]
            return
        single = a if b.is_zero else b
        sign = self._sign(single) if a.is_zero or b.is_zero else 0
        self.pending += two_fold_steps(angle, a.value, b.value, c.value, sign, self.names)

    def four_fold(self, angle: Angle, coefficients: FiveScalars) -> None:
        """Find an angle from k0 + k1 cos + k2 sin + k3 cos 2θ + k4 sin 2θ = 0: four solutions."""
        names = self.names.lines()
        k0, k1, k2, k3, k4 = (self.share(one).value for one in coefficients)
        self.pending.append(LinePair(names, (k0, k1, k2, k3, k4)))
        choice = self.names.root()
        self.pending.append(Root(choice, symengine.Integer(1)))
        a, b, e = (
            (symengine.Symbol(one) + symengine.Symbol(two)) / 2
            + symengine.Symbol(choice) * (symengine.Symbol(one) - symengine.Symbol(two)) / 2
            for one, two in zip(names[:3], names[3:], strict=True)
        )
        self.pending += two_fold_steps(angle, a, b, e, 0, self.names)

    def conclude(self, problem: SubProblem, unknowns: Iterable[Unknown]) -> None:
        """Close a sub-problem: the pending steps are its own."""
        found = SolvedSubProblem(problem, tuple(unknowns), tuple(self.pending), self.remark)
        self.conclusions.append(found)
        self.pending = []

    def _sign(self, scalar: Scalar) -> int:
        """Return the sign of a constant, 0 when it hangs on a dimension without number."""
        names = {symbol.name for symbol in scalar.value.free_symbols}
        if not scalar.is_constant or not names <= self.valued:
            return 0
        return 1 if scalar.numbers[0] > 0 else -1


def count_roots(steps: Iterable[Step]) -> int:
    """Return how often the steps double the number of branches."""
    return sum(isinstance(step, Root) for step in steps)


def operations(steps: Iterable[Step]) -> int:
    """Return a measure of the arithmetic in the steps."""
    return sum(_size(expression) for step in steps for expression in _expressions(step))


def _expressions(step: Step) -> tuple[Expression, ...]:
    match step:
        case Let(_, value):
            return (value,)
        case Root(_, radicand):
            return (radicand,)
        case Turn(_, sine, cosine):
            return (sine, cosine)
        case Slide(_, numerator, denominator):
            return (numerator, denominator)
        case LinePair(_, coefficients):
            return coefficients
    return ()


def _size(expression: Expression) -> int:
    return 1 + sum(_size(part) for part in expression.args)
