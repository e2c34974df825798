"""Blends: curves that pass a via point at a distance instead of stopping there.

Entry and exit lie where the segments enter and leave a sphere about the via point. Four shapes:

    smooth      quintic with tangent and curvature of both segments at its ends: no limit, the jerk
                included, needs to be passed
    arc         circle tangent to both; between lines only
    quadratic   Bézier with the via point as control point; between lines only
    cubic       Bézier along both tangents

The last three are tangent-continuous; their curvature jumps, so the acceleration does too, within
its limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.motion.curves import Arc, Curve, Line, bezier, hermite, parametric
from armwerk.motion.curves.parametric import by_arc_length
from armwerk.motion.options import BlendShape

STRAIGHT = 1e-6  # [rad] between tangents below which there is no corner
REVERSAL = math.radians(178.0)
"""Angle between the tangents from which a blend would turn on the spot: the path stops instead."""
_FULLNESS = np.arange(0.9, 3.0, 0.15)
"""Lengths tried for the smooth blend's end derivatives, over the distance from the via point."""
_CURVATURE = 0.95  # fraction of the acceleration that the blend may use up across the path


@dataclass(frozen=True, slots=True, eq=False)
class BlendEnd:
    """Where a segment is left or joined: p, p', p'' by arc length. Shape (3, 3) or more rows.

    Args:
        state: p, p', p'', … in rows.
        reach: Arc length between it and the via point [m].
        is_straight: Whether the segment is a line.
    """

    state: Array
    reach: float
    is_straight: bool


def entry_distance(curve: Curve, radius: float, from_end: bool) -> float:
    """Return the arc length from the via point at which a curve crosses the sphere around it.

    Args:
        curve: What ends (or starts) at the via point.
        radius: Of the sphere [m].
        from_end: Whether the via point is the end of the curve, else its start.

    Returns:
        [m]; at most half of the curve's length.
    """
    largest = 0.5 * curve.length
    if radius >= largest or isinstance(curve, Line):
        return min(radius, largest)
    via = curve.length if from_end else 0.0
    sign = -1.0 if from_end else 1.0
    centre = curve.evaluate(np.array([via]))[0, 0]

    def distance(way: Array) -> Array:
        return np.asarray(
            np.linalg.norm(curve.evaluate(via + sign * way)[:, 0] - centre, axis=1) - radius
        )

    grid = np.linspace(0.0, largest, 65)
    outside = np.flatnonzero(distance(grid) >= 0.0)
    if not len(outside):
        return largest
    low, high = grid[outside[0] - 1], grid[outside[0]]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if distance(np.array([middle]))[0] >= 0.0 else (middle, high)
    return float(high)


def corner_angle(before: Array, after: Array) -> float:
    """Return the angle between two unit tangents [rad]."""
    return 2.0 * math.atan2(
        float(np.linalg.norm(after - before)), float(np.linalg.norm(after + before))
    )


def blend_curve(
    entry: BlendEnd,
    leave: BlendEnd,
    shape: BlendShape,
    acceleration: float = 1.0,
    jerk: float = np.inf,
) -> tuple[Curve, str]:
    """Return the curve from one segment to the next, and what had to be changed, if anything.

    Args:
        entry: Where the first segment is left.
        leave: Where the second one is joined.
        shape: One of `armwerk.motion.options.BLEND_SHAPES`.
        acceleration: The smooth one is made for the fastest passage under this [m/s²] …
        jerk: … and this [m/s³].

    Returns:
        The curve, and "" or the reason why the shape became another.
    """
    p0, t0 = entry.state[0], entry.state[1]
    p1, t1 = leave.state[0], leave.state[1]
    angle = corner_angle(t0, t1)
    lines = entry.is_straight and leave.is_straight
    if angle < STRAIGHT and lines:
        return Line(p0, p1), ""
    why = ""
    even = lines and math.isclose(entry.reach, leave.reach)
    if (shape == "arc" and not even) or (shape == "quadratic" and not lines):
        why = f"no {shape} is tangent to both segments there, so the blend is a cubic"
        shape = "cubic"
    if shape == "arc":
        return _corner_arc(p0, t0, t1, entry.reach, angle), why
    if shape == "quadratic":
        return bezier(np.array([p0, p0 + entry.reach * t0, p1])), why
    if shape == "cubic":
        # the length that makes a cubic of equal sides closest to a circle
        handle = 4.0 / 3.0 * math.tan(0.25 * angle) / max(math.tan(0.5 * angle), 1e-9)
        handle = handle if angle > 1e-3 else 2.0 / 3.0
        points = [p0, p0 + handle * entry.reach * t0, p1 - handle * leave.reach * t1, p1]
        return bezier(np.array(points)), why
    return _smooth(entry, leave, acceleration, jerk), why


def _smooth(entry: BlendEnd, leave: BlendEnd, acceleration: float, jerk: float) -> Curve:
    """Return the quintic between two ends that is passed in the shortest time at even speed.

    Full ends make the middle sharp, meagre ones make the curvature rise quickly.
    """
    u = np.linspace(0.0, 1.0, 41)
    curves = []
    for fullness in _FULLNESS:
        ends = []
        for end in (entry, leave):
            c = fullness * end.reach
            ends.append(np.array([end.state[0], c * end.state[1], c * c * end.state[2]]))
        curves.append(hermite(ends[0], ends[1], 1.0))
    given = np.concatenate([curve.derivatives(u) for curve in curves])
    speed = np.linalg.norm(given[:, 1], axis=1).reshape(len(curves), -1)
    smooth = speed.min(axis=1) > 1e-3 * speed.mean(axis=1)
    given[:, 1] += 1e-12 * (given[:, 1] == 0.0).all(axis=1)[:, None]
    bend = np.linalg.norm(by_arc_length(given)[:, 2:], axis=2).reshape(len(curves), -1, 2)
    largest = np.maximum(bend.max(axis=1), 1e-9)
    fastest = np.minimum(
        np.sqrt(_CURVATURE * acceleration / largest[:, 0]), np.cbrt(jerk / largest[:, 1])
    )
    times = np.where(smooth, speed.mean(axis=1) / fastest, np.inf)
    best = curves[int(np.argmin(times))]
    return parametric(best.derivatives, np.array([0.0, 1.0]))


def _corner_arc(start: Array, before: Array, after: Array, reach: float, angle: float) -> Arc:
    radius = reach / math.tan(0.5 * angle)
    inwards = after - (after @ before) * before
    inwards /= np.linalg.norm(inwards)
    return Arc(start + radius * inwards, -inwards, before, radius, angle)
