"""Decomposition of the chain into sub-problems (4.5.4): points and directions that stay.

A point on an axis stays where it is when the axis turns; so does the direction of the axis, and
every axis parallel to it keeps that direction too. Applied to such a point or direction, the
equation of the chain loses exponentials, until a sub-problem fits. Each proposal is something
to try on a fork of the work builder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from armwerk.derivation.inverse.memory import Memory
from armwerk.derivation.inverse.subproblems import solve_point_problem
from armwerk.derivation.inverse.subproblems.axis import (
    Axes,
    TwistAxis,
    contains,
    meeting_point,
    units,
)
from armwerk.derivation.inverse.subproblems.chain import TwistChain
from armwerk.derivation.inverse.subproblems.one_rotation import TO_POINT, rotate_vector
from armwerk.derivation.inverse.subproblems.quantity import Vector, cross, is_zero
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder
from armwerk.derivation.inverse.subproblems.two_axes import solve_meeting

MOST_AXES = 3  # that a point sub-problem can have


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A sub-problem that may fit, and where its equation comes from."""

    remark: str
    solve: Callable[[StepBuilder], bool]


def proposals(memory: Memory, chain: TwistChain) -> Iterator[Proposal]:
    """Return everything with a point or a direction worth trying, from both ends of a chain."""
    for view in (chain, chain.backwards()):
        yield from _points(view)
        yield from _directions(memory, view)


def _points(chain: TwistChain) -> Iterator[Proposal]:
    """Points that the last exponentials leave where they are, so that few are left over."""
    axes, goal = chain.axes, chain.goal
    start = goal.anchor
    for count in range(1, min(MOST_AXES, len(axes)) + 1):
        for point, remark in fixed_points(axes[count:], start):

            def solve(builder: StepBuilder, count: int = count, point: Vector = point) -> bool:
                image = builder.shared(goal.moved(point))
                return solve_point_problem(builder, axes[:count], point, image)

            yield Proposal(remark, solve)


def fixed_points(axes: Axes, start: Vector) -> list[tuple[Vector, str]]:
    """Return a point that lies on all axes, if there is one, with the reason.

    Args:
        axes: The last axes of a chain.
        start: The point to take when there are none.
    """
    if not axes:
        return [(start, "applied to the tool point at zero")]
    names = ", ".join(str(axis.unknown) for axis in axes)
    if not all(axis.is_rotation for axis in axes):
        return []
    if len(axes) == 1:
        return [(axes[0].point, f"applied to a point on the axis of {names}")]
    point = meeting_point(axes[0], axes[1])
    if point is None or not all(contains(axis, point) for axis in axes[2:]):
        return []
    return [(point, f"applied to the point where the axes of {names} meet")]


def _directions(memory: Memory, chain: TwistChain) -> Iterator[Proposal]:
    """Directions that the last rotation leaves as they are; slides leave all of them."""
    bundles = chain.bundles(memory.ring)
    if not bundles:
        return

    def solve(builder: StepBuilder) -> bool:
        return _orientation(memory, chain, bundles, builder)

    yield Proposal("applied to directions, which slides and parallel turns leave alone", solve)


def _orientation(memory: Memory, chain: TwistChain, bundles: Axes, builder: StepBuilder) -> bool:
    """Solve for the first one or two bundles of parallel rotations."""
    goal, left = chain.goal, list(bundles)
    for bundle in bundles:
        # a sum of angles may be known before its members are: it joins the goal here
        if bundle.unknown in memory.known:
            place = left.index(bundle)
            moved = TwistChain(tuple(left), goal).without(builder, place)
            left, goal = list(moved.axes), moved.goal
    if not left:
        return False
    if len(left) == 1:
        start = _across(left[0])
        return start is not None and _turn(
            builder, left[0], start, builder.shared(goal.turned(start))
        )
    last = left[-1].direction
    image = builder.shared(goal.turned(last))
    if len(left) == 2:
        return _turn(builder, left[0], last, image)
    return len(left) == 3 and solve_meeting(builder, (left[0], left[1]), last, image)


def _turn(builder: StepBuilder, axis: TwistAxis, start: Vector, image: Vector) -> bool:
    if not rotate_vector(builder, axis, start, image):
        return False
    builder.conclude(TO_POINT, (axis.unknown,))
    return True


def _across(axis: TwistAxis) -> Vector | None:
    """Return a unit vector that the rotation turns, at right angles to its axis if possible."""
    like = axis.direction[0]
    for unit, component in zip(units(like), axis.direction, strict=True):
        if component.is_zero:
            return unit
    for unit in units(like):
        if not is_zero(cross(axis.direction, unit)):
            return unit
    return None
