"""Pieces of polynomials: every axis has its own phases, each a polynomial in its local time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.pieces.piece import Extremes, Samples, phase_of

_HALVINGS = 30


@dataclass(frozen=True, slots=True, eq=False)
class PolynomialPiece:
    """Polynomials of one degree, q(t) = Σ c_i (t - knot)^i, one per axis and phase.

    Args:
        knots: Begin and end of the phases of each axis [s], rising from 0; the last of every axis
            is the duration. Shape (n, k + 1).
        coefficients: c_0 … c_d [rad/s^i or m/s^i]. Shape (n, k, d + 1) with d at least 3.
    """

    knots: Array
    coefficients: Array

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.knots[0, -1])

    @property
    def dof(self) -> int:
        """Number n of axes."""
        return len(self.knots)

    def evaluate(self, times: Array) -> Samples:
        """Return the motion at local times [s]. Shape (m,) to four of (m, n)."""
        phase = phase_of(self.knots, times)
        axis = np.arange(self.dof)
        local = times[:, None] - self.knots[axis, phase]
        # one contiguous array per power, gathered by flat index
        n, k, powers = self.coefficients.shape
        flat = self.coefficients.reshape(n * k, powers).T
        chosen = np.take(flat, axis * k + phase, axis=1)
        return Samples(*_derivatives(chosen, local))

    def extremes(self) -> Extremes:
        """Return the exact largest values, from the roots of the derivatives."""
        lengths = np.diff(self.knots, axis=1)
        if self.coefficients.shape[2] == 4:
            return _cubic_extremes(self.coefficients, lengths)
        return _extremes(self.coefficients, lengths)


def cubic_piece(
    q0: Array,
    v0: Array,
    axes: Sequence[Sequence[tuple[float, float]]],
    duration: float | None = None,
) -> PolynomialPiece:
    """Return the piece of constant jerks that starts at rest of acceleration.

    Args:
        q0: Start [rad or m]. Shape (n,).
        v0: Start velocity [rad/s or m/s]. Shape (n,).
        axes: Per axis its phases as (duration [s], jerk). An axis that is through earlier than
            another runs on as it ended.
        duration: Of the whole [s], but for rounding that of the longest axis; None: just that.
    """
    count = max(len(phases) for phases in axes)
    table = np.zeros((len(axes), count, 2))
    for row, phases in zip(table, axes, strict=True):
        if len(phases):
            row[: len(phases)] = phases
    return jerk_piece(np.asarray(q0), np.asarray(v0), table[:, :, 0], table[:, :, 1], duration)


def jerk_piece(
    q0: Array, v0: Array, lengths: Array, jerks: Array, duration: float | None = None
) -> PolynomialPiece:
    """Return the piece of constant jerks, as `cubic_piece`, for tables of shape (n, k)."""
    n, count = lengths.shape[0], lengths.shape[1] + 1
    ends = lengths.sum(axis=1)
    whole = float(ends.max()) if duration is None else duration
    lengths = np.concatenate([lengths, np.maximum(whole - ends, 0.0)[:, None]], axis=1)
    jerks = np.concatenate([jerks, np.zeros((n, 1))], axis=1)
    knots = np.zeros((n, count + 1))
    np.cumsum(lengths, axis=1, out=knots[:, 1:])
    knots[:, -1] = whole  # one duration to the last bit
    coefficients = np.empty((n, count, 4))
    q, v, a = q0, v0, np.zeros(n)
    for k in range(count):
        t, j = lengths[:, k], jerks[:, k]
        coefficients[:, k, 0], coefficients[:, k, 1] = q, v
        coefficients[:, k, 2], coefficients[:, k, 3] = a / 2, j / 6
        q = q + t * (v + t * (a / 2 + t * j / 6))
        v = v + t * (a + t * j / 2)
        a = a + t * j
    return PolynomialPiece(knots, coefficients)


def hermite_piece(times: Array, q: Array, qd: Array, qdd: Array) -> PolynomialPiece:
    """Return the quintics that pass samples with their velocities and accelerations.

    Args:
        times: Rising from 0 [s]. Shape (m,), m at least 2.
        q, qd, qdd: The samples. Each of shape (m, n).
    """
    h = np.diff(times)[:, None]
    step = q[1:] - q[:-1]
    d = (step - h * qd[:-1] - h * h * qdd[:-1] / 2) / h**3
    e = (qd[1:] - qd[:-1] - h * qdd[:-1]) / h**2
    f = (qdd[1:] - qdd[:-1]) / h
    rows = (
        q[:-1],
        qd[:-1],
        qdd[:-1] / 2,
        10 * d - 4 * e + f / 2,
        (-15 * d + 7 * e - f) / h,
        (6 * d - 3 * e + f / 2) / h**2,
    )
    coefficients = np.stack(rows, axis=-1).transpose(1, 0, 2)
    return PolynomialPiece(np.tile(times, (q.shape[1], 1)), np.ascontiguousarray(coefficients))


def _derivatives(coefficients: Array, t: Array) -> tuple[Array, Array, Array, Array]:
    """Return the polynomials and three derivatives. (d + 1, …) and (…,) to four of (…,).

    Horner's scheme carried through its own derivatives, which gives q, v, a / 2 and j / 6.
    """
    c = coefficients
    q = c[-1] * t
    q += c[-2]
    v = c[-1].copy()
    a, j = np.zeros_like(t), np.zeros_like(t)
    for power in range(len(c) - 3, -1, -1):
        j *= t
        j += a
        a *= t
        a += v
        v *= t
        v += q
        q *= t
        q += c[power]
    return q, v, 2.0 * a, 6.0 * j


def _derived(coefficients: Array) -> Array:
    return np.asarray(coefficients[..., 1:] * np.arange(1, coefficients.shape[-1]))


def _value(coefficients: Array, t: Array) -> Array:
    value = coefficients[..., -1, None] + np.zeros_like(t)
    for power in range(coefficients.shape[-1] - 2, -1, -1):
        value *= t
        value += coefficients[..., power, None]
    return value


def _extremes(coefficients: Array, lengths: Array) -> Extremes:
    """Return the extremes over all phases of each axis. (n, k, d + 1), d above 3, and (n, k)."""
    chain = [coefficients]
    while chain[-1].shape[-1] > 2:
        chain.append(_derived(chain[-1]))
    places = _ends(lengths)
    spans: list[Array] = []
    for level in range(len(chain) - 1, -1, -1):
        if level <= 3:
            spans.append(_value(chain[level], places))
        if level > 0:
            places = _critical(chain[level], places)
    jerk, acceleration, velocity, position = (values.reshape(len(values), -1) for values in spans)
    return Extremes(
        position.min(axis=1),
        position.max(axis=1),
        np.abs(velocity).max(axis=1),
        np.abs(acceleration).max(axis=1),
        np.abs(jerk).max(axis=1),
    )


def _cubic_extremes(coefficients: Array, lengths: Array) -> Extremes:
    """Return the extremes of constant jerks in closed form. (n, k, 4) and (n, k)."""
    c0, c1, c2, c3 = np.moveaxis(coefficients, 2, 0)
    t = lengths
    busy = t > 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = -c2 / (3.0 * c3)
        turn = np.where((turn > 0.0) & (turn < t), turn, 0.0)
    stops = _quadratic_roots(c1, 2.0 * c2, 3.0 * c3)  # of the velocity
    stops = np.where((stops > 0.0) & (stops < t), stops, 0.0)
    at = np.concatenate([np.zeros_like(t)[None], t[None], stops])
    place = c0 + at * (c1 + at * (c2 + at * c3))
    speed = np.maximum(np.abs(c1 + t * (2.0 * c2 + t * 3.0 * c3)), np.abs(c1))
    speed = np.maximum(speed, np.abs(c1 + turn * (2.0 * c2 + turn * 3.0 * c3)))
    acceleration = np.maximum(np.abs(2.0 * c2), np.abs(2.0 * c2 + 6.0 * c3 * t))
    return Extremes(
        place.min(axis=(0, 2)),
        place.max(axis=(0, 2)),
        speed.max(axis=1),
        acceleration.max(axis=1),
        np.where(busy, np.abs(6.0 * c3), 0.0).max(axis=1),
    )


def _quadratic_roots(c: Array, b: Array, a: Array) -> Array:
    """Return the roots of a t² + b t + c, nan or infinite where there is none. (…,) to (2, …)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # the sign is chosen so that nothing cancels
        half = -0.5 * (b + np.copysign(np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0)), b))
        return np.stack([half / a, c / half])


