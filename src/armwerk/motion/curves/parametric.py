"""Curves whose arc length has no closed form: a table of lengths, refined by Newton.

With u the parameter the curve comes in and σ(u) = |dp/du|, s(u) = ∫ σ du. The table holds s at
knots so close that Gauss's rule is exact to rounding between them; u(s) is found from the table by
interpolation and two or three steps of Newton, whose slope is σ itself. Béziers of any degree and
cubic splines through points are such curves; along a spline tangent and curvature go on across
every point.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.curve import NO_LENGTH, Line
from armwerk.motion.curves.interpolating import interpolating_spline
from armwerk.motion.curves.piecewise import Piecewise, bernstein

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = 0.5 * (_NODES + 1.0), 0.5 * _WEIGHTS
CUSP = 1e-4
"""Fraction of its mean speed dp/du below which a curve counts as standing still: a cusp."""
SQUARED = 1e-7
"""Fraction of the length below which one more step of Newton leaves nothing but rounding."""
_STEPS = 8
MAX_CONTROL_POINTS = 12
"""Control points of one curve, its ends included: with more, the powers lose digits, and a spline
does better."""
MAX_POINTS = 2000


class Derivatives(Protocol):
    """A curve by its own parameter."""

    def __call__(self, u: Array, count: int = 4) -> Array:
        """Return p, dp/du, … at parameters (m,), as many as counted. Shape (m, count, 3)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class ParametricCurve:
    """A curve given by u, driven by arc length.

    Args:
        derivatives: The curve by u.
        knots: Parameters of the table, rising; the curve runs from the first to the last.
        lengths: Arc length from the start to each knot [m]. Shape as knots.
        seams: Arc lengths within the curve where its third derivative may jump [m].
        polynomials: The curve by u where it is made of polynomials; None: something else.
    """

    derivatives: Derivatives
    knots: Array
    lengths: Array
    seams: Array
    polynomials: Piecewise | None = None

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return float(self.lengths[-1])

    def parameter(self, s: Array) -> Array:
        """Return u with s(u) = s to rounding. Shape (m,)."""
        s = np.clip(s, 0.0, self.length)
        piece = np.clip(np.searchsorted(self.lengths, s, "right") - 1, 0, len(self.knots) - 2)
        low, high = self.knots[piece], self.knots[piece + 1]
        u = self._guess(s, piece)
        for _ in range(_STEPS):
            missing = s - self.lengths[piece] - _stretch(self.derivatives, low, u)
            u = np.clip(u + missing / self._speed(u), low, high)
            # each step squares what is left of the error
            if not len(s) or np.abs(missing).max() < SQUARED * self.length:
                break
        return u

    def _guess(self, s: Array, piece: NDArray[np.int64]) -> Array:
        """Return u by the cubic through value and slope du/ds = 1/σ at the neighbouring knots."""
        slopes = 1.0 / self._speed(self.knots)
        h = self.lengths[piece + 1] - self.lengths[piece]
        x = (s - self.lengths[piece]) / h
        low, high = self.knots[piece], self.knots[piece + 1]
        left, right = h * slopes[piece], h * slopes[piece + 1]
        step = high - low
        return np.asarray(
            low + x * (left + x * (3 * step - 2 * left - right + x * (left + right - 2 * step)))
        )

    def _speed(self, u: Array) -> Array:
        return np.asarray(np.linalg.norm(self.derivatives(u, 2)[:, 1], axis=1))

    def evaluate(self, s: Array) -> Array:
        """Return p, p', p'', p''' by arc length. Shape (m, 4, 3)."""
        return by_arc_length(self.derivatives(self.parameter(s)))


def by_arc_length(given: Array) -> Array:
    """Return derivatives by arc length from those by any parameter. Shape (m, 4, 3).

    With T = dp/du / σ: dT/du = (d²p/du² - σ' T) / σ with σ' = T · d²p/du², and once more for the
    third; d/ds = (1/σ) d/du.
    """
    p1, p2, p3 = given[:, 1], given[:, 2], given[:, 3]
    speed = np.linalg.norm(p1, axis=1)[:, None]
    tangent = p1 / speed
    speed_1 = (tangent * p2).sum(axis=1)[:, None]
    tangent_1 = (p2 - speed_1 * tangent) / speed
    speed_2 = (tangent_1 * p2 + tangent * p3).sum(axis=1)[:, None]
    tangent_2 = (p3 - speed_2 * tangent - 2.0 * speed_1 * tangent_1) / speed
    third = (tangent_2 - tangent_1 * speed_1 / speed) / speed**2
    return np.stack([given[:, 0], tangent, tangent_1 / speed, third], axis=1)


