"""A trajectory cut into intervals, with bounds on what happens between the samples.

How fast the joints get during its pieces is bounded, not sampled.

Polynomials, sin² phases and straight lines know their largest rates. A run in joint space, q(s) in
polynomials under a law s(t), is cut where its parts meet; in each of them

    |q̇| ≤ max|q'| max|ṡ|,    |q̈| ≤ max|q'| max|s̈| + max|q''| max|ṡ|²

where the largest of a polynomial is at most the largest of its Bernstein coefficients. A slowed
piece runs at a share r of the old time, so

    |q̇| ≤ max|q̇| max r,    |q̈| ≤ max|q̈| max r² + max|q̇| max r max|r'|

and a B-spline and its derivative stay between their control values. What follows a curve of the
tool has no formula: there velocity is not bounded and acceleration is taken to be at most the
joint's limit, or `SURE` times what samples show if that is more. Only that is no proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Flags, Integers
from armwerk.collision.slow_law import SlowedPiece, SlowLaw
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.limits import Limits
from armwerk.motion.path.stop_to_stop import JointCurve
from armwerk.motion.pieces import Extremes, TrajectoryPiece
from armwerk.motion.retiming.closed_law import ClosedLaw, TimeLaw
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.time_run import PathPiece
from armwerk.motion.trajectory import Trajectory

SURE = 2.0
"""What the sampled acceleration of a piece without formulas is multiplied by. Where its limits are
known and higher, they count instead: the planner keeps to them."""


class RateBounds(NamedTuple):
    """A part of a piece, with bounds of its rates.

    Args:
        low: Where it begins [s], by the piece's own time.
        high: Where it ends [s].
        velocity: Largest magnitude; infinite: not known. Shape (n,).
        acceleration: Largest magnitude. Shape (n,).
        proved: Whether that is certain.
    """

    low: float
    high: float
    velocity: Array
    acceleration: Array
    proved: bool


def rate_bounds(piece: TrajectoryPiece, limits: Limits | None) -> list[RateBounds]:
    """Return a piece cut where its bounds change.

    Args:
        piece: Of a trajectory.
        limits: Of the trajectory; None: not known.
    """
    if isinstance(piece, SlowedPiece):
        return list(_slowed(piece, limits))
    if isinstance(piece, PathPiece):
        return list(_along(piece, limits))
    most = piece.extremes()
    if most.exact:
        return [RateBounds(0.0, piece.duration, most.velocity, most.acceleration, True)]
    return [_assumed(most, limits, 0.0, piece.duration)]


def _assumed(most: Extremes, limits: Limits | None, low: float, high: float) -> RateBounds:
    acceleration = SURE * most.acceleration
    if limits is not None:
        acceleration = np.maximum(acceleration, limits.acceleration)
    return RateBounds(low, high, np.full(len(acceleration), np.inf), acceleration, False)


def _along(piece: PathPiece, limits: Limits | None) -> Iterator[RateBounds]:
    run, law = piece.run, piece.law
    most = cache(piece.extremes)
    if isinstance(law, PathLaw):
        times = law.when(run.starts)
        times[0], times[-1] = 0.0, law.duration
    elif len(run.parts) == 1:
        times = np.array([0.0, law.duration])
    else:
        yield _assumed(most(), limits, 0.0, piece.duration)
        return
    for part, low, high in zip(run.parts, times[:-1], times[1:], strict=True):
        rates = _law_rates(law, low, high)
        if not isinstance(part.source, JointCurve) or rates is None:
            yield _assumed(most(), limits, float(low), float(high))
            continue
        speed, push = rates
        one, two = _most(part.source.polynomial, 1), _most(part.source.polynomial, 2)
        yield RateBounds(float(low), float(high), one * speed, one * push + two * speed**2, True)


def _law_rates(law: TimeLaw, low: float, high: float) -> tuple[float, float] | None:
    """Return the largest |ṡ| and |s̈| between two times; None: not known."""
    if isinstance(law, ClosedLaw):
        most = law.law.piece.extremes()
        if not most.exact:
            return None
        return float(most.velocity[0]) / law.stretch, float(most.acceleration[0]) / law.stretch**2
    if not isinstance(law, PathLaw):
        return None
    first = max(int(np.searchsorted(law.times, low, "left")) - 1, 0)
    last = max(int(np.searchsorted(law.times, high, "right")), first + 1)
    _, v, a, j = law.states[first:last].T
    length = np.diff(law.times)[first:last]
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = np.nan_to_num(-a / j, nan=0.0, posinf=0.0, neginf=0.0)  # where the speed is extreme
    speeds = [v + x * (a + 0.5 * x * j) for x in (0.0, np.clip(turn, 0.0, length), length)]
    return float(np.abs(speeds).max()), float(np.abs([a, a + length * j]).max())


def _most(polynomial: Piecewise, order: int) -> Array:
    """Return a bound of a derivative's magnitude in all pieces. Shape (d,)."""
    rows = polynomial.coefficients
    for _ in range(order):
        rows = rows[:, 1:] * np.arange(1, rows.shape[1])[None, :, None]
    degree = rows.shape[1] - 1
    if degree < 0:
        return np.zeros(polynomial.coefficients.shape[2])
    width = np.diff(polynomial.breaks)[:, None] ** np.arange(degree + 1)
    scaled = rows * width[:, :, None]
    to_bernstein = np.array(
        [[comb(i, k) / comb(degree, k) for k in range(degree + 1)] for i in range(degree + 1)]
    )
    return np.asarray(np.abs(np.einsum("ik,pkd->pid", to_bernstein, scaled)).max(axis=(0, 1)))