def _ends(lengths: Array) -> Array:
    return np.stack([np.zeros_like(lengths), lengths], axis=-1)


def _critical(derivative: Array, places: Array) -> Array:
    """Return the ends of the phase and the roots of ``derivative`` between them, rising.

    ``places`` holds the ends and the roots of the next derivative, between which this one is
    monotone, so that a bracket holds one root at most. Where there is none its left end is kept.
    """
    if derivative.shape[-1] == 2:
        with np.errstate(divide="ignore", invalid="ignore"):
            root = -derivative[..., 0] / derivative[..., 1]
        inner = np.clip(np.nan_to_num(root), 0.0, places[..., -1])[..., None]
    elif derivative.shape[-1] == 3:
        roots = _quadratic_roots(*np.moveaxis(derivative, -1, 0))
        end = places[..., -1]
        inner = np.sort(np.where((roots > 0.0) & (roots < end), roots, 0.0), axis=0)
        inner = np.moveaxis(inner, 0, -1)
    else:
        low, high = places[..., :-1].copy(), places[..., 1:].copy()
        first = _value(derivative, low)
        crossed = first * _value(derivative, high) < 0.0
        high = np.where(crossed, high, low)
        # the value at an extreme forgives half of the figures of its place
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            same = np.signbit(_value(derivative, middle)) == np.signbit(first)
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        inner = high
    return np.concatenate([places[..., :1], inner, places[..., -1:]], axis=-1)
