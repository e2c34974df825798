"""From a trajectory to the set points of every servo cycle.

trajectory --> coarse points (poses) --> coarse points (axes) --> set points
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.control.servo.loops import require_gain
from armwerk.control.servo.parts import (
    CoarsePoints,
    FineInterpolation,
    Interpolation,
    InverseStage,
)
from armwerk.errors import MotionError, ShapeError, UnsupportedError
from armwerk.mechanics.interface import ArmModel
from armwerk.motion.trajectory.trajectory import Trajectory

LONGEST_JUMP = 0.5  # [rad or m] of an axis between two coarse points; more is another branch


@dataclass(frozen=True, slots=True)
class _Coarse:
    cycle: float = 0.012

    def __post_init__(self) -> None:
        require_gain("cycle of the interpolation", self.cycle, "s", least=1e-5)

    def _times(self, duration: float) -> Array:
        count = max(1, int(np.ceil(duration / self.cycle - 1e-9)))
        return np.linspace(0.0, duration, count + 1)


@dataclass(frozen=True, slots=True)
class ToolInterpolation(_Coarse):
    """Interpolates the pose of the tool, for motions along curves.

    Args:
        cycle: Time between two points, at most [s].
    """

    def points(self, trajectory: Trajectory) -> CoarsePoints:
        """Return the poses of the tool.

        Raises:
            UnsupportedError: When the trajectory does not know whose it is.
        """
        if not isinstance(trajectory.model, ArmModel):
            raise UnsupportedError("the tool can be interpolated where a trajectory has a model")
        times = self._times(trajectory.duration)
        return CoarsePoints(times, poses=trajectory.model.fk(trajectory.sample(times)[0]))


@dataclass(frozen=True, slots=True)
class AxisInterpolation(_Coarse):
    """Interpolates the axes, for motions point to point.

    Args:
        cycle: Time between two points, at most [s].
    """

    def points(self, trajectory: Trajectory) -> CoarsePoints:
        """Return the values of the axes."""
        times = self._times(trajectory.duration)
        return CoarsePoints(times, joints=trajectory.sample(times)[0])


@dataclass(frozen=True, slots=True)
class NearestInverse:
    """Takes of every pose the solution nearest to the one before.

    Args:
        model: Of the arm, with the tool.
    """

    model: ArmModel

    def joints(self, poses: Array, q: Array) -> Array:
        """Return the axes' values of poses in a row [rad or m]. Shape (m, n)."""
        rows = np.zeros((len(poses), self.model.dof))
        before = np.asarray(q, dtype=np.float64)
        for k, pose in enumerate(poses):
            found = self.model.ik_nearest(pose, before)
            if found is None:
                place = ", ".join(f"{x:.4f}" for x in pose[:3, 3])
                raise MotionError(f"the pose at ({place}) m is out of reach", segment=f"point {k}")
            jump = float(np.abs(found - before).max())
            if k and jump > LONGEST_JUMP:
                raise MotionError(
                    f"axis {int(np.abs(found - before).argmax()) + 1} would jump by {jump:.3g} "
                    f"rad or m (allowed: {LONGEST_JUMP:g}) to keep up with the tool",
                    segment=f"point {k}",
                )
            rows[k] = before = found
        return rows


@dataclass(frozen=True, slots=True)
class SplineInterpolation:
    """Fills gaps with a cubic spline that starts and ends at rest; acceleration has no jumps."""

    def fill(self, times: Array, joints: Array, dt: float) -> Array:
        """Return positions at dt, 2 dt, … and at the end [rad or m]. Shape (steps, n)."""
        from scipy.interpolate import CubicSpline

        count = max(1, int(np.ceil(times[-1] / dt - 1e-9)))
        at = np.minimum(np.arange(1, count + 1) * dt, times[-1])
        return np.asarray(CubicSpline(times, joints, bc_type="clamped")(at))


@dataclass(frozen=True, slots=True)
class StraightInterpolation:
    """Fills gaps with straight lines: the simplest there is, and rough at its corners."""

    def fill(self, times: Array, joints: Array, dt: float) -> Array:
        """Return positions at dt, 2 dt, … and at the end [rad or m]. Shape (steps, n)."""
        count = max(1, int(np.ceil(times[-1] / dt - 1e-9)))
        at = np.minimum(np.arange(1, count + 1) * dt, times[-1])
        return np.stack([np.interp(at, times, axis) for axis in joints.T], axis=1)


class SetPoints(NamedTuple):
    """Positions of every servo cycle, the first at the end of the first cycle.

    Attributes:
        dt: Cycle [s].
        positions: [rad or m]. Shape (steps, n).
    """

    dt: float
    positions: Array


@dataclass(frozen=True, slots=True)
class SetPointGenerator:
    """Interpolation, inverse kinematics and fine interpolation one after the other.

    Args:
        interpolation: Cuts the motion into coarse points.
        inverse: Solves for the axes where the points are poses; None: they never are.
        fine: Fills the gaps.
    """

    interpolation: Interpolation
    inverse: InverseStage | None = None
    fine: FineInterpolation = SplineInterpolation()

    @classmethod
    def of(cls, model: ArmModel, cycle: float = 0.012) -> SetPointGenerator:
        """Return the usual parts for motions of the tool, with an interpolation cycle [s]."""
        return cls(ToolInterpolation(cycle), NearestInverse(model))

    def set_points(self, trajectory: Trajectory, dt: float, q: ArrayLike) -> SetPoints:
        """Return the set points of a motion; `RobotBody.follow` takes their positions.

        Args:
            trajectory: What to do.
            dt: Cycle of the servo [s].
            q: Where the axes stand [rad or m]. Shape (n,).

        Raises:
            MotionError: Where the tool cannot go on.
            ShapeError: For a part that hands out the wrong shape.
        """
        start = np.array(q, dtype=np.float64)
        coarse = self.interpolation.points(trajectory)
        joints = coarse.joints
        if joints is None:
            if coarse.poses is None or self.inverse is None:
                raise UnsupportedError("poses of the tool need an inverse stage, and there is none")
            joints = self.inverse.joints(coarse.poses, start)
        if joints.shape != (len(coarse.times), len(start)):
            raise ShapeError(
                f"coarse points must have shape ({len(coarse.times)}, {len(start)}), "
                f"got {joints.shape}"
            )
        return SetPoints(dt, self.fine.fill(coarse.times, joints, dt))
