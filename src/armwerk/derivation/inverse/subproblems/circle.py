"""Scalars and vectors that follow an angle: x0 + xc cos θ + xs sin θ with known x0, xc, xs.

A point on a circle is one, so is its distance squared from any point. The product of two such
scalars has cos 2θ and sin 2θ too; set to zero it is an equation of degree four in tan θ/2.
"""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.derivation.inverse.subproblems.axis import TwistAxis
from armwerk.derivation.inverse.subproblems.quantity import (
    Scalar,
    Vector,
    add,
    cross,
    dot,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import FiveScalars, StepBuilder


@dataclass(frozen=True, slots=True, eq=False)
class CircleScalar:
    """level + cosine cos θ + sine sin θ."""

    level: Scalar
    cosine: Scalar
    sine: Scalar

    def __add__(self, other: CircleScalar) -> CircleScalar:
        return CircleScalar(
            self.level + other.level, self.cosine + other.cosine, self.sine + other.sine
        )

    def __sub__(self, other: CircleScalar) -> CircleScalar:
        return CircleScalar(
            self.level - other.level, self.cosine - other.cosine, self.sine - other.sine
        )

    def times(self, factor: Scalar) -> CircleScalar:
        """Return a multiple."""
        return CircleScalar(self.level * factor, self.cosine * factor, self.sine * factor)

    def raised(self, by: Scalar) -> CircleScalar:
        """Return itself plus a number."""
        return CircleScalar(self.level + by, self.cosine, self.sine)

    def negated(self) -> CircleScalar:
        """Return minus itself."""
        return CircleScalar(-self.level, -self.cosine, -self.sine)

    @property
    def is_constant(self) -> bool:
        """Whether it does not depend on the angle."""
        return self.cosine.is_zero and self.sine.is_zero

    def shared(self, builder: StepBuilder) -> CircleScalar:
        """Return it with names for what is not simple."""
        level, cosine, sine = builder.shared((self.level, self.cosine, self.sine))
        return CircleScalar(level, cosine, sine)

    def at(self, builder: StepBuilder, axis: TwistAxis) -> Scalar:
        """Return its value, the angle of the axis now known."""
        c, s = builder.symbol(axis.angle.cos), builder.symbol(axis.angle.sin)
        return self.level + self.cosine * c + self.sine * s

    def twice_square(self) -> FiveScalars:
        """Return 2 x² by cosines and sines of θ and 2θ."""
        a, b, c = self.level, self.cosine, self.sine
        four = a + a + a + a
        return (a + a) * a + b * b + c * c, four * b, four * c, b * b - c * c, (b + b) * c

    def twice(self) -> FiveScalars:
        """Return 2 x in the same form."""
        a, b, c = self.level, self.cosine, self.sine
        zero = a - a
        return a + a, b + b, c + c, zero, zero


@dataclass(frozen=True, slots=True, eq=False)
class CircleVector:
    """centre + cosine cos θ + sine sin θ, where cosine and sine are the radii of a circle."""

    centre: Vector
    cosine: Vector
    sine: Vector

    def dot(self, other: Vector) -> CircleScalar:
        """Return the scalar product with a known vector."""
        return CircleScalar(dot(self.centre, other), dot(self.cosine, other), dot(self.sine, other))

    def less(self, other: Vector) -> CircleVector:
        """Return itself minus a known vector."""
        return CircleVector(subtract(self.centre, other), self.cosine, self.sine)

    def square(self) -> CircleScalar:
        """Return its length squared: radii at right angles and of one length."""
        two = add(self.centre, self.centre)
        level = dot(self.centre, self.centre) + dot(self.cosine, self.cosine)
        return CircleScalar(level, dot(two, self.cosine), dot(two, self.sine))

    def along(self, way: CircleScalar, direction: Vector) -> CircleVector:
        """Return itself plus a multiple of a known vector; what results is an ellipse."""
        return CircleVector(
            add(self.centre, scaled(way.level, direction)),
            add(self.cosine, scaled(way.cosine, direction)),
            add(self.sine, scaled(way.sine, direction)),
        )

    def at(self, builder: StepBuilder, axis: TwistAxis) -> Vector:
        """Return its value, the angle of the axis now known."""
        c, s = builder.symbol(axis.angle.cos), builder.symbol(axis.angle.sin)
        return add(self.centre, add(scaled(c, self.cosine), scaled(s, self.sine)))


def turned_vector(builder: StepBuilder, axis: TwistAxis, vector: Vector) -> CircleVector:
    """Return exp(xi θ) applied to a direction, θ unknown."""
    along = builder.shared(scaled(dot(axis.direction, vector), axis.direction))
    flat = builder.shared(subtract(vector, along))
    return CircleVector(along, flat, builder.shared(cross(axis.direction, vector)))


def turned_point(builder: StepBuilder, axis: TwistAxis, point: Vector) -> CircleVector:
    """Return exp(xi θ) applied to a point, θ unknown."""
    turned = turned_vector(builder, axis, builder.shared(subtract(point, axis.point)))
    return CircleVector(builder.shared(add(turned.centre, axis.point)), turned.cosine, turned.sine)


def total(*parts: FiveScalars) -> FiveScalars:
    """Return the sum of trigonometric polynomials."""
    k0, k1, k2, k3, k4 = parts[0]
    for b0, b1, b2, b3, b4 in parts[1:]:
        k0, k1, k2, k3, k4 = k0 + b0, k1 + b1, k2 + b2, k3 + b3, k4 + b4
    return k0, k1, k2, k3, k4


def negative(one: FiveScalars) -> FiveScalars:
    """Return minus a trigonometric polynomial."""
    k0, k1, k2, k3, k4 = one
    return -k0, -k1, -k2, -k3, -k4


def solve_on_circle(builder: StepBuilder, axis: TwistAxis, five: FiveScalars) -> bool:
    """Find the angle of an axis from a polynomial, of degree two where that is what it is."""
    k0, k1, k2, k3, k4 = five
    if k3.is_zero and k4.is_zero:
        if k1.is_zero and k2.is_zero:
            return False
        builder.two_fold(axis.angle, k1, k2, -k0)
    else:
        builder.four_fold(axis.angle, five)
    return True