def _slowed(piece: SlowedPiece, limits: Limits | None) -> Iterator[RateBounds]:
    """Cut a slowed piece where the piece is cut, and at the knots of its law."""
    law, last = piece.law, piece.start + piece.piece.duration
    most = cache(piece.extremes)
    knots = law.step * np.arange(1, len(law.controls) - 3)
    for part in rate_bounds(piece.piece, limits):
        ends = [piece.start + part.low, min(piece.start + part.high, last)]
        inner = knots[(knots > ends[0]) & (knots < ends[1]) & part.proved]
        olds = np.array([ends[0], *inner, ends[1]])
        news = np.clip(law.new(np.minimum(olds, law.duration)) - piece.begin, 0.0, piece.duration)
        for k, (low, high) in enumerate(pairwise(news.tolist())):
            if not part.proved:
                yield _assumed(most(), limits, low, high)
                continue
            share, change = share_rates(law, float(olds[k]), float(olds[k + 1]))
            velocity = part.velocity * share
            acceleration = part.acceleration * share**2 + part.velocity * share * change
            yield RateBounds(low, high, velocity, acceleration, True)


def share_rates(law: SlowLaw, low: float, high: float) -> tuple[float, float]:
    """Return the largest r and |r'| between two old times."""
    most = len(law.controls) - 4
    first, last = (int(np.clip(np.floor(old / law.step), 0, most)) for old in (low, high))
    around = law.controls[first : last + 4]
    return float(around.max()), float(np.abs(np.diff(around)).max() / law.step)


class Intervals(NamedTuple):
    """Intervals of time, each within one part of a trajectory.

    Args:
        low: Where they begin [s]. Shape (m,).
        high: Where they end [s]. Shape (m,).
        part: Number of the part, see `BoundedTrajectory`. Shape (m,).
    """

    low: Array
    high: Array
    part: Integers

    def chosen(self, which: Flags | Integers | slice) -> Intervals:
        """Return some of them."""
        return Intervals(self.low[which], self.high[which], self.part[which])

    def halved(self) -> Intervals:
        """Return both halves of each, in the order of time within each."""
        middle = 0.5 * (self.low + self.high)
        low = np.stack([self.low, middle], axis=1).ravel()
        high = np.stack([middle, self.high], axis=1).ravel()
        return Intervals(low, high, np.repeat(self.part, 2))

    @property
    def middles(self) -> Array:
        """Times in the middle [s]. Shape (m,)."""
        return np.asarray(0.5 * (self.low + self.high))


class States(NamedTuple):
    """Joint values of intervals.

    Args:
        q: In the middle. Shape (m, n).
        radii: How far each joint gets from there within the interval, at most. Shape (m, n).
        ends: At both ends. Each of shape (m, n).
        low: When the intervals begin [s], from the start of the trajectory. Shape (m,).
        high: When they end [s]. Shape (m,).
    """

    q: Array
    radii: Array
    ends: tuple[Array, Array]
    low: Array
    high: Array


