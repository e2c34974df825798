"""Poses along very many spans at once: lines, polynomials by arc length, and how the tool turns.

The rows of a `PackedTrack` are what `armwerk.motion.path.track.Track` holds as objects; what has no
row of its own is marked `OTHER` and left to them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner

OTHER, LINE, POLYNOMIAL = 0, 1, 2
"""Kinds of curves."""
TURN, QUATERNION = 1, 2
"""Kinds of orientations, beside `OTHER`."""
CELLS = 16
"""Of the table of lengths of a polynomial, evenly over its parameter from 0 to 1."""
DEGREE = 5  # the highest power of a polynomial that is packed
_LEFT = 1e-12  # fraction of a curve by which its left side is meant
_CLOSE = 1e-7  # fraction of the length below which one more step of Newton leaves only rounding
_STEPS = 8
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS


class PackedSpans(NamedTuple):
    """Where spans lie along a track, and which row of their kind's table holds them.

    Args:
        borders: Arc lengths where they start, and the end of the last [m]. Shape (k + 1,).
        first: Their own arc length where they start [m]. Shape (k,).
        length: How far they reach [m]. Shape (k,).
        kind: Shape (k,).
        row: In the table of that kind. Shape (k,).
    """

    borders: Array
    first: Array
    length: Array
    kind: Integers
    row: Integers


class PackedTrack(NamedTuple):
    """Curves and orientations in tables.

    Args:
        curves: Spans of curves.
        lines: Start [m] and unit direction. Shape (a, 2, 3).
        line_lengths: Of the whole lines [m]. Shape (a,).
        polynomials: Powers of the parameter, lowest first. Shape (b, 6, 3).
        lengths: Arc lengths at the knots of each [m]. Shape (b, 17).
        orientations: Spans of orientations.
        turns: R at the start, and in the last row the turning [rad/m]. Shape (c, 4, 3).
        quaternions: Powers of the arc length, lowest first. Shape (d, 6, 4).
    """

    curves: PackedSpans
    lines: Array
    line_lengths: Array
    polynomials: Array
    lengths: Array
    orientations: PackedSpans
    turns: Array
    quaternions: Array


_SPANS = RecordText(
    PackedSpans,
    borders="float64[::1]",
    first="float64[::1]",
    length="float64[::1]",
    kind="int64[::1]",
    row="int64[::1]",
)
_TRACK = RecordText(
    PackedTrack,
    curves=_SPANS,
    lines="float64[:,:,::1]",
    line_lengths="float64[::1]",
    polynomials="float64[:,:,::1]",
    lengths="float64[:,::1]",
    orientations=_SPANS,
    turns="float64[:,:,::1]",
    quaternions="float64[:,:,::1]",
)


@inner
def _cell(borders: Array, s: float, left: bool) -> int:
    """Return the span at an arc length; at a border the one behind it, or before with ``left``."""
    low, high = 0, borders.shape[0]
    while low < high:
        middle = (low + high) // 2
        if borders[middle] < s or (not left and borders[middle] == s):
            low = middle + 1
        else:
            high = middle
    return int(min(max(low - 1, 0), borders.shape[0] - 2))


@inner
def _speed(c: Array, u: float) -> float:
    """Return |dp/du| of a polynomial (6, 3)."""
    total = 0.0
    for i in range(3):
        value = 0.0
        for power in range(DEGREE, 0, -1):
            value = value * u + power * c[power, i]
        total += value * value
    return math.sqrt(total)


@inner
def stretch(c: Array, low: float, high: float) -> float:
    """Return the arc length of a polynomial between two parameters of one cell [m]."""
    total = 0.0
    for k in range(12):
        total += _WEIGHTS[k] * _speed(c, low + (high - low) * _NODES[k])
    return total * (high - low)


@inner
def parameter(c: Array, lengths: Array, s: float) -> float:
    """Return the parameter u of a polynomial at an arc length [m]."""
    total = lengths[CELLS]
    s = min(max(s, 0.0), total)
    cell = 0
    while cell < CELLS - 1 and lengths[cell + 1] <= s:
        cell += 1
    low, high = cell / CELLS, (cell + 1) / CELLS
    h = lengths[cell + 1] - lengths[cell]
    x = (s - lengths[cell]) / h
    left, right, step = h / _speed(c, low), h / _speed(c, high), high - low
    u = low + x * (left + x * (3 * step - 2 * left - right + x * (left + right - 2 * step)))
    for _ in range(_STEPS):
        missing = s - lengths[cell] - stretch(c, low, u)
        u = min(max(u + missing / _speed(c, u), low), high)
        if abs(missing) < _CLOSE * total:
            break
    return float(u)


@inner
def powers(c: Array, u: float, out: Array) -> None:
    """Fill value and first to third derivative of a polynomial (6, d). Shape (4, d)."""
    for i in range(c.shape[1]):
        value = one = two = three = 0.0
        for power in range(DEGREE, -1, -1):
            three = three * u + 3.0 * two
            two = two * u + 2.0 * one
            one = one * u + value
            value = value * u + c[power, i]
        out[0, i], out[1, i], out[2, i], out[3, i] = value, one, two, three


@inner
def by_arc_length(given: Array, out: Array) -> None:
    """Fill p, p', p'', p''' by arc length from those by a parameter. Shape (4, 3)."""
    square = slope = 0.0
    for i in range(3):
        square += given[1, i] * given[1, i]
        slope += given[1, i] * given[2, i]
    speed = math.sqrt(square)
    speed_1 = slope / speed
    speed_2 = 0.0
    for i in range(3):
        tangent = given[1, i] / speed
        bend = (given[2, i] - speed_1 * tangent) / speed
        speed_2 += bend * given[2, i] + tangent * given[3, i]
    for i in range(3):
        tangent = given[1, i] / speed
        bend = (given[2, i] - speed_1 * tangent) / speed
        third = (given[3, i] - speed_2 * tangent - 2.0 * speed_1 * bend) / speed
        out[0, i], out[1, i], out[2, i] = given[0, i], tangent, bend / speed
        out[3, i] = (third - bend * speed_1 / speed) / (speed * speed)


@entry(
    "void(TRACK, float64[::1], boolean, float64[:,:,::1], int64[::1])",
    TRACK=_TRACK,
)
def positions(track: PackedTrack, s: Array, left: bool, out: Array, which: Integers) -> None:
    """Fill p, p', p'', p''' (m, 4, 3), and the span where it is of another kind, else -1. (m,)."""
    spans = track.curves
    given = np.empty((4, 3))
    for k in range(s.shape[0]):
        cell = _cell(spans.borders, s[k], left)
        kind, row = spans.kind[cell], spans.row[cell]
        which[k] = -1
        if kind == OTHER:
            which[k] = cell
            continue
        local = min(max(s[k] - spans.borders[cell], 0.0), spans.length[cell]) + spans.first[cell]
        whole = track.line_lengths[row] if kind == LINE else track.lengths[row, CELLS]
        if left:
            local = max(local - _LEFT * whole, 0.0)
        if kind == LINE:
            for i in range(3):
                direction = track.lines[row, 1, i]
                out[k, 0, i] = track.lines[row, 0, i] + local * direction
                out[k, 1, i] = direction
                out[k, 2, i] = out[k, 3, i] = 0.0
            continue
        c = track.polynomials[row]
        powers(c, parameter(c, track.lengths[row], local), given)
        by_arc_length(given, out[k])


@inner
def _turned(row: Array, s: float, pose: Array, twist: Array) -> None:
    """Fill R = exp(s rate) R0 and its rates."""
    x, y, z = s * row[3, 0], s * row[3, 1], s * row[3, 2]
    angle = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * angle
    first = math.sin(angle) / angle if angle > 0.0 else 1.0
    second = math.sin(half) / half if half > 0.0 else 1.0
    second = 0.5 * second * second
    for c in range(3):
        a, b, d = row[0, c], row[1, c], row[2, c]
        u, v, w = y * d - z * b, z * a - x * d, x * b - y * a
        pose[0, c] = a + first * u + second * (y * w - z * v)
        pose[1, c] = b + first * v + second * (z * u - x * w)
        pose[2, c] = d + first * w + second * (x * v - y * u)
        twist[0, 3 + c] = row[3, c]
        twist[1, 3 + c] = twist[2, 3 + c] = 0.0


@inner
def _vector(p: Array, q: Array, i: int) -> float:
    """Return component i of the vector part of p q*."""
    j, k = (i + 1) % 3, (i + 2) % 3
    cross = p[1 + j] * q[1 + k] - p[1 + k] * q[1 + j]
    return float(p[1 + i] * q[0] - p[0] * q[1 + i] - cross)


@inner
def _quaternion(given: Array, pose: Array, twist: Array) -> None:
    """Fill the rotation of a quaternion curve from its derivatives (4, 4), and its rates."""
    norm = norm_1 = norm_2 = 0.0
    for i in range(4):
        norm += given[0, i] * given[0, i]
        norm_1 += 2.0 * given[0, i] * given[1, i]
        norm_2 += 2.0 * (given[1, i] * given[1, i] + given[0, i] * given[2, i])
    norm_1 /= norm
    norm_2 /= norm
    for i in range(3):
        second = 2.0 * _vector(given[2], given[0], i) / norm
        w0 = 2.0 * _vector(given[1], given[0], i) / norm
        w1 = second - w0 * norm_1
        third = 2.0 * (_vector(given[3], given[0], i) + _vector(given[2], given[1], i)) / norm
        twist[0, 3 + i], twist[1, 3 + i] = w0, w1
        twist[2, 3 + i] = third - second * norm_1 - w1 * norm_1 - w0 * (norm_2 - norm_1 * norm_1)
    size = math.sqrt(norm)
    w, x, y, z = given[0, 0] / size, given[0, 1] / size, given[0, 2] / size, given[0, 3] / size
    pose[0, 0], pose[0, 1] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z)
    pose[0, 2], pose[1, 0] = 2.0 * (x * z + w * y), 2.0 * (x * y + w * z)
    pose[1, 1], pose[1, 2] = 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    pose[2, 0], pose[2, 1] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x)
    pose[2, 2] = 1.0 - 2.0 * (x * x + y * y)


@entry(
    "void(TRACK, float64[::1], boolean, float64[:,:,::1], float64[:,:,::1], int64[::1])",
    TRACK=_TRACK,
)
def orientations(
    track: PackedTrack, s: Array, left: bool, poses: Array, twists: Array, which: Integers
) -> None:
    """Fill R and its rates into poses (m, 3, 4) and twists (m, 3, 6); ``which`` as in positions."""
    spans = track.orientations
    given = np.empty((4, 4))
    for k in range(s.shape[0]):
        cell = _cell(spans.borders, s[k], left)
        kind, row = spans.kind[cell], spans.row[cell]
        which[k] = -1
        local = min(max(s[k] - spans.borders[cell], 0.0), spans.length[cell]) + spans.first[cell]
        if kind == TURN:
            _turned(track.turns[row], local, poses[k], twists[k])
        elif kind == QUATERNION:
            powers(track.quaternions[row], local, given)
            _quaternion(given, poses[k], twists[k])
        else:
            which[k] = cell
