"""A free path from start to goal: waypoints, and the motion along them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.checker import Checker
from armwerk.collision.motion_check import Verdict, check
from armwerk.collision.moving_body import MovingArm
from armwerk.collision.safety import SafetySettings
from armwerk.errors import MotionError, PlanningError, UnsupportedError
from armwerk.geometry import Shape
from armwerk.pictures.inline import InlinePicture, drawn_inline
from armwerk.planning.options import PlannerName
from armwerk.planning.paths.problem import length
from armwerk.robot.arm import Arm

if TYPE_CHECKING:
    from armwerk.collision.motion_picture import MotionPicture
    from armwerk.motion.limits import Limits
    from armwerk.motion.trajectory import Trajectory


BLEND = 0.05
"""[m] within which of a waypoint the tool goes round the corner, tried first."""
_HALVINGS = 4  # of the blends, before the motion stops at its waypoints
_STILL = 1e-12  # [rad or m] below which there is no motion


@dataclass(frozen=True, eq=False)
class PlannedPath:
    """A path through free space: straight lines in joint space between waypoints, proved free.

    Args:
        q: Waypoints from start to goal [rad or m]. Shape (k, n), k at least 2.
        planner: What found it.
        seconds: How long that took, smoothing included [s].
        checks: How many configurations were looked at.
        checker: The arm and what stands around it.
        margin: Distance kept from bodies [m].
        limits: What the joints may do when it is driven; None: those of the arm.
        rounds: How many searches it is the best of.
    """

    q: Array
    planner: PlannerName
    seconds: float
    checks: int
    checker: Checker = field(repr=False)
    margin: float = 0.0
    limits: Limits | None = field(default=None, repr=False)
    rounds: int = 1

    @property
    def length(self) -> float:
        """Length in joint space, √Σ Δq² summed over the lines [rad, m for sliding joints]."""
        return length(self.q)

    @cached_property
    def trajectory(self) -> Trajectory:
        """The motion along the path, within the arm's limits, checked again; see `timed`."""
        return self.timed()

    def timed(
        self, limits: Limits | None = None, blend: float = BLEND, speed: float = 1.0
    ) -> Trajectory:
        """Return the motion along the path, from rest to rest.

        Corners are rounded off in joint space, which leaves the proved lines; so the finished
        motion is checked, and blends that touch anything are halved, at last left out.

        Args:
            limits: Of the joints; None: those given to `find_path`, else those of the arm.
            blend: Radius about a waypoint within which the tool leaves the line [m]. 0: stop there.
            speed: Share of the joints' velocity, acceleration and jerk, above 0, at most 1.

        Raises:
            MotionError: For a speed out of range.
        """
        limits = self.limits if limits is None else limits
        for halving in range(_HALVINGS + 1):
            radius = float(blend) * 0.5**halving if halving < _HALVINGS else 0.0
            motion = self._motion(limits, radius, speed)
            if self._verdict(motion).free:
                return motion
        raise PlanningError(  # the lines were proved, so only rounding could bring this about
            f"the motion along the way touches something: {self._verdict(motion)}",
            reason="not found",
            seconds=self.seconds,
        )

    def check(self) -> Verdict:
        """Return what `armwerk.collision.check` says about the motion."""
        return self._verdict(self.trajectory)

    def save(self, path: str | Path, dt: float | None = None) -> Path:
        """Write the motion to a .csv or .npz file; see `Trajectory.save`."""
        return self.trajectory.save(path, dt)

    @overload
    def plot(self, path: str | Path, *, title: str | None = None) -> Path: ...
    @overload
    def plot(self, path: None = None, *, title: str | None = None) -> InlinePicture: ...
    def plot(
        self, path: str | Path | None = None, *, title: str | None = None
    ) -> Path | InlinePicture:
        """Draw the arm at start, waypoints and goal, the bodies and the tool's path.

        Args:
            path: .png or .svg; None: a notebook shows the picture that is returned.
            title: Above the picture; None: what was planned.

        Returns:
            The file written, or the picture.
        """
        if path is None:
            return drawn_inline(lambda file: self.plot(file, title=title))
        from armwerk.planning.paths.picture import draw_path  # matplotlib is heavy

        below = (
            f"{self.planner}, {len(self.q)} waypoints, {self.length:.2f} rad or m in joint"
            f" space, found in {1000 * self.seconds:.0f} ms"
        )
        rows, beside = self.sampled(0.02), self._beside()
        return draw_path(self.checker, rows, path, title=title, below=below, beside=beside)

    def _beside(self) -> list[Shape]:
        """Return what else is drawn beside the bodies."""
        return []

    def picture(self) -> MotionPicture:
        """Return the motion to be looked at: `film` and `moments` write it to files.

        Raises:
            DescriptionError: For an assembly, or several arms.
        """
        from armwerk.collision.motion_picture import MotionPicture  # matplotlib is heavy

        return MotionPicture([self._moved()], self.checker.bodies, margin=self.margin)

    def _moved(self, begin: float = 0.0) -> MovingArm:
        """Return the arm with its motion, which begins at a time [s]."""
        if len(self.checker.arms) > 1:
            raise UnsupportedError("the motion of several arms at once is not drawn")
        shapes = self.checker.shapes[0]
        return MovingArm(self.checker.arms[0], self.trajectory, begin, shapes)

    def sampled(self, step: float) -> Array:
        """Return configurations along the path, no joint moving over ``step``. Shape (m, n)."""
        rows = [self.q[:1]]
        for a, b in zip(self.q[:-1], self.q[1:], strict=True):
            count = max(1, int(np.ceil(np.abs(b - a).max() / step)))
            rows.append(a + np.arange(1, count + 1)[:, None] / count * (b - a))
        return np.concatenate(rows)

    def _verdict(self, motion: Trajectory) -> Verdict:
        return check(motion, self.checker, settings=SafetySettings(margin=self.margin))

    def _motion(self, limits: Limits | None, blend: float, speed: float) -> Trajectory:
        from armwerk.motion import Path as ToolPath, ptp

        if len(self.checker.arms) > 1:
            raise UnsupportedError("the motion of several arms together cannot be timed yet")
        arm = self.checker.arms[0]
        if not 0.0 < speed <= 1.0:
            raise MotionError(f"speed must be above 0 and at most 1, got {speed!r}")
        lines = [
            (a, b)
            for a, b in zip(self.q[:-1], self.q[1:], strict=True)
            if np.abs(b - a).max() > _STILL
        ]
        if isinstance(arm, Arm) and len(lines) > 1 and blend > 0.0:
            path = ToolPath()
            for number, (_, goal) in enumerate(lines, start=1):
                path = path.ptp(goal, fraction=speed, blend=blend if number < len(lines) else 0.0)
            return path.plan(arm, self.q[0], limits=limits)
        first, last = lines[0] if lines else (self.q[0], self.q[0])
        motion = ptp(arm, first, last, "full", speed=speed, acceleration=speed, limits=limits)
        for a, b in lines[1:]:
            motion += ptp(arm, a, b, "full", speed=speed, acceleration=speed, limits=limits)
        return motion
