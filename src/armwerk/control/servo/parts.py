"""The parts of a servo control as interfaces; arrays have one entry per axis, (n,)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from armwerk.arrays import Array
from armwerk.motion.trajectory.trajectory import Trajectory


class CoarsePoints(NamedTuple):
    """What an interpolation hands out, one row per interpolation cycle.

    Attributes:
        times: [s]. Shape (m,).
        poses: Where the tool should be, T_world_tool. Shape (m, 4, 4). None: joints are known.
        joints: Where the axes should be [rad or m]. Shape (m, n). None: to be solved for.
    """

    times: Array
    poses: Array | None = None
    joints: Array | None = None


class Interpolation(Protocol):
    """Cuts a motion into the points of a coarse clock."""

    def points(self, trajectory: Trajectory) -> CoarsePoints:
        """Return where the tool, or the axes, should be at every interpolation cycle."""
        ...


class InverseStage(Protocol):
    """Turns poses of the tool into values of the axes."""

    def joints(self, poses: Array, q: Array) -> Array:
        """Return the axes' values of poses in a row [rad or m]. Shape (m, n).

        Args:
            poses: T_world_tool. Shape (m, 4, 4).
            q: Where the axes stand before the first pose. Shape (n,).

        Raises:
            MotionError: Where a pose cannot be reached from the one before it.
        """
        ...


class FineInterpolation(Protocol):
    """Fills the gaps of the coarse clock with the cycles of the servo."""

    def fill(self, times: Array, joints: Array, dt: float) -> Array:
        """Return positions at dt, 2 dt, … up to the last time [rad or m]. Shape (steps, n)."""
        ...


class FeedForward(Protocol):
    """Says what forces a motion takes."""

    def forces(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Return the motors' forces of a motion, friction included [N m or N]. Shape (n,)."""
        ...


class PositionStage(Protocol):
    """The outer loop of the cascade."""

    def speeds(self, error: Array, wanted: Array) -> Array:
        """Return the speeds to ask for [rad/s or m/s].

        Args:
            error: Position wanted minus measured [rad or m].
            wanted: Speed of the set points [rad/s or m/s].
        """
        ...


class VelocityStage(Protocol):
    """The middle loop of the cascade."""

    def forces(self, error: Array, dt: float, full: Array) -> Array:
        """Return the forces to ask for [N m or N].

        Args:
            error: Speed wanted minus measured [rad/s or m/s].
            dt: Step of time [s].
            full: 1 where the motor was at its limit in the step before, else 0.
        """
        ...

    def reset(self) -> None:
        """Forget what was summed up."""
        ...


class CurrentStage(Protocol):
    """The inner loop of the cascade: a motor and its amplifier."""

    @property
    def currents(self) -> Array:
        """The currents that flow [A]. Shape (n,), or (0,) before the first step."""
        ...

    def forces(self, wanted: Array, max_force: Array, dt: float) -> Array:
        """Return the forces that the motors give in this step [N m or N].

        Args:
            wanted: Asked for.
            max_force: What the motors can give.
            dt: Step of time [s].
        """
        ...

    def reset(self) -> None:
        """Let all currents be 0."""
        ...
