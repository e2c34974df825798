"""Invariants between two axes: equations with a single unknown when no point problem fits.

For a point, direction or line on axis i and another on axis j the joints in between may change
their distance, height, angle or moment, or may not; the joints outside change where g puts
them, or do not. If all in all one unknown joint matters, the invariant gives it:

    distance   |E p - r|² for points p, r                sub-problem 3 or 4
    height     f · (E p - r) for a direction f and a point p   circle and plane
    angle      f · E d for two directions                circle and plane, for a direction
    moment     f · (E d × (E p - r)) for two lines       line and line

Which joints matter is tried with random numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.derivation.inverse.subproblems.axis import (
    TwistAxis,
    meeting_point,
    origin,
)
from armwerk.derivation.inverse.subproblems.chain import Goal, TwistChain
from armwerk.derivation.inverse.subproblems.decomposition import Proposal
from armwerk.derivation.inverse.subproblems.one_rotation import (
    TO_DISTANCE,
    TO_MOMENT,
    TO_PLANE,
    rotate_to_distance,
    rotate_to_moment,
    rotate_to_plane,
)
from armwerk.derivation.inverse.subproblems.quantity import (
    ZERO,
    Scalar,
    Vector,
    cross,
    dot,
    is_zero,
    subtract,
)
from armwerk.derivation.inverse.subproblems.slides import (
    DISTANCE,
    SLIDE_TO_PLANE,
    slide_to_distance,
)
from armwerk.derivation.inverse.subproblems.step_builder import StepBuilder, SubProblem

Kind: TypeAlias = Literal["distance", "height", "angle", "moment"]
KINDS: tuple[Kind, ...] = ("distance", "height", "angle", "moment")
SEED = 7


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A point on an axis and the direction of the axis."""

    place: int
    point: Vector
    direction: Vector


def invariant_proposals(chain: TwistChain, kinds: tuple[Kind, ...] = KINDS) -> Iterator[Proposal]:
    """Return the invariants that depend on one unknown joint, distances first.

    All but the height treat both axes alike; for heights over the later axis hand over the
    chain backwards.
    """
    features = list(_features(chain))
    trial = _NumericChain(chain)
    for kind in kinds:
        for one in features:
            for two in features:
                if one.place < two.place and _is_distinct(kind, one, two):
                    yield from _proposal(chain, trial, kind, one, two)


def _features(chain: TwistChain) -> Iterator[Feature]:
    """Every rotation axis with its meeting points with the neighbours, or any point."""
    for place, axis in enumerate(chain.axes):
        if not axis.is_rotation:
            continue
        points: list[Vector] = []
        for other in chain.axes[max(place - 1, 0) : place + 2]:
            if other is not axis and other.is_rotation:
                point = meeting_point(axis, other)
                if point is not None and not any(_same(point, known) for known in points):
                    points.append(point)
        for point in points or [axis.point]:
            yield Feature(place, point, axis.direction)


def _same(one: Vector, two: Vector) -> bool:
    return is_zero(subtract(one, two))


def _is_distinct(kind: Kind, one: Feature, two: Feature) -> bool:
    return kind != "distance" or not _same(one.point, two.point)


class _NumericChain:
    """The chain in numbers, at random joint values."""

    def __init__(self, chain: TwistChain) -> None:
        draw = random.Random(SEED)
        self.size = len(chain.axes)
        self.motions = [
            [_motion(axis, draw.uniform(0.5, 2.5)) for axis in chain.axes] for _ in range(2)
        ]
        goal = np.eye(4)
        goal[:3, :3] = np.array([_numbers(column) for column in chain.goal.columns]).T
        goal[:3, 3] = _numbers(chain.goal.image) - goal[:3, :3] @ _numbers(chain.goal.anchor)
        self.goal = goal

    def matters(self, kind: Kind, one: Feature, two: Feature) -> list[tuple[str, int]]:
        """Return the joints the invariant depends on: "in", "left" or "right", and the place."""
        found = []
        for where, places in (
            ("in", range(one.place + 1, two.place)),
            ("left", range(one.place)),
            ("right", range(two.place + 1, self.size)),
        ):
            for place in places:
                values = [self._value(kind, one, two, where, {place: way}) for way in (0, 1)]
                if abs(values[0] - values[1]) > ZERO:
                    found.append((where, place))
        return found

    def _value(
        self, kind: Kind, one: Feature, two: Feature, where: str, other: dict[int, int]
    ) -> float:
        """Return the invariant inside the chain, or outside by way of the goal."""

        def product(places: range) -> Array:
            total = np.eye(4)
            for k in places:
                total = total @ self.motions[other.get(k, 0)][k]
            return total

        if where == "in":
            move = product(range(one.place + 1, two.place))
        else:
            left = np.linalg.inv(product(range(one.place)))
            right = np.linalg.inv(product(range(two.place + 1, self.size)))
            move = left @ self.goal @ right
        return _invariant(kind, one, two, move)


