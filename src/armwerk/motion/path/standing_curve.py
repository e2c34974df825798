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

import numpy as np

from armwerk.arrays import Array
from armwerk.mechanics.serial import SerialModel
from armwerk.motion.curves.piecewise import Piecewise, hermite
from armwerk.motion.kernels.standing import SLACK, StandingTool, last_points, standing_points

_LOOKS = np.linspace(0.0, 1.0, 6)[1:]  # of a cell
_WITHIN = np.linspace(0.0, 1.0, 9)  # of one that leads past a stop


@dataclass(frozen=True, slots=True, eq=False)
class StandingCurve:
    """Joint values at which the tool stands where it is, in a row.

    Args:
        points: Joint values in order, the direction in which the curve goes on there and its bend,
            by its own length; neighbours are joined by quintics. Shape (k, 3, n).
        stop: Joint at whose stop the curve ends; None: it ends elsewhere, or where it began.
    """

    points: Array
    stop: int | None = None

    @property
    def way(self) -> float:
        """Length [rad or m]."""
        return float(self._lengths().sum())

    def rows(self) -> Array:
        """Return joint values along it, its ends included. Shape (m, n)."""
        looks = [cell.derivatives(_LOOKS * cell.breaks[-1], 1)[:, 0] for cell in self.cells()]
        return np.vstack([self.points[:1, 0], *looks])

    def cells(self) -> list[Piecewise]:
        """Return the quintics between neighbours, each by its own length."""
        pairs = zip(self.points[:-1], self.points[1:], self._lengths(), strict=True)
        return [hermite(one, two, float(length)) for one, two, length in pairs]

    def beyond(self, low: Array, high: Array) -> int | None:
        """Return a joint that goes beyond a stop between two points; None: none does.

        Args:
            low: Lower stops [rad or m]. Shape (n,).
            high: Upper stops. Shape (n,).
        """
        q, lengths = self.points[:, 0], self._lengths()
        gap = np.minimum(q - low, high - q)
        near = np.minimum(gap[1:], gap[:-1]).min(axis=1) < lengths
        cells = self.cells() if near.any() else []
        for k in np.flatnonzero(near):
            u = _WITHIN * lengths[k]
            _, rate, bend = np.moveaxis(cells[k].derivatives(u, 3), 1, 0)
            # where a rate vanishes, by one step: there a joint turns back
            turned = u[:, None] - rate / np.where(bend == 0.0, np.inf, bend)
            places = np.concatenate([u, np.clip(turned, 0.0, lengths[k]).ravel()])
            rows = cells[k].derivatives(places, 1)[:, 0]
            over = np.maximum(low - rows, rows - high).max(axis=0)
            if over.max() > SLACK:
                return int(np.argmax(over))
        return None

    def _lengths(self) -> Array:
        """Return how long each of them is [rad or m]; an arc is longer than its chord."""
        squares = (np.diff(self.points[:, 0], axis=0) ** 2).sum(axis=1)
        bends = (self.points[:, 2] ** 2).sum(axis=1)
        return np.asarray(np.sqrt(squares) * (1.0 + (bends[1:] + bends[:-1]) * squares / 48.0))


class Standing:
    """Joint values of an arm at which the tool has one pose.

    Args:
        model: Of an arm with six joints.
        q: Joint values in a singularity; the tool stands where these bring it. Shape (n,).
    """

    def __init__(self, model: SerialModel, q: Array) -> None:
        self._model, self._q = model, q
        low, high = np.ascontiguousarray(model.chain.limits.T)
        pose = np.ascontiguousarray(np.asarray(model.fk(q))[:3])
        self._tool = StandingTool(pose, low, high, model.chain.scale)

    def curves(self) -> list[StandingCurve]:
        """Return the curves from q in both directions, up to stops or round to q again."""
        jacobian = np.array(self._model.jacobian(self._q))
        jacobian[:3] /= self._tool.scale
        free = np.linalg.svd(jacobian)[2][-1]
        return [self._followed(direction) for direction in (free, -free)]

    def up_to(self, curve: StandingCurve, goals: Array) -> list[StandingCurve]:
        """Return a curve up to those joint values that are on it, by whatever whole turns.

        Args:
            curve: Of this pose.
            goals: Shape (g, n).
        """
        constants = self._model.chain.constants
        counts, lasts = last_points(constants, self._tool, curve.points, goals)
        found = []
        for count, last in zip(counts, lasts, strict=True):
            if count > 0:
                ends = last[None] if last[1].any() else lasts[:0]
                found.append(StandingCurve(np.concatenate([curve.points[:count], ends])))
        return found

    def _followed(self, direction: Array) -> StandingCurve:
        """Return the curve from q in a direction. Shape (n,)."""
        q = np.ascontiguousarray(self._q)
        stop, rows = standing_points(self._model.chain.constants, self._tool, q, direction)
        return StandingCurve(rows, stop if stop >= 0 else None)
