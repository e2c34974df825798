"""Poses along very many spans at once: lines, arcs, polynomials by arc length, and how the tool
turns.

The rows of a `PackedTrack` are what `armwerk.motion.path.track.Track` holds as objects; what has no
row of its own is marked `OTHER` and left to them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.compiled import RecordText, entry, inner

OTHER, LINE, POLYNOMIAL, SPLINE, ARC, POINT = range(6)
"""Kinds of curves. A point that only turns stands among the lines, with no direction."""
TURN, QUATERNION = 1, 2
"""Kinds of orientations, beside `OTHER`."""
CELLS = 16
"""Of the table of lengths of a polynomial, evenly over its parameter from 0 to 1."""
DEGREE = 5  # the highest power of a polynomial that is packed
_LEFT = 1e-12  # fraction of a curve by which its left side is meant
_CLOSE = 1e-7  # fraction of the length below which one more step of Newton leaves only rounding
_STEPS = 8
_SMOOTH = 1e-8
"""Highest power of the parameter by arc length within a cell, up to which what the ends of the cell
tell leaves out less than a thousandth of it."""
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


class PackedSplines(NamedTuple):
    """Curves of polynomial pieces of any degree, in cells within which Gauss's rule is exact.

    Args:
        first: Each curve's first cell, and where the last one's end. Shape (k + 1,).
        cells: Arc lengths at both ends [m], and both parameters from the start of the piece.
            Shape (c, 4).
        pieces: First row and number of the powers of a cell's piece. Shape (c, 2).
        powers: Lowest first. Shape (p, 3).
    """

    first: Integers
    cells: Array
    pieces: Integers
    powers: Array


class PackedCurves(NamedTuple):
    """Curves in tables.

    Args:
        spans: What is driven of them.
        lines: Start [m] and unit direction. Shape (a, 2, 3).
        line_lengths: Of the whole lines [m]. Shape (a,).
        polynomials: Powers of the parameter, lowest first. Shape (b, 6, 3).
        lengths: Arc lengths at the knots of each [m]. Shape (b, 17).
        splines: Polynomials of other degrees and in other cells.
        arcs: Centre [m], both unit vectors of the plane, radius and length [m]. Shape (c, 4, 3).
    """

    spans: PackedSpans
    lines: Array
    line_lengths: Array
    polynomials: Array
    lengths: Array
    splines: PackedSplines
    arcs: Array


class PackedTurns(NamedTuple):
    """Orientations in tables.

    Args:
        spans: Where they hold.
        turns: R at the start, and in the last row the turning [rad/m]. Shape (a, 4, 3).
        first: First piece of each quaternion curve, and where the last one's end. Shape (b + 1,).
        starts: Arc length where each piece starts [m]. Shape (c,).
        quaternions: Powers of the arc length from there, lowest first. Shape (c, 6, 4).
    """

    spans: PackedSpans
    turns: Array
    first: Integers
    starts: Array
    quaternions: Array


class PackedTrack(NamedTuple):
    """Curves and orientations along one track, each with borders of their own."""

    curves: PackedCurves
    orientations: PackedTurns


_SPANS = RecordText(
    PackedSpans,
    borders="float64[::1]",
    first="float64[::1]",
    length="float64[::1]",
    kind="int64[::1]",
    row="int64[::1]",
)
_SPLINES = RecordText(
    PackedSplines,
    first="int64[::1]",
    cells="float64[:,::1]",
    pieces="int64[:,::1]",
    powers="float64[:,::1]",
)
_CURVES = RecordText(
    PackedCurves,
    spans=_SPANS,
    lines="float64[:,:,::1]",
    line_lengths="float64[::1]",
    polynomials="float64[:,:,::1]",
    lengths="float64[:,::1]",
    splines=_SPLINES,
    arcs="float64[:,:,::1]",
)
_TURNS = RecordText(
    PackedTurns,
    spans=_SPANS,
    turns="float64[:,:,::1]",
    first="int64[::1]",
    starts="float64[::1]",
    quaternions="float64[:,:,::1]",
)


@inner(borrows=True, flatten=True)
def _holds(borders: Array, cell: int, s: float, left: bool) -> bool:
    """Return whether a span holds an arc length; see `_cell`."""
    low, high = borders[cell], borders[cell + 1]
    return bool(low < s <= high if left else low <= s < high)


@inner(borrows=True, flatten=True)
def _cell(borders: Array, s: float, left: bool, known: int) -> int:
    """Return the span at an arc length; at a border the one behind it, or before with ``left``.

    Quickest where it is a known one or the next.
    """
    if _holds(borders, known, s, left):
        return known
    if known + 2 < borders.shape[0] and _holds(borders, known + 1, s, left):
        return known + 1
    low, high = 0, borders.shape[0]
    while low < high:
        middle = (low + high) // 2
        if borders[middle] < s or (not left and borders[middle] == s):
            low = middle + 1
        else:
            high = middle
    return int(min(max(low - 1, 0), borders.shape[0] - 2))


@inner(borrows=True, flatten=True)
def _speed(c: Array, u: float) -> float:
    """Return |dp/du| of a polynomial (6, 3)."""
    total = 0.0
    for i in range(3):
        value = 0.0
        for power in range(DEGREE, 0, -1):
            value = value * u + power * c[power, i]
        total += value * value
    return math.sqrt(total)


@inner(borrows=True, flatten=True)
def stretch(c: Array, low: float, high: float) -> float:
    """Return the arc length of a polynomial between two parameters of one cell [m]."""
    total = 0.0
    for k in range(12):
        total += _WEIGHTS[k] * _speed(c, low + (high - low) * _NODES[k])
    return total * (high - low)


@inner(borrows=True, flatten=True)
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


@inner(borrows=True, flatten=True)
def _by_length(c: Array, u: float, given: Array) -> tuple[float, float, float]:
    """Return first to third derivative of a polynomial's parameter by arc length.

    Args:
        c: Its powers. Shape (6, 3).
        u: The parameter.
        given: Place for its derivatives. Shape (4, 3).
    """
    powers(c, u, given)
    square = slope = bend = 0.0
    for i in range(3):
        one, two, three = given[1, i], given[2, i], given[3, i]
        square += one * one
        slope += one * two
        bend += two * two + one * three
    over = 1.0 / math.sqrt(square)
    # speed by the parameter changes by rise, and that by more
    rise = slope * over
    more = (bend - rise * rise) * over
    cube = over * over * over
    return over, -rise * cube, (3.0 * rise * rise * over - more) * over * cube


@inner(borrows=True, flatten=True)
def parameter(c: Array, lengths: Array, s: float, given: Array) -> float:
    """Return the parameter u of a polynomial at an arc length.

    Args:
        c: Its powers. Shape (6, 3).
        lengths: Arc lengths at its knots [m]. Shape (17,).
        s: Arc length [m].
        given: Place for its derivatives. Shape (4, 3).
    """
    total = lengths[CELLS]
    s = min(max(s, 0.0), total)
    cell = 0
    while cell < CELLS - 1 and lengths[cell + 1] <= s:
        cell += 1
    low, high = cell / CELLS, (cell + 1) / CELLS
    h = lengths[cell + 1] - lengths[cell]
    x, step = (s - lengths[cell]) / h, high - low
    # the polynomial of seventh degree through the ends of the cell
    one, two, three = _by_length(c, low, given)
    c1, c2, c3 = h * one, 0.5 * h * h * two, h * h * h * three / 6.0
    one, two, three = _by_length(c, high, given)
    e0, e1 = step - c1 - c2 - c3, h * one - c1 - 2.0 * c2 - 3.0 * c3
    e2, e3 = h * h * two - 2.0 * c2 - 6.0 * c3, h * h * h * three - 6.0 * c3
    c4 = 35.0 * e0 - 15.0 * e1 + 2.5 * e2 - e3 / 6.0
    c5 = -84.0 * e0 + 39.0 * e1 - 7.0 * e2 + 0.5 * e3
    c6 = 70.0 * e0 - 34.0 * e1 + 6.5 * e2 - 0.5 * e3
    c7 = -20.0 * e0 + 10.0 * e1 - 2.0 * e2 + e3 / 6.0
    u = low + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * (c5 + x * (c6 + x * c7))))))
    if abs(c7) < _SMOOTH:
        return float(u)
    u = min(max(u, low), high)
    for _ in range(_STEPS):
        missing = s - lengths[cell] - stretch(c, low, u)
        u = min(max(u + missing / _speed(c, u), low), high)
        if abs(missing) < _CLOSE * total:
            break
    return float(u)


@inner(borrows=True, flatten=True)
def _piece_speed(powers: Array, first: int, count: int, u: float) -> float:
    """Return |dp/du| of ``count`` powers from row ``first`` on."""
    total = 0.0
    for i in range(3):
        value = 0.0
        for power in range(count - 1, 0, -1):
            value = value * u + power * powers[first + power, i]
        total += value * value
    return math.sqrt(total)


@inner(borrows=True, flatten=True)
def _along_spline(splines: PackedSplines, row: int, s: float, left: bool, out: Array) -> None:
    """Fill p and its derivatives by the parameter (4, 3) where the arc length is s [m]."""
    low, high = splines.first[row], splines.first[row + 1]
    total = splines.cells[high - 1, 1]
    s = min(max(s, 0.0), total)
    while high - low > 1:
        middle = (low + high) // 2
        border = splines.cells[middle, 0]
        if border < s or (not left and border == s):
            low = middle
        else:
            high = middle
    start, end, near, far = splines.cells[low]
    first, count = splines.pieces[low]
    h, step = end - start, far - near
    x = (s - start) / h
    one = h / _piece_speed(splines.powers, first, count, near)
    two = h / _piece_speed(splines.powers, first, count, far)
    u = near + x * (one + x * (3 * step - 2 * one - two + x * (one + two - 2 * step)))
    for _ in range(_STEPS):
        way = 0.0
        for k in range(12):
            node = near + (u - near) * _NODES[k]
            way += _WEIGHTS[k] * _piece_speed(splines.powers, first, count, node)
        missing = s - start - way * (u - near)
        u = u + missing / _piece_speed(splines.powers, first, count, u)
        u = min(max(u, near), far)
        if abs(missing) < _CLOSE * total:
            break
    for i in range(3):
        value = slope = bend = third = 0.0
        for power in range(count - 1, -1, -1):
            third = third * u + 3.0 * bend
            bend = bend * u + 2.0 * slope
            slope = slope * u + value
            value = value * u + splines.powers[first + power, i]
        out[0, i], out[1, i], out[2, i], out[3, i] = value, slope, bend, third


@inner(borrows=True, flatten=True)
def _along_arc(arc: Array, s: float, out: Array) -> None:
    """Fill p, p', p'', p''' of a row of ``arcs`` at an arc length [m]."""
    radius = arc[3, 0]
    cosine, sine = math.cos(s / radius), math.sin(s / radius)
    for i in range(3):
        outwards = cosine * arc[1, i] + sine * arc[2, i]
        onwards = cosine * arc[2, i] - sine * arc[1, i]
        out[0, i], out[1, i] = arc[0, i] + radius * outwards, onwards
        out[2, i], out[3, i] = -outwards / radius, -onwards / (radius * radius)


@inner(borrows=True, flatten=True)
def _whole(curves: PackedCurves, kind: int, row: int) -> float:
    """Return the arc length of a whole curve [m]."""
    if kind == POLYNOMIAL:
        return float(curves.lengths[row, CELLS])
    if kind == SPLINE:
        return float(curves.splines.cells[curves.splines.first[row + 1] - 1, 1])
    if kind == ARC:
        return float(curves.arcs[row, 3, 1])
    return float(curves.line_lengths[row])


@inner(borrows=True, flatten=True)
def by_arc_length(given: Array, out: Array) -> None:
    """Fill p, p', p'', p''' by arc length from those by a parameter. Shape (4, 3)."""
    square = slope = 0.0
    for i in range(3):
        square += given[1, i] * given[1, i]
        slope += given[1, i] * given[2, i]
    over = 1.0 / math.sqrt(square)
    speed_1 = slope * over
    speed_2 = 0.0
    for i in range(3):
        tangent = given[1, i] * over
        bend = (given[2, i] - speed_1 * tangent) * over
        speed_2 += bend * given[2, i] + tangent * given[3, i]
    for i in range(3):
        tangent = given[1, i] * over
        bend = (given[2, i] - speed_1 * tangent) * over
        third = (given[3, i] - speed_2 * tangent - 2.0 * speed_1 * bend) * over
        out[0, i], out[1, i], out[2, i] = given[0, i], tangent, bend * over
        out[3, i] = (third - bend * speed_1 * over) * over * over


@entry(
    "void(CURVES, float64[::1], boolean, float64[:,:,::1], int64[::1])",
    CURVES=_CURVES,
)
def positions(curves: PackedCurves, s: Array, left: bool, out: Array, which: Integers) -> None:
    """Fill p, p', p'', p''' (m, 4, 3), and the span where it is of another kind, else -1. (m,)."""
    spans = curves.spans
    given, cell = np.empty((4, 3)), 0
    for k in range(s.shape[0]):
        cell = _cell(spans.borders, s[k], left, cell)
        kind, row = spans.kind[cell], spans.row[cell]
        which[k] = -1
        if kind == OTHER:
            which[k] = cell
            continue
        local = min(max(s[k] - spans.borders[cell], 0.0), spans.length[cell]) + spans.first[cell]
        if left:
            local = max(local - _LEFT * _whole(curves, kind, row), 0.0)
        if kind in (LINE, POINT):
            for i in range(3):
                direction = curves.lines[row, 1, i]
                out[k, 0, i] = curves.lines[row, 0, i] + local * direction
                out[k, 1, i] = direction
                out[k, 2, i] = out[k, 3, i] = 0.0
            continue
        if kind == ARC:
            _along_arc(curves.arcs[row], local, out[k])
            continue
        if kind == SPLINE:
            _along_spline(curves.splines, row, local, left, given)
        else:
            c = curves.polynomials[row]
            powers(c, parameter(c, curves.lengths[row], local, given), given)
        by_arc_length(given, out[k])


@inner(borrows=True, flatten=True)
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


@inner(borrows=True, flatten=True)
def _vector(p: Array, q: Array, i: int) -> float:
    """Return component i of the vector part of p q*."""
    j, k = (i + 1) % 3, (i + 2) % 3
    cross = p[1 + j] * q[1 + k] - p[1 + k] * q[1 + j]
    return float(p[1 + i] * q[0] - p[0] * q[1 + i] - cross)


@inner(borrows=True, flatten=True)
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


@inner(borrows=True, flatten=True)
def _turn_piece(packed: PackedTurns, row: int, s: float, left: bool) -> int:
    """Return the piece of a quaternion curve at an arc length."""
    low, high = packed.first[row], packed.first[row + 1]
    if left:
        s -= _LEFT * s
    while high - low > 1:
        middle = (low + high) // 2
        if packed.starts[middle] <= s:
            low = middle
        else:
            high = middle
    return int(low)


@entry(
    "void(TURNS, float64[::1], boolean, float64[:,:,::1], float64[:,:,::1], int64[::1])",
    TURNS=_TURNS,
)
def orientations(
    packed: PackedTurns, s: Array, left: bool, poses: Array, twists: Array, which: Integers
) -> None:
    """Fill R and its rates into poses (m, 3, 4) and twists (m, 3, 6); ``which`` as in positions."""
    spans = packed.spans
    given, cell = np.empty((4, 4)), 0
    for k in range(s.shape[0]):
        cell = _cell(spans.borders, s[k], left, cell)
        kind, row = spans.kind[cell], spans.row[cell]
        which[k] = -1
        local = min(max(s[k] - spans.borders[cell], 0.0), spans.length[cell]) + spans.first[cell]
        if kind == TURN:
            _turned(packed.turns[row], local, poses[k], twists[k])
        elif kind == QUATERNION:
            piece = _turn_piece(packed, row, local, left)
            powers(packed.quaternions[piece], local - packed.starts[piece], given)
            _quaternion(given, poses[k], twists[k])
        else:
            which[k] = cell
