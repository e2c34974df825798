"""The motion of a station taken apart: what its table does, and what its arm does.

In: a trajectory of all axes. Out: two trajectories of the same time, for the controllers of table
and arm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import ShapeError
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.piece import Extremes, Samples, TrajectoryPiece
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.robot.arm import Arm
from armwerk.stations.description import Station


class StationTrajectories(NamedTuple):
    """Motions of the parts of a station, of equal duration.

    Attributes:
        table: Of the table, in the order of its own joints; None: the station has none.
        arm: Of the arm with what carries it.
    """

    table: Trajectory | None
    arm: Trajectory


@dataclass(frozen=True, slots=True, eq=False)
class ChosenAxes:
    """Some axes of a piece of a trajectory, in another order.

    Args:
        piece: Of all axes.
        axes: Which of them, counted from 0.
    """

    piece: TrajectoryPiece
    axes: tuple[int, ...]

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.piece.duration

    @property
    def dof(self) -> int:
        """Number of axes."""
        return len(self.axes)

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Each (m, n)."""
        rows = self.piece.evaluate(times)
        return Samples(*(np.ascontiguousarray(row[:, list(self.axes)]) for row in rows))

    def extremes(self) -> Extremes:
        """Return the largest values that occur in the piece."""
        whole, axes = self.piece.extremes(), list(self.axes)
        return Extremes(
            whole.lowest[axes],
            whole.highest[axes],
            whole.velocity[axes],
            whole.acceleration[axes],
            whole.jerk[axes],
            whole.exact,
        )


def station_parts(station: Station, trajectory: Trajectory) -> StationTrajectories:
    """Return what table and arm of a station do in a motion of all its axes.

    Args:
        station: Whose axes move.
        trajectory: Of all of them, in the order of `Station.names`.

    Raises:
        ShapeError: For a trajectory of another number of axes.
    """
    if trajectory.dof != station.dof:
        raise ShapeError(
            f"station '{station.name}' has {station.dof} axes, the trajectory {trajectory.dof}"
        )
    turning = station.turning
    arm = _part(trajectory, range(turning, station.dof), station.arm)
    if station.table is None:
        return StationTrajectories(None, arm)
    return StationTrajectories(_part(trajectory, range(turning)[::-1], station.table), arm)


def _part(trajectory: Trajectory, axes: range, arm: Arm) -> Trajectory:
    chosen = tuple(axes)
    pieces = tuple(ChosenAxes(piece, chosen) for piece in trajectory.pieces)
    arrivals = None if trajectory.arrivals is None else trajectory.arrivals[list(chosen)]
    return Trajectory(pieces, Limits.of(arm), arm, trajectory.notices, arrivals)