def parametric(derivatives: Derivatives, breaks: Array, cells: int = 16) -> ParametricCurve:
    """Return the curve of ``derivatives`` with its table of lengths.

    Args:
        derivatives: See `ParametricCurve`; smooth between the breaks.
        breaks: Rising parameters where the curve starts, ends, or is less smooth.
        cells: Knots per stretch between breaks.

    Raises:
        MotionError: When the curve has no length, or a cusp where it stands still.
    """
    steps = np.arange(cells) / cells
    inner = breaks[:-1, None] + np.diff(breaks)[:, None] * steps
    knots = np.append(inner.ravel(), breaks[-1])
    lengths = np.append(0.0, np.cumsum(_stretch(derivatives, knots[:-1], knots[1:])))
    if not lengths[-1] > NO_LENGTH:
        raise MotionError("the curve has no length: all of its points are equal")
    fine = np.linspace(0.0, 1.0, 4, endpoint=False)
    u = np.append((knots[:-1, None] + np.diff(knots)[:, None] * fine).ravel(), knots[-1])
    given = derivatives(u)
    speed = np.linalg.norm(given[:, 1], axis=1)
    stands = speed < CUSP * speed.mean()
    # between two points of the grid a smooth curve does not turn by more than a right angle
    stands[1:] |= (given[1:, 1] * given[:-1, 1]).sum(axis=1) <= 0.0
    if stands.any():
        place = given[int(np.argmax(stands)), 0]
        raise MotionError(
            f"the curve has a cusp near {np.round(place, 6).tolist()} m, where no speed keeps to it"
        )
    return ParametricCurve(derivatives, knots, lengths, lengths[cells:-1:cells])


def polynomial_curve(polynomials: Piecewise, cells: int = 16) -> ParametricCurve:
    """Return the curve of polynomials, see `parametric`."""
    curve = parametric(polynomials.derivatives, polynomials.breaks, cells)
    return replace(curve, polynomials=polynomials)


def _stretch(derivatives: Derivatives, low: Array, high: Array) -> Array:
    """Return the arc lengths between parameters of one cell each. Shape (m,)."""
    width = high - low
    u = low[:, None] + width[:, None] * _NODES
    speed = np.linalg.norm(derivatives(u.ravel(), 2)[:, 1], axis=1).reshape(u.shape)
    return np.asarray(width * (speed @ _WEIGHTS))


def bezier(points: Array) -> ParametricCurve | Line:
    """Return the Bézier curve of control points, driven by arc length.

    Three points make a quadratic, four a cubic curve. Control points on the way between the ends,
    in order, make it a line, also where they are the ends themselves.

    Args:
        points: Start, control points, end [m]. Shape (k, 3), k from 2 to `MAX_CONTROL_POINTS`.

    Raises:
        MotionError: For too few or too many points, for start equal to all others, for a cusp.
    """
    if not 2 <= len(points) <= MAX_CONTROL_POINTS:
        raise MotionError(
            f"a Bézier curve needs 2 to {MAX_CONTROL_POINTS} points, its ends included, "
            f"got {len(points)}"
        )
    if np.linalg.norm(points - points[0], axis=1).max() < NO_LENGTH:
        raise MotionError(f"all points of the Bézier curve are equal: {points[0].tolist()} m")
    if _is_straight(points):
        return Line(points[0], points[-1])
    return polynomial_curve(bernstein(points))


def _is_straight(points: Array) -> bool:
    """Return whether points stand in line and in order between the first and the last one."""
    chord = points[-1] - points[0]
    square = float(chord @ chord)
    if square < NO_LENGTH**2:
        return False
    shares = (points - points[0]) @ chord / square
    off = points - points[0] - shares[:, None] * chord
    return bool((np.diff(shares) >= 0.0).all() and np.abs(off).max() < NO_LENGTH)


def spline(points: Array) -> ParametricCurve:
    """Return the C2 cubic spline through points, driven by arc length.

    The parameter between two points is the square root of their distance (centripetal), which
    keeps the curve from looping where distances differ. Ends: not-a-knot; with two points it is
    the line, with three the parabola through them.

    Args:
        points: [m]. Shape (k, 3), k at least 2.

    Raises:
        MotionError: For fewer than 2 points, or equal neighbours.
    """
    if not 2 <= len(points) <= MAX_POINTS:
        raise MotionError(f"a spline needs 2 to {MAX_POINTS} points, got {len(points)}")
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if chords.min() < NO_LENGTH:
        k = int(np.argmin(chords))
        raise MotionError(f"points {k} and {k + 1} of the spline are equal: {points[k].tolist()} m")
    knots = np.append(0.0, np.cumsum(np.sqrt(chords)))
    return polynomial_curve(interpolant(knots, points), cells=6)


def interpolant(knots: Array, values: Array) -> Piecewise:
    """Return the cubic spline with values (k, d) at knots, not-a-knot at its ends."""
    degree = 3
    if len(knots) <= degree:  # a line, or a parabola
        through = np.linalg.solve((knots - knots[0])[:, None] ** np.arange(len(knots)), values)
        whole = np.zeros((1, degree + 1, values.shape[1]))
        whole[0, : len(knots)] = through
        return Piecewise(knots[[0, -1]], whole)
    rates = interpolating_spline(knots, values, degree).rates(knots[:-1])
    return Piecewise(knots, rates / np.array([1.0, 1.0, 2.0, 6.0])[:, None])
