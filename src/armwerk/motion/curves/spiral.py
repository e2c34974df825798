"""The spiral: a radius and a height that change evenly with the angle; a helix is one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import MotionError
from armwerk.motion.curves.arc import MAX_TURNS
from armwerk.motion.curves.curve import NO_LENGTH
from armwerk.motion.curves.parametric import ParametricCurve, parametric


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
