"""The curve on which joints move while the tool stands, followed from a singular configuration.

Where an arm of six joints is singular its joints can mostly move and leave the tool where it is:
over its shoulder, the centre of the wrist on the first axis, that one turns and the wrist turns
against it; of a UR with its wrist stretched four axes are parallel, and turn against one another.
The joints then run on a curve of joint space,

    J q' = 0,    J q'' = -J' q',    |q'| = 1,    q' q'' = 0

by its own length. In: joint values in a singularity and a direction. Out: points of the curve that
are exact, so near to one another that quintics between them keep the tool where it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.kernels.jacobian import jacobian_batch
from armwerk.mechanics.kernels.turns import TURN
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.piecewise import Piecewise, hermite
from armwerk.motion.kernels.following import Tolerances, ToolPoints, refine

_EXACT = 1e-12  # [m, rad] within which points meet the pose
_STILL = 1e-8  # [m, rad] that the tool may move by between them
_NEWTON = 6  # steps that put a point onto the curve
_LOST = 1e-6  # of a singular value below which a direction does nothing to the tool
_ASIDE = 1e-5  # [rad or m] to each side from which J' is told
_FIRST = 0.05  # [rad or m] of the first step
_LONGEST = 0.25  # [rad or m] between two points
_SHORTEST = 1e-3
_WIDER = 1.4  # by which a step that did well is longer than the one before
_TURNED = 0.8  # cosine by which the curve may turn from one point to the next
_MOST = 400  # points
_LOOKS = np.linspace(0.0, 1.0, 6)[1:]  # of a cell
_BETWEEN = np.array([0.25, 0.5, 0.75])  # of a cell, where the tool must stand
_VECTOR = ([2, 0, 1], [1, 2, 0])  # where a skew matrix holds its vector
_SLACK = 1e-9  # [rad or m] beyond a stop that is rounding
_AGAIN = 0.05  # [rad or m] beside it within which a curve passes a point once more
_REACH = 1.2 * _LONGEST  # [rad or m] within which the next point of a curve lies
_THERE = 1e-9  # [rad or m] of a way that is none
_SAME = 1e-4  # [rad or m] by which joint values may differ from a point of the curve that is meant


class CurvePoint(NamedTuple):
    """Where the curve is, how it goes on and bends, by its own length. Each of shape (n,)."""

    q: Array
    along: Array
    bend: Array


@dataclass(frozen=True, slots=True, eq=False)
class StandingCurve:
    """Joint values at which the tool stands where it is, in a row.

    Args:
        points: In order; neighbours are joined by quintics.
        stop: Joint at whose stop the curve ends; None: it ends elsewhere, or where it began.
    """

    points: tuple[CurvePoint, ...]
    stop: int | None = None

    @property
    def way(self) -> float:
        """Length [rad or m]."""
        return float(sum(cell.breaks[-1] for cell in self.cells()))

    def rows(self) -> Array:
        """Return joint values along it, its ends included. Shape (m, n)."""
        looks = [cell.derivatives(_LOOKS * cell.breaks[-1], 1)[:, 0] for cell in self.cells()]
        return np.vstack([self.points[0].q, *looks])

    def cells(self) -> list[Piecewise]:
        """Return the quintics between neighbours, each by its own length."""
        pairs = zip(self.points[:-1], self.points[1:], strict=True)
        return [_cell(one, two) for one, two in pairs]


class Standing:
    """Joint values of an arm at which the tool has one pose.

    Args:
        model: Of an arm with six joints.
        q: Joint values in a singularity; the tool stands where these bring it. Shape (n,).
    """

    def __init__(self, model: SerialModel, q: Array) -> None:
        self._model, self._q = model, q
        self._pose = np.asarray(model.fk(q))
        count = len(_BETWEEN)
        poses = np.repeat(self._pose[None, :3], count, axis=0)
        self._still = ToolPoints(np.zeros(count), poses, np.zeros((count, 3, 6)))

    def curves(self) -> list[StandingCurve]:
        """Return the curves from q in both directions, up to stops or round to q again."""
        free = np.linalg.svd(self._jacobian(self._q))[2][-1]
        return [self._followed(direction) for direction in (free, -free)]

    def up_to(self, curve: StandingCurve, goal: Array) -> StandingCurve | None:
        """Return a curve up to joint values on it, by whatever whole turns; None: they are not.

        Args:
            curve: Of this pose.
            goal: Shape (n,).
        """
        low, high = self._model.chain.limits.T
        for k, point in enumerate(curve.points):
            left = self._wrapped(goal - point.q)
            if np.linalg.norm(left) < _THERE:
                return StandingCurve(curve.points[: k + 1])
            ahead = float(left @ point.along)
            if not (0.0 <= ahead < _LONGEST + _SAME and np.linalg.norm(left) < _REACH):
                continue
            q = self._onto(point, ahead)
            if q is None or np.abs(q - point.q - left).max() > _SAME:
                continue
            last = self._point(np.clip(q, low, high), point.along)
            if np.abs(q - np.clip(q, low, high)).max() > _SLACK or last is None:
                continue
            if self._stands(point, last):
                return StandingCurve((*curve.points[: k + 1], last))
        return None

    def _followed(self, direction: Array) -> StandingCurve:
        """Return the curve from q in a direction. Shape (n,)."""
        model = self._model
        low, high = model.chain.limits.T
        point = self._point(self._q, direction)
        points = [] if point is None else [point]
        step, behind = _FIRST, False
        while point is not None and len(points) < _MOST and step > _SHORTEST:
            new = self._next(point, step)
            if new is None:
                step *= 0.5
                continue
            beyond = (new.q < low - _SLACK) | (new.q > high + _SLACK)
            if beyond.any():
                return StandingCurve(tuple(points), int(np.argmax(beyond)))
            points.append(new)
            point, step = new, min(_WIDER * step, _LONGEST)
            ahead = self._wrapped(self._q - new.q)
            beside = ahead - (ahead @ new.along) * new.along
            near = np.linalg.norm(ahead) < _LONGEST and np.linalg.norm(beside) < _AGAIN
            if near and behind and ahead @ new.along <= 0.0:
                break
            behind = bool(near and ahead @ new.along > 0.0)
        return StandingCurve(tuple(points))

    def _next(self, point: CurvePoint, step: float) -> CurvePoint | None:
        """Return the point of the curve a step further; None: the step is too long."""
        q = self._onto(point, step)
        new = None if q is None else self._point(q, point.along)
        if new is None or new.along @ point.along < _TURNED or not self._stands(point, new):
            return None
        return new

    def _onto(self, point: CurvePoint, step: float) -> Array | None:
        """Return the joint values of the curve so far ahead in its direction; None: none found."""
        q = point.q + step * (point.along + 0.5 * step * point.bend)
        q += (step - (q - point.q) @ point.along) * point.along
        for _ in range(_NEWTON):
            pose = self._model.fk(q)
            left = np.zeros(7)
            left[:3] = (self._pose[:3, 3] - pose[:3, 3]) / self._model.chain.scale
            turn = self._pose[:3, :3] @ pose[:3, :3].T
            left[3:6] = 0.5 * (turn - turn.T)[_VECTOR]  # of small angles: the rotation vector
            if np.abs(left).max() < _EXACT:
                return q
            rows = np.vstack([self._jacobian(q), point.along])
            q = q + np.linalg.lstsq(rows, left, rcond=_LOST)[0]
        return None

    def _point(self, q: Array, direction: Array) -> CurvePoint | None:
        """Return how the curve goes on from joint values on it; None: not in that direction."""
        rows = np.vstack([self._jacobian(q), direction])
        inverse = np.linalg.pinv(rows, rcond=_LOST)
        along = inverse[:, 6]
        size = float(np.linalg.norm(along))
        if not size > 0.0:
            return None
        along = along / size
        change = self._jacobian(q + _ASIDE * along) - self._jacobian(q - _ASIDE * along)
        bend = -inverse[:, :6] @ (change @ along) / (2.0 * _ASIDE)
        return CurvePoint(q, along, bend - (bend @ along) * along)

    def _stands(self, one: CurvePoint, two: CurvePoint) -> bool:
        """Whether the tool stands on the quintic between two points."""
        cell = _cell(one, two)
        rows = np.zeros((len(_BETWEEN), 4, len(one.q)))
        rows[:, 0] = cell.derivatives(_BETWEEN * cell.breaks[1], 1)[:, 0]
        chain = self._model.chain
        off = refine(chain.constants, self._still, rows, Tolerances(chain.scale, _STILL, 1.0))[0]
        return bool(off[:, 0].max() < _STILL)

    def _wrapped(self, left: Array) -> Array:
        """Return a difference of joint values less whole turns. Shape (n,)."""
        return np.asarray(left - self._model.chain.revolute * TURN * np.round(left / TURN))

    def _jacobian(self, q: Array) -> Array:
        jacobian = jacobian_batch(self._model.chain.constants, q[None].copy())[0]
        jacobian[:3] /= self._model.chain.scale
        return np.asarray(jacobian)


def _cell(one: CurvePoint, two: CurvePoint) -> Piecewise:
    """Return the quintic between two points."""
    chord = float(np.linalg.norm(two.q - one.q))
    # an arc of that chord is longer by its curvature
    bends = 0.5 * float(one.bend @ one.bend + two.bend @ two.bend)
    length = chord * (1.0 + bends * chord * chord / 24.0)
    return hermite(np.array(one), np.array(two), length)