def _invariant(kind: Kind, one: Feature, two: Feature, move: Array) -> float:
    r, f = _numbers(one.point), _numbers(one.direction)
    p = move[:3, :3] @ _numbers(two.point) + move[:3, 3]
    d = move[:3, :3] @ _numbers(two.direction)
    match kind:
        case "distance":
            return float((p - r) @ (p - r))
        case "height":
            return float(f @ (p - r))
        case "angle":
            return float(f @ d)
    return float(f @ np.cross(d, p - r))


def _numbers(vector: Vector) -> Array:
    return np.array([component.numbers[0] for component in vector])


def _motion(axis: TwistAxis, value: float) -> Array:
    """Return exp(xi q) in numbers. Shape (4, 4)."""
    move = np.eye(4)
    w = _numbers(axis.direction)
    if not axis.is_rotation:
        move[:3, 3] = value * w
        return move
    skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    move[:3, :3] += np.sin(value) * skew + (1 - np.cos(value)) * skew @ skew
    point = _numbers(axis.point)
    move[:3, 3] = point - move[:3, :3] @ point
    return move


def _proposal(
    chain: TwistChain, trial: _NumericChain, kind: Kind, one: Feature, two: Feature
) -> Iterator[Proposal]:
    """Return the invariant as an equation if a single joint matters."""
    found = trial.matters(kind, one, two)
    if len(found) != 1:
        return
    ((where, place),) = found
    axis, goal = chain.axes[place], chain.goal
    names = " and ".join(str(chain.axes[feature.place].unknown) for feature in (one, two))
    remark = f"the {kind} between the axes of {names} depends on {axis.unknown} alone"

    def solve(builder: StepBuilder) -> bool:
        if where == "right":  # invariant(g^-1 one, exp(-xi q) two) = invariant(one, two)
            image = _image(builder, goal.inverse(), one)
            return _solve(builder, kind, axis.reversed(), image, two, _value(kind, one, two))
        image = _image(builder, goal, two)
        if where == "left":  # invariant(one, exp(-xi q) g two) = invariant(one, two)
            return _solve(builder, kind, axis.reversed(), one, image, _value(kind, one, two))
        return _solve(builder, kind, axis, one, two, builder.share(_value(kind, one, image)))

    yield Proposal(remark, solve)


def _image(builder: StepBuilder, goal: Goal, feature: Feature) -> Feature:
    point = builder.shared(goal.moved(feature.point))
    return Feature(feature.place, point, builder.shared(goal.turned(feature.direction)))


def _value(kind: Kind, one: Feature, two: Feature) -> Scalar:
    gap = subtract(two.point, one.point)
    match kind:
        case "distance":
            return dot(gap, gap)
        case "height":
            return dot(one.direction, gap)
        case "angle":
            return dot(one.direction, two.direction)
    return dot(one.direction, cross(two.direction, gap))


def _solve(
    builder: StepBuilder, kind: Kind, axis: TwistAxis, fixed: Feature, start: Feature, value: Scalar
) -> bool:
    """Find the joint with invariant(fixed, exp(xi q) start) = value."""
    by = _turn if axis.is_rotation else _slide
    problem = by(builder, kind, axis, fixed, start, value)
    if problem is None:
        return False
    builder.conclude(problem, (axis.unknown,))
    return True


def _turn(
    builder: StepBuilder, kind: Kind, axis: TwistAxis, fixed: Feature, start: Feature, value: Scalar
) -> SubProblem | None:
    f, r = fixed.direction, fixed.point
    match kind:
        case "distance":
            height = builder.share(dot(axis.direction, subtract(start.point, r)))
            square = value - height * height
            return (
                TO_DISTANCE if rotate_to_distance(builder, axis, start.point, r, square) else None
            )
        case "height":
            level = value + dot(f, r)
            return TO_PLANE if rotate_to_plane(builder, axis, f, start.point, level) else None
        case "angle":
            turn = axis.through(origin(value))
            return TO_PLANE if rotate_to_plane(builder, turn, f, start.direction, value) else None
    line, other = (start.point, start.direction), (r, f)
    return TO_MOMENT if rotate_to_moment(builder, axis, line, other, value) else None


def _slide(
    builder: StepBuilder, kind: Kind, axis: TwistAxis, fixed: Feature, start: Feature, value: Scalar
) -> SubProblem | None:
    """A slide enters the distance squared, height and moment linearly, the angle not at all."""
    if kind == "distance":
        slide_to_distance(builder, axis, start.point, fixed.point, value)
        return DISTANCE
    f = fixed.direction if kind == "height" else cross(fixed.direction, start.direction)
    slope = dot(f, axis.direction)
    if slope.is_zero:
        return None
    builder.slide(axis.slide, value - _value(kind, fixed, start), slope)
    return SLIDE_TO_PLANE
