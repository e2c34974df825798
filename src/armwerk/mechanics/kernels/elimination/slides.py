"""Six-axis arms with two slides: all solutions of a pose, counted.

A pose makes a loop of the arm. Slides do not turn anything, so the rotations of the loop are those
of its four turns, with fixed rotations B between them:

    Z_0 B_0 Z_1 B_1 Z_2 B_2 Z_3 B_3 = 1.

With θ_0 given, the axis of Z_3 in the frame before Z_1 is a known unit vector u, and its third
component fixes θ_2 but for the sign of a root w; then θ_1 follows from the other two, divided by
m = u_x² + u_y². What is left is one equation: the way around the loop lies in the plane of both
slides. It is g(θ_0, ±w) = 0, and

    p(θ_0) = m g(θ_0, w) g(θ_0, -w)

is a trigonometric polynomial of degree 4. It is taken from 25 samples, so that its harmonics 5 to
12, which are zero, show the error. Its real roots are isolated as those of the determinant are. If
all are simple, the slope at every root is more than the error explains, and Newton's method shows a
true solution there at which the Jacobian is regular, each gives one solution.

Any of the four turns can be the one that is hidden; they are tried in turn.
"""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Flags, Integers
from armwerk.compiled import RecordText, entry, inner
from armwerk.mechanics.kernels.elimination.back import polish
from armwerk.mechanics.kernels.elimination.circle import (
    COEFFICIENTS,
    DEGREE as WHOLE,
    FROM,
    KIND,
    MOST_PLACES,
    NODE_COSINES,
    NODE_SINES,
    NODES,
    ROOT,
    RUN,
    TO,
    fit_polynomial,
    is_simple,
    isolate,
)
from armwerk.mechanics.kernels.elimination.gathered import clear_behind, gather, is_other
from armwerk.mechanics.kernels.elimination.single import distance_to_solution
from armwerk.mechanics.kernels.elimination.views import off_rotation
from armwerk.mechanics.kernels.packed import length_scale
from armwerk.mechanics.kernels.turns import TURN

Complex: TypeAlias = NDArray[np.complex128]

DEGREE = 4
MOST_SOLUTIONS = 8
_PHASE = 0.1234  # [rad] of the first sample: no angle that people like
_COSINE, _SINE = math.cos(_PHASE), math.sin(_PHASE)
_SEEN = 200.0  # the error is taken as this many times what harmonics that should vanish show
_UNITS = 1e-13  # and at least as this share of the size of what p is made of
_FLAT = 1e-7  # nothing is said where neighbouring axes are parallel to this, or m or w is smaller


class SlideLoop(NamedTuple):
    """An arm with two slides as its kernels want it.

    Args:
        arm: Packed constants, see `armwerk.mechanics.chain`. Shape (7, 4, 4).
        links: C_0 … C_6, lengths in scales. Shape (7, 4, 4).
        turns: The joints that turn. Shape (4,).
        slides: Those that slide. Shape (2,).
        defect: How far each rotation of ``arm`` is from the next true one. Shape (7,).
    """

    arm: Array
    links: Array
    turns: Integers
    slides: Integers
    defect: Array


_LOOP = RecordText(
    SlideLoop,
    arm="float64[:,:,::1]",
    links="float64[:,:,::1]",
    turns="int64[::1]",
    slides="int64[::1]",
    defect="float64[::1]",
)


class _Segments(NamedTuple):
    """What lies between the turns of a loop, lengths in scales.

    Attributes:
        rotation: Behind each turn. Shape (4, 3, 3).
        offset: With both slides at zero. Shape (4, 3).
        place: Behind which turn each slide is. Shape (2,).
        along: In which direction it goes there. Shape (2, 3).
    """

    rotation: Array
    offset: Array
    place: Integers
    along: Array


@inner
def _fill_segments(loop: SlideLoop, T: Array, segments: _Segments) -> None:
    """Fill what lies between the turns of the loop that an arm makes with a pose."""
    scale = length_scale(loop.arm)
    inverse = np.eye(4)
    for r in range(3):
        for c in range(3):
            inverse[r, c] = T[c, r]
            inverse[r, 3] -= T[c, r] * T[c, 3] / scale
    links = np.empty((6, 4, 4))
    for k in range(5):
        links[k] = loop.links[k + 1]
    once = np.empty((4, 4))
    _multiply(loop.links[6], inverse, once)
    _multiply(once, loop.links[0], links[5])
    pose = np.empty((4, 4))
    for k in range(4):
        turn = loop.turns[k]
        pose[:] = links[turn]
        joint = (turn + 1) % 6
        while joint != loop.turns[(k + 1) % 4]:
            slide = 0 if joint == loop.slides[0] else 1
            segments.place[slide] = k
            for r in range(3):
                segments.along[slide, r] = pose[r, 2]
            _multiply(pose, links[joint], once)
            pose[:] = once
            joint = (joint + 1) % 6
        for r in range(3):
            segments.offset[k, r] = pose[r, 3]
            for c in range(3):
                segments.rotation[k, r, c] = pose[r, c]