class BoundedTrajectory:
    """A trajectory in parts, with bounds on velocity and acceleration in each.

    With |q̇| ≤ V and |q̈| ≤ A in a part, within h of a time t at which the velocity is v

        |q(t + x) - q(t)| ≤ min(V h, |v| h + A h² / 2)

    Where V and A come from, and where they are no proof, is said at the head of the module.

    Args:
        trajectory: The motion.

    Attributes:
        proved: Whether all bounds are certain.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.starts = trajectory.starts
        rows = [
            (number, part)
            for number, piece in enumerate(trajectory.pieces)
            for part in rate_bounds(piece, trajectory.limits)
        ]
        self.pieces = np.array([number for number, _ in rows], dtype=np.int64)
        begin = self.starts[self.pieces]
        self.low = begin + np.array([part.low for _, part in rows])
        self.high = begin + np.array([part.high for _, part in rows])
        self.velocity = np.array([part.velocity for _, part in rows])
        self.acceleration = np.array([part.acceleration for _, part in rows])
        self.proved = all(part.proved for _, part in rows)

    def intervals(self, breaks: Array | None = None) -> Intervals:
        """Return one interval per part, parts being cut at the times of ``breaks`` [s] as well."""
        whole = Intervals(self.low, self.high, np.arange(len(self.pieces)))
        if breaks is None or not len(breaks):
            return whole
        cuts = np.sort(breaks)
        first = np.searchsorted(cuts, whole.low, "right")
        counts = np.maximum(np.searchsorted(cuts, whole.high, "left") - first, 0)
        part = np.repeat(whole.part, counts + 1)
        inner = np.arange(len(part)) - np.repeat(np.cumsum(counts + 1) - counts - 1, counts + 1)
        place = first[part] + inner
        padded = np.append(cuts, np.inf)
        low = np.where(inner == 0, whole.low[part], cuts[np.maximum(place - 1, 0)])
        high = np.where(inner == counts[part], whole.high[part], padded[place])
        return Intervals(low, high, part)

    def states(self, which: Intervals, with_ends: bool) -> States:
        """Return where the joints are, and how far they get within intervals."""
        half = 0.5 * (which.high - which.low)[:, None]
        q, qd = self._evaluate(which.middles, which.part)
        by_speed = np.where(half > 0.0, self.velocity[which.part], 0.0) * half
        nearby = np.abs(qd) * half + 0.5 * self.acceleration[which.part] * half**2
        ends = (q, q)
        if with_ends:
            ends = (
                self._evaluate(which.low, which.part)[0],
                self._evaluate(which.high, which.part)[0],
            )
        return States(q, np.minimum(by_speed, nearby), ends, which.low, which.high)

    def _evaluate(self, times: Array, which: Integers) -> tuple[Array, Array]:
        """Return positions and velocities in the named parts. Each of shape (m, n)."""
        pieces = self.pieces[which]
        q, qd = (np.empty((len(times), self.trajectory.dof)) for _ in range(2))
        for number in np.unique(pieces):
            here = pieces == number
            piece = self.trajectory.pieces[number]
            local = np.clip(times[here] - self.starts[number], 0.0, piece.duration)
            found = piece.evaluate(local)
            q[here], qd[here] = found.q, found.qd
        return q, qd


def segment_at(trajectory: Trajectory, time: float) -> int:
    """Return the number of the segment at a time, counted from 1.

    Of a planned `Path` its segments count, a blend belonging to the segment before it; else the
    pieces do.
    """
    starts = trajectory.starts
    count = len(trajectory.pieces)
    number = int(np.clip(np.searchsorted(starts, time, "right") - 1, 0, count - 1))
    piece = trajectory.pieces[number]
    local = np.array([np.clip(time - starts[number], 0.0, piece.duration)])
    while isinstance(piece, SlowedPiece):
        local, piece = piece.old(local), piece.piece
    if not isinstance(piece, PathPiece):
        return number + 1
    s = float(piece.law.evaluate(local)[0, 0])
    parts = piece.run.parts
    k = int(np.clip(np.searchsorted(piece.run.starts, s, "right") - 1, 0, len(parts) - 1))
    part = parts[k]
    if isinstance(part.source, JointCurve):
        return part.source.owner
    return part.source.track.owner(part.first + s - float(piece.run.starts[k]))[0].owner
