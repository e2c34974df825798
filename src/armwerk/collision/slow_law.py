"""The law by which a motion is slowed down without leaving its path.

The old time τ runs slower than the new time t: dτ/dt = r(τ), a share of at most 1. r is a uniform
cubic B-spline, so twice continuously differentiable and everywhere between the smallest and
largest of the four control values around; where those are 1, nothing changes. By the chain rule

    q̇ → q̇ r,    q̈ → q̈ r² + q̇ r r',    jerk → q⃛ r³ + 3 q̈ r² r' + q̇ r (r'² + r r'')
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.pieces import Extremes, Piece, Samples, extremes_of_samples

_CELLS = 8  # of a knot interval, over each of which 1/r is integrated by Gauss's rule
_NODES, _WEIGHTS = (0.5 * x for x in np.polynomial.legendre.leggauss(6))
_NODES = _NODES + 0.5
_NEWTON = 6
_BASIS = (
    np.array([[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]], dtype=np.float64) / 6.0
)
"""Powers of the place within a knot interval (rows) for its four control values (columns)."""


@dataclass(frozen=True, slots=True, eq=False)
class SlowLaw:
    """Old time by new time.

    Args:
        duration: Of the old motion [s].
        step: Between knots [s], of old time.
        controls: Control values; value j reaches from (j - 3) to (j + 1) steps. Shape (k + 3,).
        times: Table of old times [s]. Shape (m,).
        news: New times there [s]. Shape (m,).
    """

    duration: float
    step: float
    controls: Array
    times: Array
    news: Array

    @classmethod
    def of(cls, duration: float, controls: Array) -> SlowLaw:
        """Return the law of given control values, at least four."""
        knots = len(controls) - 3
        step = duration / knots
        times = np.linspace(0.0, duration, knots * _CELLS + 1)
        cell = times[1] - times[0]
        inner = times[:-1, None] + cell * _NODES
        share = _share(inner.ravel(), step, controls)[0].reshape(inner.shape)
        news = np.append(0.0, np.cumsum(cell * (_WEIGHTS / share).sum(axis=1)))
        return cls(duration, step, controls, times, news)

    def share(self, old: Array) -> tuple[Array, Array, Array]:
        """Return r, r', r'' at old times. Each of shape (m,)."""
        return _share(old, self.step, self.controls)

    def new(self, old: Array) -> Array:
        """Return the new time at which an old time comes [s]. Shape (m,)."""
        k = np.clip(np.searchsorted(self.times, old, "right") - 1, 0, len(self.times) - 2)
        return np.asarray(self.news[k] + self._integral(self.times[k], old))

    def old(self, new: Array) -> Array:
        """Return the old time at a new time [s]. Shape (m,)."""
        new = np.clip(new, 0.0, self.news[-1])
        k = np.clip(np.searchsorted(self.news, new, "right") - 1, 0, len(self.times) - 2)
        low, high = self.times[k], self.times[k + 1]
        part = (new - self.news[k]) / (self.news[k + 1] - self.news[k])
        at = low + part * (high - low)
        for _ in range(_NEWTON):
            miss = self.news[k] + self._integral(low, at) - new
            at = np.clip(at - miss * self.share(at)[0], low, high)
        return np.asarray(at)

    def _integral(self, low: Array, high: Array) -> Array:
        """Return ∫ dτ / r between old times of one cell. Shape (m,)."""
        width = (high - low)[:, None]
        inner = low[:, None] + width * _NODES
        share = self.share(inner.ravel())[0].reshape(inner.shape)
        return np.asarray((width * _WEIGHTS / share).sum(axis=1))


def _share(old: Array, step: float, controls: Array) -> tuple[Array, Array, Array]:
    place = old / step
    k = np.clip(place.astype(np.int64), 0, len(controls) - 4)
    u = place - k
    four = np.stack([controls[k + j] for j in range(4)])
    a, b, c, d = _BASIS @ four
    return (
        a + u * (b + u * (c + u * d)),
        (b + u * (2.0 * c + 3.0 * u * d)) / step,
        (2.0 * c + 6.0 * u * d) / step**2,
    )


def slowed_rates(samples: Samples, share: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Return velocity, acceleration and jerk by the new time. Each of shape (m, n)."""
    r, first, second = (row[:, None] for row in share)
    _, v, a, j = samples
    return (
        v * r,
        a * r**2 + v * r * first,
        j * r**3 + 3.0 * a * r**2 * first + v * r * (first**2 + r * second),
    )


@dataclass(frozen=True, slots=True, eq=False)
class SlowedPiece:
    """A piece of a motion under a `SlowLaw`.

    Args:
        piece: As it was.
        start: When it began in the old motion [s].
        law: Of the whole motion.
    """

    piece: Piece
    start: float
    law: SlowLaw

    @property
    def begin(self) -> float:
        """When it begins in the new motion [s]."""
        return float(self.law.new(np.array([self.start]))[0])

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        ends = np.array([self.start, self.start + self.piece.duration])
        low, high = self.law.new(np.minimum(ends, self.law.duration))
        return float(high - low)

    @property
    def dof(self) -> int:
        """Number of axes."""
        return self.piece.dof

    def old(self, times: Array) -> Array:
        """Return the local times of the piece as it was [s]. Shape (m,)."""
        local = self.law.old(np.asarray(times, dtype=np.float64) + self.begin) - self.start
        return np.asarray(np.clip(local, 0.0, self.piece.duration))

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        old = self.old(times)
        samples = self.piece.evaluate(old)
        return Samples(samples.q, *slowed_rates(samples, self.law.share(old + self.start)))

    def extremes(self) -> Extremes:
        """Return the largest values at a thousand even times."""
        return extremes_of_samples(self)