@inner
def _multiply(A: Array, B: Array, out: Array) -> None:
    for r in range(4):
        for c in range(4):
            value = 0.0
            for k in range(4):
                value += A[r, k] * B[k, c]
            out[r, c] = value


@inner
def _close(
    segments: _Segments, hidden: int, cosine: float, sine: float, w: complex, out: Complex
) -> tuple[complex, float, float]:
    """Close a loop but for its slides.

    Args:
        segments: What lies between turns.
        hidden: The turn that is given.
        cosine, sine: Of its angle.
        w: The root, as `_root` gives it, or minus that.
        out: Filled with cosine and sine of the second and the third turn, the way without slides
            and the directions of both. Shape (13,).

    Returns:
        The volume g, m, and how large g can be at most.
    """
    B0, B1 = segments.rotation[hidden], segments.rotation[(hidden + 1) % 4]
    B2, B3 = segments.rotation[(hidden + 2) % 4], segments.rotation[(hidden + 3) % 4]
    back = np.empty((3, 3))  # B_0⁻¹ Z_0⁻¹
    for i in range(3):
        back[i, 0] = B0[0, i] * cosine - B0[1, i] * sine
        back[i, 1] = B0[0, i] * sine + B0[1, i] * cosine
        back[i, 2] = B0[2, i]
    u = np.zeros(3)
    for i in range(3):
        for k in range(3):
            u[i] += back[i, k] * B3[2, k]
    P = B1[2, 0] * B2[0, 2] + B1[2, 1] * B2[1, 2]
    Q = B1[2, 1] * B2[0, 2] - B1[2, 0] * B2[1, 2]
    square = P * P + Q * Q
    third = u[2] - B1[2, 2] * B2[2, 2]
    out[2], out[3] = (P * third - Q * w) / square, (Q * third + P * w) / square
    over = np.empty((3, 3), dtype=np.complex128)  # B_1 Z_2
    v0 = v1 = 0.0j
    for r in range(3):
        over[r, 0] = B1[r, 0] * out[2] + B1[r, 1] * out[3]
        over[r, 1] = B1[r, 1] * out[2] - B1[r, 0] * out[3]
        over[r, 2] = B1[r, 2]
    for k in range(3):
        v0 += over[0, k] * B2[k, 2]
        v1 += over[1, k] * B2[k, 2]
    level = u[0] * u[0] + u[1] * u[1]
    above = max(level, 1e-30)  # where u is the axis of Z_1 itself
    c, s = (v0 * u[0] + v1 * u[1]) / above, (v0 * u[1] - v1 * u[0]) / above
    out[0], out[1] = c, s
    columns = np.empty((3, 3), dtype=np.complex128)  # both slides, and the way
    for k in range(3):
        if k < 2:
            place = (segments.place[k] - hidden) % 4
            _turned(segments.along[k], place, B0, B3, back, over, c, s, columns[k])
        else:
            total = np.zeros(3, dtype=np.complex128)
            one = np.empty(3, dtype=np.complex128)
            for place in range(4):
                offset = segments.offset[(hidden + place) % 4]
                _turned(offset, place, B0, B3, back, over, c, s, one)
                for r in range(3):
                    total[r] += one[r]
            columns[k] = total
    for r in range(3):
        out[4 + r], out[7 + r], out[10 + r] = columns[2, r], columns[0, r], columns[1, r]
    volume = 0.0j
    size = 1.0
    for r in range(3):
        i, j = (r + 1) % 3, (r + 2) % 3
        cross = columns[0, i] * columns[1, j] - columns[0, j] * columns[1, i]
        volume += cross * columns[2, r]
        length = 0.0
        for k in range(3):
            length += columns[r, k].real ** 2 + columns[r, k].imag ** 2
        size *= math.sqrt(length)
    return volume, level, size


