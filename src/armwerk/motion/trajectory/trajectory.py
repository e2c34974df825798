"""A trajectory: where every axis is at any time, and how fast it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import MotionError, ShapeError
from armwerk.motion.limits import Limits
from armwerk.motion.pieces.piece import (
    Extremes,
    SampleBlock,
    Samples,
    TrajectoryPiece,
    cycle_count,
    cycle_times,
)
from armwerk.motion.trajectory import storage
from armwerk.motion.trajectory.summary import Notice, Summary, summarise
from armwerk.pictures.inline import InlinePicture, drawn_inline

if TYPE_CHECKING:
    from armwerk.mechanics.interface import ArmModel
    from armwerk.robot.arm import Arm
    from armwerk.robot.parts import Assembly

JUMP = 1e-6  # [rad, m and their rates per s] two motions further apart than this do not join
BEND = 1e-3  # [rad/s² or m/s²] a jump of the acceleration that is worth a notice


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

    pieces: tuple[TrajectoryPiece, ...]
    limits: Limits | None = None
    model: ArmModel | Arm | Assembly | None = None
    notices: tuple[Notice, ...] = ()
    arrivals: Array | None = None
    starts: Array = field(init=False, repr=False)
    """When each piece begins, and the end of the last [s]. Shape (pieces + 1,)."""

    def __post_init__(self) -> None:
        ends = accumulate([piece.duration for piece in self.pieces])  # numpy's is slow for one
        object.__setattr__(self, "starts", np.array([0.0, *ends]))

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.starts[-1])

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return self.pieces[0].dof

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
        order = np.argsort(which, kind="stable")
        for here in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
            if not len(here):
                continue
            index = int(which[here[0]])
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
        return cycle_times(self.duration, dt)

    def sampled(self, dt: float) -> tuple[Array, Array, Array, Array]:
        """Return the motion at every cycle; the last sample is exactly at the end.

        Args:
            dt: Cycle [s].

        Returns:
            times (m,), q, qd, qdd (m, n).
        """
        times = self.times(dt)
        return (times, *self.sample(times))

    def stream(self, dt: float, block: int = 10_000) -> Iterator[SampleBlock]:
        """Yield the motion at every cycle, block by block: the samples of `sampled`, never all.

        A motion of hours at a thousand samples a second takes no more memory than one block.

        Args:
            dt: Cycle [s].
            block: Samples at once, at least 1; the last block may hold fewer.

        Raises:
            MotionError: For a cycle that is not above 0 s, or a block of less than one sample.
        """
        duration = self.duration
        count = cycle_count(duration, dt)
        if isinstance(block, bool) or not isinstance(block, int | np.integer) or block < 1:
            raise MotionError(f"a block must hold at least 1 sample, got {block!r}")
        return self._blocks(duration, float(dt), count, int(block))

    def _blocks(self, duration: float, dt: float, count: int, block: int) -> Iterator[SampleBlock]:
        for first in range(0, count + 1, block):
            last = min(first + block, count + 1)
            times = np.arange(first, last, dtype=np.float64) * dt
            if last == count + 1:
                times[-1] = duration
            yield SampleBlock(times, *self.sample(times))

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
        part = f"part from {self.duration:.6g} s"  # places in its notices count from there
        shifted = tuple(
            _later(notice, self.duration, part)
            for notice in other.notices
            if notice not in self.notices or notice.axis or notice.place
        )  # what holds of the motion as a whole is said once
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
        return summarise(self.duration, self.extremes(), self.limits, self.arrivals, self.notices)

    def save(
        self,
        path: str | Path,
        dt: float | None = None,
        *,
        progress: Callable[[float], None] | None = None,
    ) -> Path:
        """Write the motion to a file; the ending names the format.

        Samples are written block by block, so that a motion of any length takes little memory.

        Args:
            path: .csv (samples, units in the header) or .npz (the pieces themselves).
            dt: Cycle of the samples [s]; None: the arm's clock, else 4 ms.
            progress: Called with the fraction of samples written, 0 to 1; None: nobody asks.
        """
        target = storage.trajectory_path(path)
        cycle = storage.clock_of(self.model) if dt is None else dt
        if target.suffix == ".csv":
            blocks = self.stream(cycle)
            if progress is not None:
                blocks = _told(blocks, self.duration, progress)
            return storage.save_samples(target, blocks, self.dof, self.limits, self.model)
        return storage.save_pieces(target, self.pieces, self.limits, cycle)

    @classmethod
    def load(cls, path: str | Path, model: ArmModel | Arm | Assembly | None = None) -> Trajectory:
        """Return the motion in a file written by `save`, or in any CSV of the same form.

        Args:
            path: .csv or .npz.
            model: The arm it belongs to, for limits and pictures; None: not known.
        """
        pieces, limits = storage.load(path, model)
        return cls(pieces, limits, model)

    @overload
    def plot(self, path: str | Path, *, title: str | None = None) -> Path: ...
    @overload
    def plot(self, path: None = None, *, title: str | None = None) -> InlinePicture: ...
    def plot(
        self, path: str | Path | None = None, *, title: str | None = None
    ) -> Path | InlinePicture:
        """Draw joint curves with their limits, the tool's path and speeds.

        Args:
            path: .png or .svg; None: a notebook shows the picture that is returned.
            title: Above the picture; None: the arm's name and the duration.

        Returns:
            The file written, or the picture.
        """
        from armwerk.pictures.trajectory import draw_trajectory

        if path is not None:
            return draw_trajectory(self, path, title=title)
        return drawn_inline(lambda file: draw_trajectory(self, file, title=title))

    def __repr__(self) -> str:
        return f"<Trajectory {self.dof} axes, {self.duration:.6g} s, {len(self.pieces)} pieces>"


def _later(notice: Notice, begin: float, part: str) -> Notice:
    """Return a notice of a motion that begins later [s]."""
    span = notice.span and (notice.span[0] + begin, notice.span[1] + begin)
    return replace(notice, segment=notice.segment or part, span=span)


def _told(
    blocks: Iterator[SampleBlock], duration: float, progress: Callable[[float], None]
) -> Iterator[SampleBlock]:
    """Yield blocks, and tell after each how much of the motion is done."""
    for block in blocks:
        yield block
        progress(float(block.times[-1]) / duration if duration > 0.0 else 1.0)


def _times(times: ArrayLike) -> Array:
    try:
        array = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError):
        raise ShapeError(f"times must be numbers [s], got {times!r:.80}") from None
    if array.ndim != 1 or np.isnan(array).any():
        raise ShapeError(f"times must be numbers [s] of shape (m,), got {times!r:.80}")
    return array
