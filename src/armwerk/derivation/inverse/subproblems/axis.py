"""Axes of rotation and of translation, and what their exponentials do to points and directions.

rotation     exp(xi theta) x = x - u2 + cos(theta) u2 + sin(theta) (w × u),
             u = x - r,  u2 = u - w (w · u)                                 (4.17)
translation  exp(xi d) x = x + d v
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from armwerk.derivation.inverse.subproblems.quantity import (
    Scalar,
    Vector,
    add,
    constant,
    cross,
    dot,
    is_zero,
    negated,
    parallel,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder
from armwerk.derivation.ring import Angle


@dataclass(frozen=True, slots=True, eq=False)
class TwistAxis:
    """A joint, or a bundle of parallel rotations acting on directions as one.

    Args:
        unknown: The angle it turns by, or the number of the slide.
        direction: Unit vector w of a rotation or v of a translation.
        point: A point r on the axis of a rotation; of no meaning for a translation.
    """

    unknown: Angle | int
    direction: Vector
    point: Vector

    @property
    def is_rotation(self) -> bool:
        """Whether it turns."""
        return isinstance(self.unknown, Angle)

    @property
    def angle(self) -> Angle:
        """The angle of a rotation."""
        if isinstance(self.unknown, int):
            raise TypeError(f"joint {self.unknown} is a slide and has no angle")
        return self.unknown

    @property
    def slide(self) -> int:
        """The number of a slide."""
        if isinstance(self.unknown, Angle):
            raise TypeError(f"{self.unknown} is an angle, not a slide")
        return self.unknown

    def reversed(self) -> TwistAxis:
        """Return the axis of exp(-xi q)."""
        return TwistAxis(self.unknown, negated(self.direction), self.point)

    def through(self, point: Vector) -> TwistAxis:
        """Return the same axis with another of its points."""
        return TwistAxis(self.unknown, self.direction, point)

    def flat(self, vector: Vector) -> Vector:
        """Return the part of a vector at right angles to the axis."""
        return subtract(vector, scaled(dot(self.direction, vector), self.direction))

    def moved(self, builder: StepBuilder, point: Vector) -> Vector:
        """Return exp(xi q) applied to a point, with q known."""
        if not self.is_rotation:
            return add(point, scaled(builder.symbol(f"q{self.unknown}"), self.direction))
        arm = subtract(point, self.point)
        return add(self.point, self.turned(builder, arm))

    def turned(self, builder: StepBuilder, vector: Vector) -> Vector:
        """Return exp(xi q) applied to a direction, with q known."""
        if not self.is_rotation:
            return vector
        c, s = builder.symbol(self.angle.cos), builder.symbol(self.angle.sin)
        along = scaled(dot(self.direction, vector), self.direction)
        flat = subtract(vector, along)
        side = cross(self.direction, vector)
        return add(along, add(scaled(c, flat), scaled(s, side)))

    def carried(self, builder: StepBuilder, by: TwistAxis) -> TwistAxis:
        """Return the axis Ad_{exp(by)} xi, moved by another joint that is known."""
        direction = builder.shared(by.turned(builder, self.direction))
        point = self.point
        if self.is_rotation:
            point = builder.shared(by.moved(builder, self.point))
        return TwistAxis(self.unknown, direction, point)


Axes: TypeAlias = tuple[TwistAxis, ...]


def meeting_point(one: TwistAxis, two: TwistAxis) -> Vector | None:
    """Return the point where two rotation axes meet (4.77); None if parallel or skew."""
    if parallel(one.direction, two.direction):
        return None
    gap = subtract(one.point, two.point)
    normal = cross(two.direction, one.direction)
    if not dot(gap, normal).is_zero:
        return None
    way = dot(cross(gap, one.direction), normal) / dot(normal, normal)
    return add(two.point, scaled(way, two.direction))


def contains(axis: TwistAxis, point: Vector) -> bool:
    """Whether a rotation leaves a point where it is."""
    return axis.is_rotation and is_zero(cross(axis.direction, subtract(point, axis.point)))


def same_line(one: TwistAxis, two: TwistAxis) -> bool:
    """Whether two rotation axes are one line."""
    return parallel(one.direction, two.direction) and contains(one, two.point)


def origin(like: Scalar) -> Vector:
    """Return the zero vector."""
    zero = constant(0, like)
    return zero, zero, zero


def units(like: Scalar) -> tuple[Vector, Vector, Vector]:
    """Return the three unit vectors."""
    zero, one = constant(0, like), constant(1, like)
    return (one, zero, zero), (zero, one, zero), (zero, zero, one)