@inner
def _turned(
    vector: Array,
    place: int,
    B0: Array,
    B3: Array,
    back: Array,
    over: Complex,
    c: complex,
    s: complex,
    out: Complex,
) -> None:
    """Fill a vector behind a turn of the loop as it is seen from behind the second turn. (3,)."""
    if place == 1:
        for r in range(3):
            out[r] = vector[r]
        return
    if place == 2:
        for r in range(3):
            out[r] = over[r, 0] * vector[0] + over[r, 1] * vector[1] + over[r, 2] * vector[2]
        return
    seen = np.zeros(3)
    if place == 0:
        for r in range(3):
            for k in range(3):
                seen[r] += B0[k, r] * vector[k]
    else:
        before = np.zeros(3)
        for r in range(3):
            for k in range(3):
                before[r] += B3[k, r] * vector[k]
        for r in range(3):
            for k in range(3):
                seen[r] += back[r, k] * before[k]
    out[0], out[1], out[2] = c * seen[0] + s * seen[1], c * seen[1] - s * seen[0], seen[2]


@inner
def _root(segments: _Segments, hidden: int, cosine: float, sine: float) -> complex:
    """Return w: real where the third turn has two angles, imaginary where it has none."""
    B0, B1 = segments.rotation[hidden], segments.rotation[(hidden + 1) % 4]
    B2, B3 = segments.rotation[(hidden + 2) % 4], segments.rotation[(hidden + 3) % 4]
    x = B3[2, 0] * cosine + B3[2, 1] * sine
    y = B3[2, 1] * cosine - B3[2, 0] * sine
    third = B0[0, 2] * x + B0[1, 2] * y + B0[2, 2] * B3[2, 2] - B1[2, 2] * B2[2, 2]
    P = B1[2, 0] * B2[0, 2] + B1[2, 1] * B2[1, 2]
    Q = B1[2, 1] * B2[0, 2] - B1[2, 0] * B2[1, 2]
    square = P * P + Q * Q - third * third
    return complex(math.sqrt(square), 0.0) if square > 0.0 else complex(0.0, math.sqrt(-square))


@inner
def _tilt(segments: _Segments) -> float:
    """Return the smallest sine between axes of neighbouring turns, around the loop."""
    least = 1.0
    for k in range(4):
        B = segments.rotation[k]
        least = min(least, math.hypot(B[2, 0], B[2, 1]))
    return least


@inner
def _fit(segments: _Segments, hidden: int, p: Array) -> float:
    """Fill the polynomial of a view; return its error, infinite where it has none."""
    values, out = np.empty(NODES), np.empty(13, dtype=np.complex128)
    size = 0.0
    for j in range(NODES):
        cosine = NODE_COSINES[j] * _COSINE - NODE_SINES[j] * _SINE
        sine = NODE_SINES[j] * _COSINE + NODE_COSINES[j] * _SINE
        w = _root(segments, hidden, cosine, sine)
        one, level, first = _close(segments, hidden, cosine, sine, w, out)
        if level < _FLAT or abs(w) < _FLAT:
            return math.inf
        if w.imag == 0.0:
            two, _, second = _close(segments, hidden, cosine, sine, -w, out)
        else:
            two, second = one.conjugate(), first
        values[j] = level * (one * two).real
        size = max(size, first * second, abs(values[j]))
    rest = fit_polynomial(values, p)
    high = rest
    for k in range(DEGREE + 1, WHOLE + 1):
        high = max(high, 0.5 * math.hypot(p[k], p[WHOLE + k]))
        p[k] = p[WHOLE + k] = 0.0
    # p is the product of two ways in scales, each known to a share of itself and of one scale
    return max(_SEEN * high, _UNITS * (size + math.sqrt(size) + _UNITS))


