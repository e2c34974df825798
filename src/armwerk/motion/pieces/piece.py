"""What every piece of a trajectory can do, and what is measured of it; the straight line.

The line in joint space is one that a single law runs along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import MotionError
from armwerk.motion.limits import is_number

_LOOK, _LOOKS = 0.001, 200  # [s] between looks for peaks, and how many at least
_LOOK_BLOCK = 20_000  # looks at once
_MAX_SAMPLES = 50_000_000


class Samples(NamedTuple):
    """Position, velocity, acceleration and jerk at m times. Each of shape (m, n)."""

    q: Array
    qd: Array
    qdd: Array
    qddd: Array


@dataclass(frozen=True, slots=True, eq=False)
class Extremes:
    """The largest values that occur anywhere in a motion, per axis. Each of shape (n,).

    Args:
        lowest: Smallest position [rad or m].
        highest: Largest position [rad or m].
        velocity: Largest magnitude [rad/s or m/s].
        acceleration: Largest magnitude [rad/s² or m/s²].
        jerk: Largest magnitude [rad/s³ or m/s³].
        exact: True: found by formula; False: from samples.
    """

    lowest: Array
    highest: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    exact: bool = True

    def union(self, other: Extremes) -> Extremes:
        """Return what occurs in either of two motions."""
        return Extremes(
            np.minimum(self.lowest, other.lowest),
            np.maximum(self.highest, other.highest),
            np.maximum(self.velocity, other.velocity),
            np.maximum(self.acceleration, other.acceleration),
            np.maximum(self.jerk, other.jerk),
            self.exact and other.exact,
        )


@runtime_checkable
class TrajectoryPiece(Protocol):
    """A piece of the motion of all axes."""

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ...

    @property
    def dof(self) -> int:
        """Number n of axes."""
        ...

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s] between 0 and the duration. Shape (m,)."""
        ...

    def extremes(self) -> Extremes:
        """Return the largest values that occur in the piece."""
        ...


Piece: TypeAlias = TrajectoryPiece
"""Earlier name of `TrajectoryPiece`."""


def phase_of(knots: Array, times: Array) -> Integers:
    """Return in which phase of each axis a time lies.

    Args:
        knots: Where the phases of n axes begin and end [s]. Shape (n, k + 1).
        times: Shape (m,).

    Returns:
        Indices 0 … k - 1; at a knot the later phase. Shape (m, n).
    """
    phase = np.zeros((len(times), len(knots)), dtype=np.int64)
    for inner in knots[:, 1:-1].T:
        phase += times[:, None] >= inner
    return phase


class SampleBlock(NamedTuple):
    """Some samples of a motion in a row.

    Args:
        times: [s]. Shape (m,).
        q: Position [rad or m]. Shape (m, n).
        qd: Velocity. Shape (m, n).
        qdd: Acceleration. Shape (m, n).
    """

    times: Array
    q: Array
    qd: Array
    qdd: Array


def cycle_count(duration: float, dt: float) -> int:
    """Return the number of steps of a cycle dt [s] up to the end, the last one maybe shorter.

    Raises:
        MotionError: For a cycle that is not above 0 s.
    """
    if not is_number(dt) or not 0.0 < dt < np.inf:
        raise MotionError(f"the cycle must be finite and above 0 s, got {dt!r}")
    # a last step shorter than a millionth of a cycle would be rounding, not a step
    return max(int(np.ceil(duration / dt - 1e-6)), int(duration > 0.0))


def cycle_times(duration: float, dt: float) -> Array:
    """Return the times of a cycle [s]: 0, dt, 2 dt, … and the end itself. Shape (m,).

    Raises:
        MotionError: For a cycle that is not above 0 s, or so short that memory would not do.
    """
    count = cycle_count(duration, dt)
    if count > _MAX_SAMPLES:
        raise MotionError(
            f"a cycle of {dt:g} s is too short for a motion of {duration:g} s at once; `stream` "
            "gives it block by block"
        )
    times = np.arange(count + 1, dtype=np.float64) * float(dt)
    times[-1] = duration
    return times


def looks(duration: float, count: int | None = None) -> Iterator[Array]:
    """Yield even times of a piece at which its peaks are looked for [s], block by block.

    Args:
        duration: Of the piece [s].
        count: How many, both ends included; None: one for each millisecond, at least 200.
    """
    count = max(int(duration / _LOOK), _LOOKS) if count is None else count - 1
    for first in range(0, count + 1, _LOOK_BLOCK):
        last = min(first + _LOOK_BLOCK, count + 1)
        yield np.arange(first, last, dtype=np.float64) * (duration / count)


def extremes_of_samples(piece: TrajectoryPiece, count: int | None = None) -> Extremes:
    """Return the largest values at many even times, for a piece without a formula; see `looks`."""
    found: Extremes | None = None
    for times in looks(piece.duration, count):
        q, qd, qdd, qddd = piece.evaluate(times)
        v, a, j = (np.abs(value).max(axis=0) for value in (qd, qdd, qddd))
        part = Extremes(q.min(axis=0), q.max(axis=0), v, a, j, exact=False)
        found = part if found is None else found.union(part)
    assert found is not None
    return found


@dataclass(frozen=True, slots=True, eq=False)
class LinePiece:
    """All axes on the straight line q = start + direction · s(t).

    Args:
        start: Shape (n,).
        direction: What each axis moves while s grows by 1. Shape (n,).
        law: A piece with one axis, s(t).
    """

    start: Array
    direction: Array
    law: TrajectoryPiece

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.law.duration

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self.start)

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        s, *rates = self.law.evaluate(times)
        return Samples(self.start + s * self.direction, *(rate * self.direction for rate in rates))

    def extremes(self) -> Extremes:
        """Return the exact largest values, those of the law times the direction."""
        along = self.law.extremes()
        ends = np.stack([along.lowest * self.direction, along.highest * self.direction])
        size = np.abs(self.direction)
        return Extremes(
            self.start + ends.min(axis=0),
            self.start + ends.max(axis=0),
            along.velocity * size,
            along.acceleration * size,
            along.jerk * size,
            along.exact,
        )
