"""How a body moves by itself: where it is at any time, and how far it gets within an interval.

A motion takes times and gives poses T_world_body, and for intervals two bounds: how far the origin
of the body gets from where it is in the middle [m], and by which angle the body turns [rad]. A
point at a distance r from that origin then gets at most

    shift + min(turn, 2) r

away from where it is in the middle of the interval, the chord of an angle being at most twice the
radius. Times are those of the world's clock; a motion that has an end stands still after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.collision.trajectory_reach import TrajectoryReach
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry import (
    quaternion_from_rotation,
    quaternion_slerp,
    rotation_exp,
    rotation_from_quaternion,
    rotation_log,
    rotation_z,
)
from armwerk.geometry.arguments import checked, transform_argument
from armwerk.motion.trajectory import Trajectory

_LIGHT = 299_792_458.0  # [m/s]
_SHORTEST = 1e-3  # [s] period; every round is looked at by itself


class BodyReach(NamedTuple):
    """How far a body gets from its place in the middle of m intervals, at most. Shapes (m,).

    Attributes:
        shift: Of its origin [m].
        turn: Of its axes [rad].
    """

    shift: Array
    turn: Array


@runtime_checkable
class BodyMotion(Protocol):
    """A motion of a rigid body, known for all times."""

    @property
    def proved(self) -> bool:
        """Whether its bounds are certain."""
        ...

    def poses(self, times: Array) -> Array:
        """Return T_world_body at times [s]; at a jump the place after it. Shape (m, 4, 4)."""
        ...

    def reach(self, low: Array, high: Array) -> BodyReach:
        """Return how far the body gets within intervals [s], none of which has a break inside."""
        ...

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which the body jumps. Shape (k,)."""
        ...


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ConstantVelocity:
    """A body carried along at a constant velocity, as by a belt; it may turn as well.

    Args:
        velocity: Of its origin [m/s]. Shape (3,).
        angular_velocity: About its origin, axes of the world [rad/s]. Shape (3,).
        pose: T_world_body at time ``at``; None: the shape stands where it is described. (4, 4).
        at: [s].
        begin: When it sets off [s]; it stands still before.
        end: When it stops [s]; it stands still after.

    Raises:
        DescriptionError: When it ends before it begins, or is faster than light.
        ShapeError: For vectors of another shape, nan or infinity.
    """

    velocity: Array
    angular_velocity: Array
    pose: Array
    at: float
    begin: float
    end: float

    def __init__(
        self,
        velocity: ArrayLike,
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
        pose: ArrayLike | None = None,
        *,
        at: float = 0.0,
        begin: float = -np.inf,
        end: float = np.inf,
    ) -> None:
        put = object.__setattr__
        put(self, "velocity", _fixed(checked(velocity, (3,), "velocity")))
        if not np.abs(self.velocity).max() <= _LIGHT:
            raise DescriptionError(
                "faster than light",
                element="ConstantVelocity, velocity",
                value=self.velocity.tolist(),
                allowed=f"up to {_LIGHT:g} m/s",
            )
        put(self, "angular_velocity", _fixed(checked(angular_velocity, (3,), "angular_velocity")))
        put(self, "pose", _pose(pose))
        put(self, "at", time_argument(at, "at"))
        for name, value in (("begin", begin), ("end", end)):
            put(self, name, time_argument(value, name, endless=True))
        if not self.begin <= self.end:
            raise DescriptionError(
                "ends before it begins",
                element="ConstantVelocity, end",
                value=end,
                allowed=f"{self.begin:g} s or later",
            )

    @property
    def proved(self) -> bool:
        """Always: both rates are constant."""
        return True

    def _passed(self, times: Array) -> Array:
        """Return how long the body has moved since ``at`` [s]; negative before."""
        zero = float(np.clip(self.at, self.begin, self.end))
        return np.asarray(np.clip(times, self.begin, self.end) - zero)

    def poses(self, times: Array) -> Array:
        """Return T_world_body at times [s]. Shape (m, 4, 4)."""
        passed = self._passed(np.asarray(times, dtype=np.float64))[:, None]
        out = np.tile(self.pose, (len(passed), 1, 1))
        out[:, :3, 3] += passed * self.velocity
        if self.angular_velocity.any():
            out[:, :3, :3] = rotation_exp(passed * self.angular_velocity) @ self.pose[:3, :3]
        return out

    def reach(self, low: Array, high: Array) -> BodyReach:
        """Return how far the body gets within intervals [s]."""
        half = _farther(self._passed(low), self._passed(0.5 * (low + high)), self._passed(high))
        speed, rate = (np.linalg.norm(v) for v in (self.velocity, self.angular_velocity))
        return BodyReach(np.asarray(speed * half), np.asarray(rate * half))

    def breaks(self, low: float, high: float) -> Array:
        """Return no times: it never jumps."""
        return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class TimedPoses:
    """A body that is at given places at given times, and goes straight from one to the next.

    Between two of them its origin moves evenly on a line, and it turns evenly about one axis, the
    shorter way. Before the first it stands there, after the last it stays.

    Args:
        times: Rising [s]. Shape (k,), k at least 1.
        poses: T_world_body. Shape (k, 4, 4).

    Raises:
        ShapeError: For other shapes, times that do not rise, or matrices that are no poses.
    """

    times: Array
    places: Array
    _quaternions: Array
    _ways: Array

    def __init__(self, times: ArrayLike, poses: ArrayLike) -> None:
        when = checked(times, (), "times")
        places = transform_argument(poses, "poses")
        if when.ndim != 1 or not len(when) or places.shape != (len(when), 4, 4):
            raise ShapeError(
                f"times (k,) and poses (k, 4, 4) must go together, got {when.shape} and "
                f"{places.shape}"
            )
        if (np.diff(when) <= 0.0).any():
            place = int(np.argmax(np.diff(when) <= 0.0))
            raise ShapeError(
                f"times must rise, got {when[place]:g} s and then {when[place + 1]:g} s"
            )
        steps = np.linalg.norm(np.diff(places[:, :3, 3], axis=0), axis=1)
        turns = rotation_log(np.swapaxes(places[:-1, :3, :3], 1, 2) @ places[1:, :3, :3])
        angles = np.linalg.norm(turns.reshape(-1, 3), axis=1)
        ways = np.zeros((len(when), 2))
        ways[1:] = np.cumsum(np.column_stack([steps, angles]), axis=0)
        put = object.__setattr__
        put(self, "times", _fixed(when))
        put(self, "places", _fixed(places))
        put(self, "_quaternions", _fixed(quaternion_from_rotation(places[:, :3, :3])))
        put(self, "_ways", _fixed(ways))

    @property
    def proved(self) -> bool:
        """Always: both rates are constant between two places."""
        return True

    def poses(self, times: Array) -> Array:
        """Return T_world_body at times [s]. Shape (m, 4, 4)."""
        if len(self.times) == 1:
            return np.tile(self.places[0], (len(times), 1, 1))
        last = len(self.times) - 2
        k = np.clip(np.searchsorted(self.times, times, "right") - 1, 0, last)
        share = np.clip((times - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0, 1.0)
        out = np.tile(np.eye(4), (len(times), 1, 1))
        start, end = self.places[k, :3, 3], self.places[k + 1, :3, 3]
        out[:, :3, 3] = start + share[:, None] * (end - start)
        turned = quaternion_slerp(self._quaternions[k], self._quaternions[k + 1], share)
        out[:, :3, :3] = rotation_from_quaternion(turned)
        return out

    def reach(self, low: Array, high: Array) -> BodyReach:
        """Return how far the body gets within intervals [s]: the ways it makes in either half."""
        found = [
            _farther(*(np.interp(t, self.times, way) for t in (low, 0.5 * (low + high), high)))
            for way in self._ways.T
        ]
        return BodyReach(*found)

    def breaks(self, low: float, high: float) -> Array:
        """Return no times: it never jumps."""
        return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class PlatformMotion:
    """A platform that drives on the floor along a trajectory.

    Args:
        trajectory: Of two axes, x and y [m], or three, x, y and heading [m, m, rad].
        begin: When it begins by the world's clock [s]; before that it stands at its start.
        pose: T_world_floor, the frame in which x, y and heading count; None: the world. (4, 4).

    Raises:
        DescriptionError: For anything but such a trajectory.
    """

    trajectory: Trajectory
    begin: float
    pose: Array
    _reach: TrajectoryReach

    def __init__(
        self, trajectory: Trajectory, begin: float = 0.0, pose: ArrayLike | None = None
    ) -> None:
        if not isinstance(trajectory, Trajectory) or trajectory.dof not in (2, 3):
            raise DescriptionError(
                "no trajectory of a platform",
                element="PlatformMotion, trajectory",
                value=trajectory,
                allowed="a Trajectory of x, y [m] or x, y [m] and heading [rad]",
            )
        put = object.__setattr__
        put(self, "trajectory", trajectory)
        put(self, "begin", time_argument(begin, "begin"))
        put(self, "pose", _pose(pose))
        put(self, "_reach", TrajectoryReach(trajectory, self.begin))

    @property
    def proved(self) -> bool:
        """Whether the rates of the trajectory are bounded by formula."""
        return self._reach.proved

    def poses(self, times: Array) -> Array:
        """Return T_world_body at times [s]. Shape (m, 4, 4)."""
        q = self._reach.positions(times)
        local = np.tile(np.eye(4), (len(times), 1, 1))
        local[:, :2, 3] = q[:, :2]
        if q.shape[1] == 3:
            local[:, :3, :3] = rotation_z(q[:, 2])
        return np.asarray(self.pose @ local)

    def reach(self, low: Array, high: Array) -> BodyReach:
        """Return how far the body gets within intervals [s]."""
        radii = self._reach.radii(low, high)
        turn = radii[:, 2] if radii.shape[1] == 3 else np.zeros(len(radii))
        return BodyReach(np.hypot(radii[:, 0], radii[:, 1]), turn)

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which the trajectory jumps, by rounding."""
        return self._reach.breaks(low, high)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Repeated:
    """A motion that begins again and again, as parts do that come along a belt one by one.

    Args:
        motion: What is repeated: its times from ``begin`` to ``begin + period``.
        period: [s].
        begin: [s]; before that the body stands where it begins.

    Raises:
        DescriptionError: For a period below a millisecond.
    """

    motion: BodyMotion
    period: float
    begin: float

    def __init__(self, motion: BodyMotion, period: float, begin: float = 0.0) -> None:
        if not isinstance(motion, BodyMotion):
            raise DescriptionError(
                "no motion", element="Repeated, motion", value=motion, allowed="ConstantVelocity …"
            )
        put = object.__setattr__
        put(self, "motion", motion)
        put(self, "period", time_argument(period, "period"))
        put(self, "begin", time_argument(begin, "begin"))
        if not self.period >= _SHORTEST:
            raise DescriptionError(
                "too short",
                element="Repeated, period",
                value=period,
                allowed=f"{_SHORTEST:g} s or more",
            )

    @property
    def proved(self) -> bool:
        """Whether what is repeated has certain bounds."""
        return self.motion.proved

    def _rounds(self, times: Array) -> Array:
        """Return when the round began that a time is in, from the first one on [s]."""
        rounds = np.maximum(np.floor((times - self.begin) / self.period), 0.0)
        return np.asarray(rounds * self.period)

    def poses(self, times: Array) -> Array:
        """Return T_world_body at times [s]. Shape (m, 4, 4)."""
        times = np.asarray(times, dtype=np.float64)
        return self.motion.poses(np.maximum(times - self._rounds(times), self.begin))

    def reach(self, low: Array, high: Array) -> BodyReach:
        """Return how far the body gets within intervals [s]."""
        back = self._rounds(0.5 * (low + high))
        end = self.begin + self.period
        return self.motion.reach(*(np.clip(t - back, self.begin, end) for t in (low, high)))

    def breaks(self, low: float, high: float) -> Array:
        """Return the times between two [s] at which a round ends."""
        first, last = (max(int(np.floor((t - self.begin) / self.period)), 0) for t in (low, high))
        inner = self.motion.breaks(self.begin, self.begin + self.period)
        rounds = np.arange(first, last + 1) * self.period
        times = np.unique(rounds[:, None] + np.append(self.begin, inner))
        return np.asarray(times[(times > low) & (times < high)])


def _farther(low: Array, middle: Array, high: Array) -> Array:
    """Return the longer one of two halves, from values that rise. Shape (m,)."""
    return np.asarray(np.maximum(middle - low, high - middle))


def _fixed(values: Array) -> Array:
    out = np.array(values, dtype=np.float64)
    out.setflags(write=False)
    return out


def _pose(given: ArrayLike | None) -> Array:
    if given is None:
        return _fixed(np.eye(4))
    pose = transform_argument(given, "pose")
    if pose.shape != (4, 4):
        raise ShapeError(f"pose must have shape (4, 4), got {pose.shape}")
    return _fixed(pose)


def time_argument(value: float, name: str, endless: bool = False) -> float:
    """Return a time [s] after looking at it.

    Raises:
        DescriptionError: For what is no number, nan, or infinity unless it may be ``endless``.
    """
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = np.nan
    if np.isnan(seconds) or not (endless or np.isfinite(seconds)):
        raise DescriptionError("no time", element=name, value=value, allowed="a number [s]")
    return seconds
