"""Invariants between two axes: equations with a single unknown when no point problem fits.

For a point, direction or line on axis i and another on axis j the joints in between may change
their distance, height, angle or moment, or may not; the joints outside change where g puts
them, or do not. If all in all one unknown joint matters, the invariant gives it:

    distance   |E p - r|² for points p, r                sub-problem 3 or 4
    height     f · E p for a direction f and a point p   circle and plane
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
from numpy.typing import NDArray

from armwerk.derivation.inverse.subproblems.axis import (
    Axis,
    contains,
    meeting_point,
    origin,
)
from armwerk.derivation.inverse.subproblems.chain import Chain
from armwerk.derivation.inverse.subproblems.decomposition import Proposal
from armwerk.derivation.inverse.subproblems.one_rotation import (
    TO_DISTANCE,
    TO_MOMENT,
    TO_PLANE,
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
from armwerk.derivation.inverse.subproblems.sheet import Sheet, SubProblem
from armwerk.derivation.inverse.subproblems.slides import DISTANCE, slide_to_distance
from armwerk.derivation.inverse.subproblems.three_axes import turn_to_distance

Kind: TypeAlias = Literal["distance", "height", "angle", "moment"]
Array: TypeAlias = NDArray[np.float64]
KINDS: tuple[Kind, ...] = ("distance", "height", "angle", "moment")
SEED = 7


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A point on an axis and the direction of the axis."""

    place: int
    point: Vector
    direction: Vector


def invariant_proposals(chain: Chain) -> Iterator[Proposal]:
    """Return the invariants that depend on one unknown joint, distances first."""
    features = list(_features(chain))
    trial = _Trial(chain)
    for kind in KINDS:
        for one in features:
            for two in features:
                if one.place < two.place and _is_distinct(kind, one, two):
                    yield from _proposal(chain, trial, kind, one, two)


def _features(chain: Chain) -> Iterator[Feature]:
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


class _Trial:
    """The chain in numbers, at random joint values."""

    def __init__(self, chain: Chain) -> None:
        draw = random.Random(SEED)
        self.size = len(chain.axes)
        self.motions = [
            [_motion(axis, draw.uniform(0.5, 2.5)) for axis in chain.axes] for _ in range(2)
        ]
        goal = np.eye(4)
        goal[:3, :3] = np.array([_numbers(column) for column in chain.goal.columns]).T
        goal[:3, 3] = _numbers(chain.goal.shift)
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
                values = [
                    self._value(kind, one, two, where, {place: way}) for way in (0, 1)
                ]
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
            return float(f @ p)
        case "angle":
            return float(f @ d)
    return float(f @ np.cross(d, p - r))


def _numbers(vector: Vector) -> Array:
    return np.array([component.numbers[0] for component in vector])


def _motion(axis: Axis, value: float) -> Array:
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
    chain: Chain, trial: _Trial, kind: Kind, one: Feature, two: Feature
) -> Iterator[Proposal]:
    """Return the equation |e X| = value if one joint matters; also the other way round."""
    pairs = [(chain, one, two)]
    found = trial.matters(kind, one, two)
    if len(found) != 1:
        return
    ((where, place),) = found
    axis = chain.axes[place]
    names = " and ".join(str(chain.axes[f.place].unknown) for f in (one, two))
    remark = f"the {kind} between the axes of {names} depends on {axis.unknown} alone"
    del pairs

    def solve(sheet: Sheet) -> bool:
        goal = chain.goal
        if where == "in":
            fixed, start = one, two
            image = _image(sheet, goal.moved(two.point), goal.turned(two.direction), two)
            return _solve(sheet, kind, axis, fixed, start, _value(kind, one, image))
        target = _value(kind, one, two)
        if where == "left":
            image = _image(sheet, goal.moved(two.point), goal.turned(two.direction), two)
            return _solve(sheet, kind, axis.reversed(), one, image, target)
        back = goal.inverse()
        image = _image(sheet, back.moved(one.point), back.turned(one.direction), one)
        return _solve(sheet, kind, axis.reversed(), image, two, target)

    yield Proposal(remark, solve)


def _image(sheet: Sheet, point: Vector, direction: Vector, feature: Feature) -> Feature:
    return Feature(feature.place, sheet.shared(point), sheet.shared(direction))


def _value(kind: Kind, one: Feature, two: Feature) -> Scalar:
    match kind:
        case "distance":
            gap = subtract(two.point, one.point)
            return dot(gap, gap)
        case "height":
            return dot(one.direction, two.point)
        case "angle":
            return dot(one.direction, two.direction)
    return dot(one.direction, cross(two.direction, subtract(two.point, one.point)))


def _solve(
    sheet: Sheet, kind: Kind, axis: Axis, fixed: Feature, start: Feature, value: Scalar
) -> bool:
    """Find the joint with invariant(fixed, exp(xi q) start) = value."""
    problem, found = _equation(sheet, kind, axis, fixed, start, value)
    if found:
        sheet.conclude(problem, (axis.unknown,))
    return found
