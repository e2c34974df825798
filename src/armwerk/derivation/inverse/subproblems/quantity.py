"""Known quantities: an expression together with its numbers at a few random postures.

Whether two axes are parallel, meet, or stand at right angles decides which formula of a
sub-problem applies. The expression goes into the program; the numbers answer those questions,
and turn whatever is zero at every posture into an exact zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import symengine
from numpy.typing import NDArray

from armwerk.derivation.program import Expression

ZERO = (
    1e-11  # below this everywhere a quantity is zero: rounding makes 1e-15, lengths are 0.01 to 1
)
_SNAPPED = (-1, 0, 1)
SHORT = 40  # operations up to which a constant is multiplied out, so that equal terms cancel


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A number that is known when the program runs.

    Args:
        value: As an expression.
        numbers: Its value at every probe. Shape (k,).
        is_constant: Whether it is the same for every pose: made of dimensions only.
    """

    value: Expression
    numbers: NDArray[np.float64]
    is_constant: bool = False

    @property
    def is_zero(self) -> bool:
        """Whether it is zero at every probe."""
        return bool(self.value == 0)

    def __add__(self, other: Scalar) -> Scalar:
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        return _made(
            self.value + other.value,
            self.numbers + other.numbers,
            self.is_constant and other.is_constant,
        )

    def __neg__(self) -> Scalar:
        return Scalar(-self.value, -self.numbers, self.is_constant)

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __mul__(self, other: Scalar) -> Scalar:
        if self.is_zero or other.is_zero:
            return self if self.is_zero else other
        return _made(
            self.value * other.value,
            self.numbers * other.numbers,
            self.is_constant and other.is_constant,
        )

    def __truediv__(self, other: Scalar) -> Scalar:
        if other.value == 1 or self.is_zero:
            return self
        return _made(
            self.value / other.value,
            self.numbers / other.numbers,
            self.is_constant and other.is_constant,
        )


Vector: TypeAlias = tuple[Scalar, Scalar, Scalar]


def _made(value: Expression, numbers: NDArray[np.float64], is_constant: bool) -> Scalar:
    """Return a scalar; what is 0 everywhere, or a constant ±1, becomes exact."""
    if np.abs(numbers).max() < ZERO:
        return Scalar(symengine.Integer(0), np.zeros_like(numbers), True)
    if is_constant:
        for whole in _SNAPPED:
            if np.abs(numbers - whole).max() < ZERO:
                return Scalar(symengine.Integer(whole), np.full_like(numbers, whole), True)
        value = symengine.expand(value) if symengine.count_ops(value) <= SHORT else value
    return Scalar(value, numbers, is_constant)


def constant(value: int, like: Scalar) -> Scalar:
    """Return a whole number as a scalar with as many probes as ``like``."""
    return Scalar(symengine.Integer(value), np.full_like(like.numbers, value), True)


def add(one: Vector, two: Vector) -> Vector:
    """Return one + two."""
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


def subtract(one: Vector, two: Vector) -> Vector:
    """Return one - two."""
    return one[0] - two[0], one[1] - two[1], one[2] - two[2]


def scaled(factor: Scalar, vector: Vector) -> Vector:
    """Return factor times vector."""
    return factor * vector[0], factor * vector[1], factor * vector[2]


def negated(vector: Vector) -> Vector:
    """Return minus the vector."""
    return -vector[0], -vector[1], -vector[2]


def dot(one: Vector, two: Vector) -> Scalar:
    """Return the scalar product."""
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2]


def cross(one: Vector, two: Vector) -> Vector:
    """Return the vector product."""
    return (
        one[1] * two[2] - one[2] * two[1],
        one[2] * two[0] - one[0] * two[2],
        one[0] * two[1] - one[1] * two[0],
    )


def is_zero(vector: Vector) -> bool:
    """Whether all components are zero at every probe."""
    return all(component.is_zero for component in vector)


def parallel(one: Vector, two: Vector) -> bool:
    """Whether two directions are parallel or opposite at every probe."""
    return is_zero(cross(one, two))


def perpendicular(one: Vector, two: Vector) -> bool:
    """Whether two directions stand at right angles at every probe."""
    return dot(one, two).is_zero
