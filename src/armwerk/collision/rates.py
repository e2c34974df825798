"""How fast the joints get during the pieces of a trajectory: bounds, not samples.

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
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.slow_law import SlowedPiece, SlowLaw
from armwerk.motion.curves.piecewise import Piecewise
from armwerk.motion.limits import Limits
from armwerk.motion.path.stop_to_stop import JointCurve
from armwerk.motion.pieces import TrajectoryPiece
from armwerk.motion.retiming.path_law import PathLaw
from armwerk.motion.retiming.time_run import ClosedLaw, PathPiece, TimeLaw

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
    return [_assumed(piece, 0.0, piece.duration, limits)]


def _assumed(piece: TrajectoryPiece, low: float, high: float, limits: Limits | None) -> RateBounds:
    acceleration = SURE * piece.extremes().acceleration
    if limits is not None:
        acceleration = np.maximum(acceleration, limits.acceleration)
    return RateBounds(low, high, np.full(piece.dof, np.inf), acceleration, False)


def _along(piece: PathPiece, limits: Limits | None) -> Iterator[RateBounds]:
    run, law = piece.run, piece.law
    if isinstance(law, PathLaw):
        times = law.when(run.starts)
        times[0], times[-1] = 0.0, law.duration
    elif len(run.parts) == 1:
        times = np.array([0.0, law.duration])
    else:
        yield _assumed(piece, 0.0, piece.duration, limits)
        return
    for part, low, high in zip(run.parts, times[:-1], times[1:], strict=True):
        rates = _law_rates(law, low, high)
        if not isinstance(part.source, JointCurve) or rates is None:
            yield _assumed(piece, float(low), float(high), limits)
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
    knots = law.step * np.arange(1, len(law.controls) - 3)
    for part in rate_bounds(piece.piece, limits):
        ends = [piece.start + part.low, min(piece.start + part.high, last)]
        inner = knots[(knots > ends[0]) & (knots < ends[1]) & part.proved]
        olds = np.array([ends[0], *inner, ends[1]])
        news = np.clip(law.new(np.minimum(olds, law.duration)) - piece.begin, 0.0, piece.duration)
        for k, (low, high) in enumerate(pairwise(news.tolist())):
            if not part.proved:
                yield _assumed(piece, low, high, limits)
                continue
            share, change = _share_rates(law, float(olds[k]), float(olds[k + 1]))
            velocity = part.velocity * share
            acceleration = part.acceleration * share**2 + part.velocity * share * change
            yield RateBounds(low, high, velocity, acceleration, True)


def _share_rates(law: SlowLaw, low: float, high: float) -> tuple[float, float]:
    """Return the largest r and |r'| between two old times."""
    most = len(law.controls) - 4
    first, last = (int(np.clip(np.floor(old / law.step), 0, most)) for old in (low, high))
    around = law.controls[first : last + 4]
    return float(around.max()), float(np.abs(np.diff(around)).max() / law.step)
