"""A trajectory: where every axis is at any time, and how fast it changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, ShapeError
from armwerk.motion.limits import is_number
from armwerk.motion.pieces import Extremes, Piece, Samples

if TYPE_CHECKING:
    from armwerk.mechanics.model import ArmModel
    from armwerk.motion.limits import Limits
    from armwerk.motion.summary import Summary
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

JUMP = 1e-6  # [rad, m and their rates per s] two motions further apart than this do not join
BEND = 1e-3  # [rad/s² or m/s²] a jump of the acceleration that is worth a notice
_MOST_SAMPLES = 50_000_000


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the planner did that was not asked for in so many words.

    Args:
        segment: Which segment ("segment 2 'lin'"); empty: the whole motion.
        place: Where ("at 0.12 m of 0.30 m", "at 0.61 s"); empty: not at one place.
        axis: Which joint; empty: no single one.
        text: What was done, with numbers and units.
    """

    segment: str
    place: str
    axis: str
    text: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.segment, self.place, self.axis) if part)
        return f"{where}: {self.text}" if where else self.text


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A motion of all axes from time 0 to its duration.

    Args:
        pieces: At least one; each begins where the one before it ended.
        limits: What the axes may do; None: not known.
        model: The arm or model that moves, for pictures of the tool's path; None: not known.
        notices: What the planner has to say.
        arrivals: When each axis reaches its goal [s]. Shape (n,). None: all at the end.
    """

    pieces: tuple[Piece, ...]
    limits: Limits | None = None
    model: ArmModel | Arm | Assembly | None = None
    notices: tuple[Notice, ...] = ()
    arrivals: Array | None = None

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        if len(self.pieces) == 1:
            return self.pieces[0].duration
        return float(sum(piece.duration for piece in self.pieces))

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return self.pieces[0].dof

    @property
    def starts(self) -> Array:
        """When each piece begins, and the end of the last [s]. Shape (pieces + 1,)."""
        return np.concatenate([[0.0], np.cumsum([piece.duration for piece in self.pieces])])

    def evaluate(self, times: ArrayLike) -> Samples:
        """Return position, velocity, acceleration and jerk at many times.

        Args:
            times: [s]; before the start the first state holds, after the end the last. (m,).

        Returns:
            Four arrays of shape (m, n). Where two pieces meet, the later one counts.
        """
        times = _times(times)
        if len(self.pieces) == 1:
            piece = self.pieces[0]
            return piece.evaluate(np.clip(times, 0.0, piece.duration))
        starts = self.starts
        times = np.clip(times, 0.0, starts[-1])
        which = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, len(starts) - 2)
        result = [np.empty((len(times), self.dof)) for _ in range(4)]
        for index in np.unique(which):
            here = which == index
            piece = self.pieces[index]
            local = np.clip(times[here] - starts[index], 0.0, piece.duration)
            for whole, part in zip(result, piece.evaluate(local), strict=True):
                whole[here] = part
        return Samples(*result)

    def sample(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration at a time, or at many.

        Args:
            time: [s]. A number, or shape (m,). Before the start the first state holds, after the
                end the last.

        Returns:
            q, qd, qdd [rad or m, per s, per s²]. Each of shape (n,) or (m, n).
        """
        q, qd, qdd, _ = self.evaluate(np.atleast_1d(time))
        if np.ndim(time) == 0:
            return q[0], qd[0], qdd[0]
        return q, qd, qdd

    def jerk(self, time: ArrayLike) -> Array:
        """Return the jerk [rad/s³ or m/s³] at a time, or at many. Shape (n,) or (m, n)."""
        jerk = self.evaluate(np.atleast_1d(time)).qddd
        return np.asarray(jerk[0]) if np.ndim(time) == 0 else jerk

    def times(self, dt: float) -> Array:
        """Return the times of a cycle [s]: 0, dt, 2 dt, … and the end itself. Shape (m,)."""
        if not is_number(dt) or not 0.0 < dt < np.inf:
            raise MotionError(f"the cycle must be finite and above 0 s, got {dt!r}")
        duration = self.duration
        if duration / dt > _MOST_SAMPLES:
            raise MotionError(f"a cycle of {dt:g} s is too short for a motion of {duration:g} s")
        # a last step shorter than a millionth of a cycle would be rounding, not a step
        count = int(np.ceil(duration / dt - 1e-6))
        times = np.arange(count + 1, dtype=np.float64) * float(dt)
        times[-1] = duration
        return times

    def sampled(self, dt: float) -> tuple[Array, Array, Array, Array]:
        """Return the motion at every cycle; the last sample is exactly at the end.

        Args:
            dt: Cycle [s].

        Returns:
            times (m,), q, qd, qdd (m, n).
        """
        times = self.times(dt)
        return (times, *self.sample(times))

    def extremes(self) -> Extremes:
        """Return the largest values that occur anywhere, per axis."""
        result = self.pieces[0].extremes()
        for piece in self.pieces[1:]:
            result = result.union(piece.extremes())
        return result

    def append(self, other: Trajectory) -> Trajectory:
        """Return this motion followed by another; ``a + b`` is the same.

        Raises:
            MotionError: When position or velocity would jump; names the axis and the size.
        """
        if not isinstance(other, Trajectory):
            raise MotionError(f"a trajectory can only be followed by another, got {other!r:.60}")
        if other.dof != self.dof:
            raise MotionError(f"a motion of {other.dof} axes cannot follow one of {self.dof}")
        bends = self._joint(other)
        part = f"part from {self.duration:.6g} s"  # the times in its notices count from there
        shifted = tuple(replace(n, segment=n.segment or part) for n in other.notices)
        return Trajectory(
            self.pieces + other.pieces,
            self.limits or other.limits,
            self.model if self.model is not None else other.model,
            self.notices + bends + shifted,
        )

    __add__ = append

    def _joint(self, other: Trajectory) -> tuple[Notice, ...]:
        """Refuse a jump between two motions; return notices of jumps of the acceleration."""
        end, start = self.evaluate([self.duration]), other.evaluate([0.0])
        for what, per, one, two in zip(
            ("position", "velocity"), ("", "/s"), end[:2], start[:2], strict=True
        ):
            jumps = two[0] - one[0]
            axis = int(np.abs(jumps).argmax())
            if abs(jumps[axis]) > JUMP:
                raise MotionError(
                    f"the {what} would jump by {jumps[axis]:.6g} {self._unit(axis)}{per}, from "
                    f"{one[0, axis]:.6g} to {two[0, axis]:.6g}, where the second motion begins",
                    axis=self._name(axis),
                )
        bends = np.abs(start.qdd[0] - end.qdd[0])
        axis = int(bends.argmax())
        if bends[axis] <= BEND:
            return ()
        text = f"the acceleration jumps by {bends[axis]:.4g} {self._unit(axis)}/s²"
        return (Notice("", f"at {self.duration:.4g} s", self._name(axis), text),)

    def _name(self, axis: int) -> str:
        return f"joint 'q{axis + 1}'" if self.limits is None else self.limits.axis(axis)

    def _unit(self, axis: int) -> str:
        return "rad or m" if self.limits is None else self.limits.unit(axis)

    def summary(self) -> Summary:
        """Return duration, peaks against the limits, the leading axis and the notices."""
        from armwerk.motion.summary import summarise

        return summarise(self)

    def save(self, path: str | Path, dt: float | None = None) -> Path:
        """Write the motion to a file; the ending names the format.

        Args:
            path: .csv (samples, units in the header) or .npz (the pieces themselves).
            dt: Cycle of the samples [s]; None: the arm's clock, else 4 ms.
        """
        from armwerk.motion.storage import save

        return save(self, path, dt)

    @classmethod
    def load(cls, path: str | Path, model: ArmModel | Arm | Assembly | None = None) -> Trajectory:
        """Return the motion in a file written by `save`, or in any CSV of the same form.

        Args:
            path: .csv or .npz.
            model: The arm it belongs to, for limits and pictures; None: not known.
        """
        from armwerk.motion.storage import load

        return load(path, model)

    def plot(self, path: str | Path, *, title: str | None = None) -> Path:
        """Draw joint curves with their limits and the tool's path; return the file written.

        Args:
            path: .png or .svg.
            title: Above the picture; None: the arm's name and the duration.
        """
        from armwerk.pictures.trajectory import draw_trajectory

        return draw_trajectory(self, path, title=title)

    def __repr__(self) -> str:
        return f"<Trajectory {self.dof} axes, {self.duration:.6g} s, {len(self.pieces)} pieces>"


def _times(times: ArrayLike) -> Array:
    try:
        array = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"times must be numbers [s], got {times!r:.80}") from None
    if array.ndim != 1 or np.isnan(array).any():
        raise ShapeError(f"times must be numbers [s] of shape (m,), got {times!r:.80}")
    return array
