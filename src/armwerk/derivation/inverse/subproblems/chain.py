"""The chain of joints that are still unknown: exp(xi_1 q_1) ... exp(xi_k q_k) = g.

A joint that becomes known leaves the chain. Its exponential e is brought to an end, where it
joins the goal g: either to the left, e_a e = e e_a' with the twist of a' = Ad(e^-1) of that of
a, or to the right, e e_b = e_b' e with Ad(e).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import symengine

from armwerk.derivation.exponentials import cross, twists, zero_pose
from armwerk.derivation.inverse.knowledge import StepNames
from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.subproblems.axis import Axes, TwistAxis, origin, units
from armwerk.derivation.inverse.subproblems.quantity import (
    Scalar,
    Vector,
    add,
    dot,
    parallel,
    scaled,
    subtract,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder
from armwerk.derivation.ring import POSE_ROWS, Angle, Poly, Ring
from armwerk.derivation.show import to_symengine

LONG = 8  # operations of a constant that is worth a name


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """A known rigid motion g.

    Args:
        columns: The images of the unit vectors.
        anchor: A point.
        image: Where g takes it.
    """

    columns: tuple[Vector, Vector, Vector]
    anchor: Vector
    image: Vector

    def turned(self, vector: Vector) -> Vector:
        """Return g applied to a direction."""
        x, y, z = (scaled(k, column) for k, column in zip(vector, self.columns, strict=True))
        return add(x, add(y, z))

    def moved(self, point: Vector) -> Vector:
        """Return g applied to a point."""
        return add(self.image, self.turned(subtract(point, self.anchor)))

    def inverse(self) -> Goal:
        """Return g^-1."""
        return Goal(transposed(self.columns), self.image, self.anchor)

    def before(self, builder: StepBuilder, axis: TwistAxis) -> Goal:
        """Return exp(-xi q) g for a known joint."""
        back = axis.reversed()
        x, y, z = (builder.shared(back.turned(builder, column)) for column in self.columns)
        return Goal((x, y, z), self.anchor, builder.shared(back.moved(builder, self.image)))

    def behind(self, builder: StepBuilder, axis: TwistAxis) -> Goal:
        """Return g exp(-xi q) for a known joint."""
        back = axis.reversed()
        x, y, z = (
            builder.shared(self.turned(back.turned(builder, unit))) for unit in units(self.image[0])
        )
        return Goal((x, y, z), builder.shared(axis.moved(builder, self.anchor)), self.image)


@dataclass(frozen=True, slots=True, eq=False)
class TwistChain:
    """Unknown axes in order, and the motion they must make together."""

    axes: Axes
    goal: Goal

    def backwards(self) -> TwistChain:
        """Return the same equation inverted: exp(-xi_k q_k) ... exp(-xi_1 q_1) = g^-1."""
        axes = tuple(axis.reversed() for axis in reversed(self.axes))
        return TwistChain(axes, self.goal.inverse())

    def without(self, builder: StepBuilder, place: int) -> TwistChain:
        """Return the chain with the axis at ``place`` (from 0), now known, in the goal."""
        known, axes = self.axes[place], self.axes
        if place < len(axes) / 2:
            back = known.reversed()
            left = tuple(axis.carried(builder, back) for axis in axes[:place])
            return TwistChain(left + axes[place + 1 :], self.goal.before(builder, known))
        right = tuple(axis.carried(builder, known) for axis in axes[place + 1 :])
        return TwistChain(axes[:place] + right, self.goal.behind(builder, known))

    def orders(self) -> list[TwistChain]:
        """Return the chain itself, and with slides moved past turns about parallel axes.

        A slide along an axis and the turn about it may be made in either order.
        """
        found, waiting = [self], [self]
        while waiting:
            axes = waiting.pop().axes
            for k in range(len(axes) - 1):
                one, two = axes[k], axes[k + 1]
                if one.is_rotation == two.is_rotation:
                    continue
                swapped = (*axes[:k], two, one, *axes[k + 2 :])
                is_known = any(other.axes == swapped for other in found)
                if not is_known and parallel(one.direction, two.direction):
                    found.append(TwistChain(swapped, self.goal))
                    waiting.append(found[-1])
        return found

    def bundles(self, ring: Ring) -> Axes | None:
        """Return the rotations, neighbours with parallel axes as one; None if one has no name.

        On directions slides do nothing, and parallel rotations add up to one about their common
        direction by the signed sum of their angles.
        """
        found: list[list[TwistAxis]] = []
        for axis in self.axes:
            if not axis.is_rotation:
                continue
            if found and parallel(found[-1][-1].direction, axis.direction):
                found[-1].append(axis)
            else:
                found.append([axis])
        bundles = tuple(_bundle(group) for group in found)
        named = all(bundle.angle in ring.angles for bundle in bundles)
        return bundles if named else None


def first_chain(ring: Ring, builder: StepBuilder) -> TwistChain:
    """Return all joints of an arm with g = R T(0)^-1."""
    x, y, z, tip = (_vector(ring, builder, column) for column in zip(*zero_pose(ring), strict=True))
    rows = [[builder.symbol(name) for name in names] for names in POSE_ROWS]
    n, o, a, image = (_three([row[k] for row in rows]) for k in range(4))
    pose = Goal((n, o, a), tip, image)
    u, v, w = (builder.shared(pose.turned(column)) for column in transposed((x, y, z)))
    return TwistChain(tuple(_axes(ring, builder)), Goal((u, v, w), tip, image))


def transposed(columns: tuple[Vector, Vector, Vector]) -> tuple[Vector, Vector, Vector]:
    """Return the rows of a matrix given by columns."""
    x, y, z = columns
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


def number_of(ring: Ring, builder: StepBuilder, poly: Poly) -> Scalar:
    """Return a polynomial in the dimensions of the arm as a constant."""
    numbers = np.array([ring.evaluate(poly, probe) for probe in builder.probes])
    return Scalar(to_symengine(ring, poly), numbers, True)


def first_builder(memory: Memory) -> StepBuilder:
    """Return an empty builder with the probes of a working memory."""
    return StepBuilder(memory.probes, StepNames(), frozenset(memory.ring.known_values()))


def _axes(ring: Ring, builder: StepBuilder) -> list[TwistAxis]:
    found = []
    for twist in twists(ring):
        slides = twist.joint in ring.slides
        direction = _vector(ring, builder, twist.v if slides else twist.w)
        point = _vector(ring, builder, _nearest_point(ring, twist.v, twist.w))
        unknown = twist.joint if slides else Angle(((twist.joint, 1),))
        found.append(TwistAxis(unknown, direction, point))
    return found


def _nearest_point(ring: Ring, v: tuple[Poly, ...], w: tuple[Poly, ...]) -> tuple[Poly, ...]:
    """Return w × v, the point of the axis next to the origin."""
    return tuple(ring.reduce(entry) for entry in cross(w, v))


def _bundle(group: list[TwistAxis]) -> TwistAxis:
    """Return the rotation of directions that a group of parallel rotations makes."""
    members = sorted(group, key=lambda axis: axis.angle.terms[0][0])
    lead = members[0]
    terms = []
    for axis in members:
        sense = 1 if dot(lead.direction, axis.direction).numbers[0] > 0 else -1
        terms.append((axis.angle.terms[0][0], sense))
    return TwistAxis(Angle(tuple(terms)), lead.direction, origin(lead.direction[0]))


def _vector(ring: Ring, builder: StepBuilder, polys: tuple[Poly, ...] | list[Poly]) -> Vector:
    """Return constants; long ones, as odd twists make them, under names of their own."""
    found = [number_of(ring, builder, poly) for poly in polys]
    return _three(
        [one if symengine.count_ops(one.value) <= LONG else builder.share(one) for one in found]
    )


def _three(values: list[Scalar]) -> Vector:
    x, y, z = values
    return x, y, z
