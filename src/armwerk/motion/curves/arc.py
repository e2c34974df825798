"""The circular arc, through a help point, about a centre, or by an angle; and the spiral.

A spiral's radius and height change evenly with the angle; a helix is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.curve import NO_LENGTH
from armwerk.motion.curves.parametric import ParametricCurve, parametric

FLAT = 1e-7
"""Least sine between the chords of three points on a circle: with less, a rounding of the
seventh digit would decide on which side the centre lies."""
SAME_RADIUS = 1e-6
"""Fraction by which the distances of start and end from a given centre may differ."""
MAX_TURNS = 100.0


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """p(s) = centre + r (cos(s/r) x + sin(s/r) y), turning about x × y.

    Args:
        centre: [m]. Shape (3,).
        x: Unit vector from the centre to the start. Shape (3,).
        y: Unit tangent at the start. Shape (3,).
        radius: [m].
        angle: Above 0, any number of turns [rad].
    """

    centre: Array
    x: Array
    y: Array
    radius: float
    angle: float

    @property
    def length(self) -> float:
        """Arc length [m]."""
        return self.radius * self.angle

    @property
    def axis(self) -> Array:
        """Unit vector the arc turns about, by the right-hand rule. Shape (3,)."""
        return np.cross(self.x, self.y)

    def evaluate(self, s: Array) -> Array:
        """Return p, p', p'', p''' by arc length. Shape (m, 4, 3)."""
        turn = s / self.radius
        cosine, sine = np.cos(turn)[:, None], np.sin(turn)[:, None]
        outwards = cosine * self.x + sine * self.y
        onwards = cosine * self.y - sine * self.x
        out = np.empty((len(s), 4, 3))
        out[:, 0] = self.centre + self.radius * outwards
        out[:, 1] = onwards
        out[:, 2] = -outwards / self.radius
        out[:, 3] = -onwards / self.radius**2
        return out


def arc_through(start: Array, via: Array, end: Array, angle: float | None = None) -> Arc:
    """Return the arc from ``start`` over ``via`` to ``end``.

    The way over the help point decides the direction, so the arc may be longer than half a circle.

    Args:
        start: [m]. Shape (3,).
        via: A point on the arc, in the middle at best [m]. Shape (3,).
        end: [m]. Shape (3,).
        angle: Angle to travel instead of up to the end point [rad]; None: up to the end point.

    Raises:
        MotionError: When two of the points are equal or all three stand in line.
    """
    first, second = via - start, end - start
    lengths = [np.linalg.norm(v) for v in (first, second, end - via)]
    if min(lengths) < NO_LENGTH:
        raise MotionError(
            "a circle needs three different points, got start "
            f"{start.tolist()}, help point {via.tolist()}, end {end.tolist()} m"
        )
    normal = np.cross(first, second)
    sine = np.linalg.norm(normal) / (lengths[0] * lengths[1])
    if sine < FLAT:
        raise MotionError(
            f"the three points of the circle stand in line: start {start.tolist()}, "
            f"help point {via.tolist()}, end {end.tolist()} m"
        )
    square = float(normal @ normal)
    to_centre = (
        np.cross(normal, first) * (second @ second) - np.cross(normal, second) * (first @ first)
    ) / (2.0 * square)
    axis = normal / math.sqrt(square)
    return _arc(start, start + to_centre, axis, end, angle)


def full_circle(start: Array, opposite: Array, upright: Array, angle: float | None = None) -> Arc:
    """Return the full turn from ``start`` over the point ``opposite`` and back.

    Args:
        start: [m]. Shape (3,).
        opposite: The point half-way [m]. Shape (3,).
        upright: The circle turns about this direction, as far as both points allow. Shape (3,).
        angle: Angle to travel instead of a full turn [rad]; None: a full turn.

    Raises:
        MotionError: When the points are equal, or in line with the direction.
    """
    across = opposite - start
    axis = upright - (upright @ across) / max(float(across @ across), NO_LENGTH**2) * across
    if np.linalg.norm(across) < NO_LENGTH or np.linalg.norm(axis) < FLAT * np.linalg.norm(upright):
        raise MotionError(
            "the plane of a full circle is not fixed: its far side must differ from the start, "
            f"and not only along the tool; got start {start.tolist()}, far side "
            f"{opposite.tolist()} m"
        )
    axis = axis / np.linalg.norm(axis)
    return _arc(start, 0.5 * (start + opposite), axis, start, angle)


def arc_about(
    start: Array,
    centre: Array,
    end: Array,
    angle: float | None = None,
    via: Array | None = None,
) -> Arc:
    """Return the arc about ``centre`` from ``start`` the short way to ``end``.

    Where the end is the start the arc is a full turn.

    Args:
        start: [m]. Shape (3,).
        centre: As far from the start as from the end [m]. Shape (3,).
        end: With ``angle`` it only fixes plane and direction [m]. Shape (3,).
        angle: Angle to travel [rad], over 180° and full circles too; None: up to the end.
        via: Fixes plane and direction instead of the end; need not be on the circle. Shape (3,).

    Raises:
        MotionError: When the plane is not fixed, or the distances from the centre differ.
    """
    first, second = start - centre, end - centre
    r0, r1 = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    if min(r0, r1) < NO_LENGTH:
        raise MotionError(f"the circle's centre {centre.tolist()} m lies on its start or end")
    if angle is None and abs(r0 - r1) > SAME_RADIUS * r0:
        raise MotionError(
            f"start and end must be equally far from the circle's centre, got {r0:.9g} and "
            f"{r1:.9g} m"
        )
    side = second if via is None else via - centre
    normal = np.cross(first, side)
    size = float(np.linalg.norm(normal))
    if size < FLAT * r0 * float(np.linalg.norm(side)) or size == 0.0:
        raise MotionError(
            "start, centre and end (or help point) of the circle stand in line, so its plane is "
            f"not fixed: start {start.tolist()}, centre {centre.tolist()}, "
            f"{'end' if via is None else 'help point'} {(centre + side).tolist()} m"
        )
    return _arc(start, centre, normal / size, end, angle)


def _arc(start: Array, centre: Array, axis: Array, end: Array, angle: float | None) -> Arc:
    radius = float(np.linalg.norm(start - centre))
    x = (start - centre) / radius
    y = np.cross(axis, x)
    if angle is None and np.linalg.norm(end - start) < NO_LENGTH:
        angle = 2.0 * math.pi
    if angle is None:
        angle = math.atan2(float((end - centre) @ y), float((end - centre) @ x)) % (2.0 * math.pi)
    elif not 0.0 < abs(angle) <= 2.0 * math.pi * MAX_TURNS:
        raise MotionError(
            f"the circle's angle must be other than 0 and at most {MAX_TURNS:g} turns, "
            f"got {angle} rad"
        )
    if angle < 0.0:
        y, angle = -y, -angle
    return Arc(centre, x, y, radius, angle)


@dataclass(frozen=True, slots=True, eq=False)
class _Spiral:
    """p(φ) = centre + (r0 + k φ)(cos φ x + sin φ y) + h φ z."""

    centre: Array
    x: Array
    y: Array
    z: Array
    radius: float
    growth: float
    climb: float

    def derivatives(self, u: Array, count: int = 4) -> Array:
        cosine, sine = np.cos(u)[:, None], np.sin(u)[:, None]
        out, on = cosine * self.x + sine * self.y, cosine * self.y - sine * self.x
        r, k = (self.radius + self.growth * u)[:, None], self.growth
        return np.stack(
            [
                self.centre + r * out + self.climb * u[:, None] * self.z,
                k * out + r * on + self.climb * self.z,
                2.0 * k * on - r * out,
                -3.0 * k * out - r * on,
            ],
            axis=1,
        )[:, :count]


def spiral(
    start: Array,
    centre: Array,
    axis: Array,
    angle: float,
    end_radius: float | None = None,
    rise: float = 0.0,
) -> ParametricCurve:
    """Return the spiral from ``start`` about an axis, driven by arc length.

    Args:
        start: [m]. Shape (3,).
        centre: A point on the axis [m]. Shape (3,).
        axis: Direction of the axis. Shape (3,).
        angle: Angle to travel, by the right-hand rule about the axis, not 0 [rad].
        end_radius: Distance from the axis at the end [m]; None: as at the start.
        rise: Way along the axis from start to end [m].

    Raises:
        MotionError: For an axis without direction, an angle of 0, a start on the axis with the
            end on it too, or a negative radius.
    """
    length = float(np.linalg.norm(axis))
    if length < NO_LENGTH:
        raise MotionError(f"the spiral's axis has no direction, got {axis.tolist()}")
    if not 0.0 < abs(angle) <= 2.0 * math.pi * MAX_TURNS:
        raise MotionError(
            f"the spiral's angle must be other than 0 and at most {MAX_TURNS:g} turns, "
            f"got {angle} rad"
        )
    z = axis / length
    foot = centre + ((start - centre) @ z) * z
    radius = float(np.linalg.norm(start - foot))
    last = radius if end_radius is None else float(end_radius)
    if last < 0.0:
        raise MotionError(f"the spiral's end radius must be at least 0 m, got {last}")
    if radius < NO_LENGTH:
        raise MotionError("the spiral starts on its own axis, so its direction is not fixed")
    x = (start - foot) / radius
    way = abs(angle)
    y = math.copysign(1.0, angle) * np.cross(z, x)
    shape = _Spiral(foot, x, y, z, radius, (last - radius) / way, rise / way)
    turns = max(1, math.ceil(way / (0.5 * math.pi)))
    return parametric(shape.derivatives, np.linspace(0.0, way, turns + 1), cells=8)