@inner
def _substitute(loop: SlideLoop, segments: _Segments, hidden: int, angle: float, q: Array) -> None:
    """Fill the joints (6,) of a hidden angle, with the root w that closes the loop."""
    cosine, sine = math.cos(angle), math.sin(angle)
    w = _root(segments, hidden, cosine, sine)
    out, other = np.empty(13, dtype=np.complex128), np.empty(13, dtype=np.complex128)
    one, _, _ = _close(segments, hidden, cosine, sine, w, out)
    two, _, _ = _close(segments, hidden, cosine, sine, -w, other)
    if abs(two) < abs(one):
        out[:] = other
    second = math.atan2(out[1].real, out[0].real)
    third = math.atan2(out[3].real, out[2].real)
    q[loop.turns[hidden]] = angle
    q[loop.turns[(hidden + 1) % 4]] = second
    q[loop.turns[(hidden + 2) % 4]] = third
    # Z_3⁻¹ = B_3 Z_0 B_0 Z_1 B_1 Z_2 B_2
    last, after = segments.rotation[(hidden + 3) % 4].copy(), np.empty((3, 3))
    for k in range(3):
        value = angle if k == 0 else second if k == 1 else third
        c, s = math.cos(value), math.sin(value)
        B = segments.rotation[(hidden + k) % 4]
        for r in range(3):
            x, y = last[r, 0] * c + last[r, 1] * s, last[r, 1] * c - last[r, 0] * s
            for i in range(3):
                after[r, i] = x * B[0, i] + y * B[1, i] + last[r, 2] * B[2, i]
        last[:] = after
    q[loop.turns[(hidden + 3) % 4]] = math.atan2(last[0, 1] - last[1, 0], last[0, 0] + last[1, 1])
    aa = ab = bb = aw = bw = 0.0  # least squares: both slides undo the way
    for r in range(3):
        a, b, way = out[7 + r].real, out[10 + r].real, out[4 + r].real
        aa, ab, bb = aa + a * a, ab + a * b, bb + b * b
        aw, bw = aw + a * way, bw + b * way
    square = max(aa * bb - ab * ab, 1e-300)
    scale = length_scale(loop.arm)
    q[loop.slides[0]] = -scale * (bb * aw - ab * bw) / square
    q[loop.slides[1]] = -scale * (aa * bw - ab * aw) / square


@inner
def _solve_view(
    loop: SlideLoop,
    T: Array,
    goal: float,
    segments: _Segments,
    hidden: int,
    found: Array,
    count: int,
) -> tuple[int, bool]:
    """Add the solutions that a view shows to those found; return their number and whether proved.

    Proved: then ``found`` holds only them.
    """
    p = np.empty(COEFFICIENTS)
    error = _fit(segments, hidden, p) if _tilt(segments) > _FLAT else math.inf
    if not error < math.inf:
        return count, False
    places = np.empty((MOST_PLACES, 4))
    number = isolate(p, error, places)
    if number > MOST_PLACES:
        return count, False
    proved = number <= MOST_SOLUTIONS
    mine, q = np.empty((MOST_SOLUTIONS, 6)), np.empty(6)
    good = 0
    for k in range(number):
        low, high, root = places[k, FROM], places[k, TO], places[k, ROOT]
        if places[k, KIND] != RUN or not is_simple(p, error, DEGREE * error, low, high, root):
            proved = False
        _substitute(loop, segments, hidden, root + _PHASE, q)
        if not polish(loop.arm, T, q) or not is_other(loop.arm, q, mine, good):
            proved = False
            continue
        near = distance_to_solution(loop.arm, loop.defect, T, q, goal) if proved else math.inf
        angle = q[loop.turns[hidden]] - _PHASE
        angle += TURN * math.ceil((low - angle) / TURN)
        proved = proved and low + near < angle < high - near
        if good < MOST_SOLUTIONS:
            mine[good] = q
            good += 1
    return gather(loop.arm, mine, good, proved, found, count), proved


@inner
def _solve(loop: SlideLoop, T: Array, found: Array) -> tuple[int, bool]:
    segments = _Segments(
        np.empty((4, 3, 3)), np.empty((4, 3)), np.zeros(2, dtype=np.int64), np.empty((2, 3))
    )
    _fill_segments(loop, T, segments)
    goal = off_rotation(T)
    count, proved = 0, False
    for hidden in range(4):
        count, proved = _solve_view(loop, T, goal, segments, hidden, found, count)
        if proved:
            break
    return count, proved


@entry("Tuple((int64, boolean))(LOOP, float64[:,::1], float64[:,::1])", LOOP=_LOOP)
def solve_slides(loop: SlideLoop, T: Array, found: Array) -> tuple[int, bool]:
    """Fill ``found`` (16, 6) with solutions of a pose; return their number and whether proved."""
    return _solve(loop, T, found)


@entry("void(LOOP, float64[:,:,::1], float64[:,:,::1], int64[::1], boolean[::1])", LOOP=_LOOP)
def solve_slides_batch(
    loop: SlideLoop, Ts: Array, found: Array, counts: Integers, proved: Flags
) -> None:
    """The same for m poses: fill (m, 16, 6), nan behind the last, (m,) and (m,)."""
    for k in range(Ts.shape[0]):
        counts[k], proved[k] = _solve(loop, Ts[k], found[k])
        clear_behind(found[k], counts[k])
