"""One trajectory at a time: planned from where the last one ended, checked, or refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.bodies import Bodies
from armwerk.collision.body import Body
from armwerk.collision.motion_check import check
from armwerk.collision.safety import SafetySettings
from armwerk.collision.slowing import slowed
from armwerk.collision.table_safety import with_table
from armwerk.errors import MotionError, ShapeError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.path.path import Path
from armwerk.motion.point_to_point import ptp
from armwerk.motion.table.rows import HelpPoint, TableRow, TableSettings
from armwerk.motion.table.table import Table
from armwerk.motion.trajectory.trajectory import Trajectory
from armwerk.operation.points import InterpolatedPoint, interpolated, table_points

Request: TypeAlias = TableRow | Table | Path | Trajectory | ArrayLike
"""A row or a whole table, a path, a ready motion, or joint values to go to [rad or m]."""
_JOIN = 1e-4  # [rad or m] by which a ready motion may begin beside where the arm will be


@dataclass(frozen=True, slots=True, eq=False)
class QueuedMotion:
    """A motion that is in order.

    Args:
        name: For messages.
        trajectory: What is played.
        points: The same as the number of points asked for.
        bodies: What it was checked against.
    """

    name: str
    trajectory: Trajectory
    points: tuple[InterpolatedPoint, ...]
    bodies: Bodies

    @property
    def end(self) -> Array:
        """Joint values at its end [rad or m]. Shape (n,)."""
        return self.trajectory.sample(self.trajectory.duration)[0]


@dataclass(slots=True, eq=False)
class PlanningDesk:
    """Plans and checks motions of one arm.

    Args:
        model: Of the arm.
        bodies: What stands around; may be changed between two trajectories.
        safety: Distances, speeds near bodies, areas; tables may ask for other speeds there.
        help_points: For circles and curves of rows.
        settings: What rows leave out.
    """

    model: ArmModel
    bodies: Bodies = field(default_factory=Bodies)
    safety: SafetySettings = field(default_factory=SafetySettings)
    help_points: tuple[HelpPoint, ...] = ()
    settings: TableSettings = field(default_factory=TableSettings)

    def with_bodies(self, bodies: Bodies | Iterable[Body]) -> None:
        """Take other bodies for the trajectories that come."""
        self.bodies = bodies if isinstance(bodies, Bodies) else Bodies(tuple(bodies))

    def plan(self, request: Request, q: Array) -> QueuedMotion:
        """Return a motion that is interpolated, safe and solved.

        Args:
            request: What is wanted.
            q: Where the arm will be [rad or m]. Shape (n,).

        Raises:
            ArmwerkError: When it cannot be done; says why.
        """
        name, trajectory, count = self._planned(request, np.asarray(q, dtype=np.float64))
        if trajectory.duration > 0.0:
            safety = with_table(self.safety, self._settings(request))
            trajectory = slowed(trajectory, self.model, self.bodies, safety)
        rows = trajectory.sample(trajectory.times(max(trajectory.duration / 200, 1e-3)))[0]
        if not np.isfinite(rows).all():
            raise MotionError("has joint values that are no numbers", segment=name)
        if isinstance(request, Table):
            points = table_points(request, trajectory, self.model)
        else:
            points = interpolated(trajectory, self.model, count)
        return QueuedMotion(name, trajectory, points, self.bodies)

    def objection(self, motion: QueuedMotion) -> str:
        """Return why a motion is not safe any more; empty: it is."""
        if motion.bodies is self.bodies:
            return ""
        verdict = check(motion.trajectory, self.model, self.bodies, self.safety)
        return "" if verdict.free else f"{motion.name}: {verdict}"

    def _settings(self, request: Request) -> TableSettings:
        """Return the settings of the table that a request is from: its own, or those of rows."""
        if isinstance(request, Table):
            return request.settings
        return self.settings if isinstance(request, TableRow) else TableSettings()

    def _planned(self, request: Request, q: Array) -> tuple[str, Trajectory, int]:
        count = self.settings.points
        if isinstance(request, TableRow):
            if request.kind == "start":
                raise MotionError("a row 'start' moves nothing")
            if request.points is not None:
                count = request.points
            table = Table((request,), self.help_points, self.settings)
            where = f"{request.point} m" if request.point else f"{request.joints} rad or m"
            name = request.name or f"'{request.kind}' to {where}"
            return name, table.path(self.model.fk(q)).plan(self.model, q), count
        if isinstance(request, Table):
            return "table", request.path(self.model.fk(q)).plan(self.model, q), count
        if isinstance(request, Path):
            return "path", request.plan(self.model, q), count
        if isinstance(request, Trajectory):
            start = request.sample(0.0)[0]
            if start.shape != q.shape or np.abs(start - q).max() > _JOIN:
                raise MotionError(
                    f"begins at {start.round(4).tolist()}, and the arm will be at "
                    f"{q.round(4).tolist()} rad or m",
                    segment="trajectory",
                )
            return "trajectory", request, count
        try:
            goal = np.array(request, dtype=np.float64)
        except (TypeError, ValueError):
            raise ShapeError(f"no trajectory: {request!r:.80}") from None
        if goal.shape != q.shape:
            raise ShapeError(f"joint values must have shape {q.shape}, got {goal.shape}")
        return "point to point", ptp(self.model, q, goal), count
