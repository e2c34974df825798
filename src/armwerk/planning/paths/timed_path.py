"""A motion among bodies that move: its stops with their times, and its trajectory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from armwerk.arrays import Array
from armwerk.collision.motion_check import Verdict, check
from armwerk.collision.moving_body import Moving
from armwerk.collision.safety import SafetySettings
from armwerk.errors import MotionError
from armwerk.geometry import Shape
from armwerk.motion.limits import Limits
from armwerk.motion.trajectory import Trajectory
from armwerk.planning.paths.result import BLEND, PlannedPath

if TYPE_CHECKING:
    from armwerk.collision.motion_picture import MotionPicture


@dataclass(frozen=True, eq=False)
class TimedPath(PlannedPath):
    """A motion that is proved free of what stands and of what moves, at its own times.

    Args:
        motion: From start to goal, waits included; it begins at ``start``.
        arrivals: When the arm is at each waypoint if it stops there [s], from the start of the
            motion; corners that are rounded are passed a little earlier. Shape (k,).
        start: When the motion begins by the clock of what moves [s].
        moving: What moves.
    """

    motion: Trajectory = field(kw_only=True, repr=False)
    arrivals: Array = field(kw_only=True, repr=False)
    start: float = field(kw_only=True, default=0.0)
    moving: tuple[Moving, ...] = field(kw_only=True, default=(), repr=False)

    def timed(
        self, limits: Limits | None = None, blend: float = BLEND, speed: float = 1.0
    ) -> Trajectory:
        """Return the motion; it has one timing, that of what moves.

        Raises:
            MotionError: When another one is asked for.
        """
        if limits is not None or blend != BLEND or speed != 1.0:
            raise MotionError(
                "among bodies that move a motion has one timing; give other limits to find_path"
            )
        return self.motion

    def picture(self) -> MotionPicture:
        """Return the motion among what moves, to be looked at."""
        from armwerk.collision.motion_picture import MotionPicture  # matplotlib is heavy

        own = self._moved(self.start)
        return MotionPicture([own], self.checker.bodies, self.moving, self.margin)

    def _beside(self) -> list[Shape]:
        """Return what moves, where it is when the arm is nearest to anything."""
        moment = self.start + self.check().time
        return [shape for one in self.moving for shape in one.at(moment)]

    def check(self) -> Verdict:
        """Return what `armwerk.collision.check` says about the motion, in space and time."""
        return check(
            self.motion,
            self.checker,
            settings=SafetySettings(margin=self.margin),
            moving=self.moving,
            start=self.start,
        )
