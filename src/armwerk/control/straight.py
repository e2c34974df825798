"""Straight lines for arms that `armwerk.motion.Path` cannot lead.

A second way beside motion's, which follows whole poses along a packed serial chain: an arm with few
axes leaves the orientation free, a closed chain has no such chain, and an inverse that a program
brings along can only be asked for joint values nearby.

The line is cut into short steps, each step is solved near the one before, and the joint values
between them run along a cubic spline. One law of motion's drives the whole; where a joint would be
too quick the motion is slowed down evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np

from armwerk.arrays import Array
from armwerk.control.goals import words_of
from armwerk.errors import MotionError
from armwerk.geometry.transforms import interpolate, separation
from armwerk.motion.limits import Limits
from armwerk.motion.point_to_point import ptp

STEP = 0.002  # [m] between solved points
TURN_STEP = 0.02  # [rad] likewise
MAX_STEPS = 2000
_NOTHING = 1e-9  # [m or rad] ways shorter than this are none
_MARGIN = 1.001  # so that slowing down once is mostly enough
LEAP = 0.5  # [rad or m] between neighbouring points: the arm would change its configuration


def straight(
    solve: Callable[[Array, Array], Array | None],
    start: Array,
    goal: Array,
    q0: Array,
    limits: Limits,
    tool: tuple[float, float, float],
    dt: float,
) -> Array:
    """Return set points along a straight line.

    Args:
        solve: Goal in the world and joint values nearby -> joint values, None: out of reach.
        start: T_world_tool at the beginning. Shape (4, 4).
        goal: T_world_tool (4, 4), or a point (3,), for which the orientation is left free.
        q0: Joint values at the beginning. Shape (n,).
        limits: Of the joints.
        tool: Speed, acceleration and jerk along the line [m/s, m/s², m/s³].
        dt: Length of a step [s].

    Returns:
        Rows at dt, 2 dt, …, the last one at the goal. Shape (steps, n).

    Raises:
        MotionError: When a point of the line is out of reach.
    """
    goals, length = _cut(start, goal)
    if length == 0.0:
        return np.empty((0, len(q0)))
    knots = _solved(solve, goals, q0, length)
    return _timed(knots, length, limits, tool, dt)


def _cut(start: Array, goal: Array) -> tuple[list[Array], float]:
    """Return the points to be solved and the length of the way [m, or rad for a mere turn]."""
    if goal.ndim == 1:
        distance, angle = float(np.linalg.norm(goal - start[:3, 3])), 0.0
    else:
        distance, angle = (float(part) for part in separation(start, goal))
    length = distance if distance > _NOTHING else angle
    if length < _NOTHING:
        return [], 0.0
    count = min(max(ceil(distance / STEP), ceil(angle / TURN_STEP), 2), MAX_STEPS)
    fractions = np.linspace(0.0, 1.0, count + 1)[1:]
    if goal.ndim == 1:
        return [start[:3, 3] + fraction * (goal - start[:3, 3]) for fraction in fractions], length
    return list(interpolate(start, goal, fractions)), length


def _solved(
    solve: Callable[[Array, Array], Array | None], goals: list[Array], q0: Array, length: float
) -> Array:
    rows = [q0]
    for index, point in enumerate(goals, start=1):
        q = solve(point, rows[-1])
        place = f"at {length * index / len(goals):.4g} m of {length:.4g} m"
        if q is None:
            raise MotionError(f"{words_of(point)} on the line is out of reach", place=place)
        if np.abs(q - rows[-1]).max() > LEAP:
            raise MotionError(
                f"near {words_of(point)} the arm would have to leap into another configuration",
                place=place,
            )
        rows.append(q)
    return np.array(rows)


def _timed(
    knots: Array, length: float, limits: Limits, tool: tuple[float, float, float], dt: float
) -> Array:
    from scipy.interpolate import CubicSpline

    way = np.linspace(0.0, length, len(knots))
    curve = CubicSpline(way, knots)
    speed, acceleration, jerk = tool
    one = Limits(np.array([speed]), np.array([acceleration]), np.array([jerk]))
    law = ptp(None, [0.0], [length], "sync", "trapezoid", limits=one)
    times = np.linspace(0.0, law.duration, max(len(knots), 200))
    s, sd, sdd = (row[:, 0] for row in law.sample(times))
    first, second = curve(s, 1), curve(s, 2)
    qd = first * sd[:, None]
    qdd = first * sdd[:, None] + second * (sd**2)[:, None]
    slow = max(
        1.0,
        float((np.abs(qd) / limits.velocity).max()),
        float(np.sqrt((np.abs(qdd) / limits.acceleration).max())),
    )
    while True:
        count = max(1, ceil(law.duration * slow / dt - 1e-6))
        moments = np.minimum(np.arange(1, count + 1) * dt / slow, law.duration)
        table = np.asarray(curve(law.sample(moments)[0][:, 0]))
        table[-1] = knots[-1]
        steps = np.abs(np.diff(table, axis=0, prepend=knots[:1])) / dt
        excess = float((steps / limits.velocity).max())
        if excess <= 1.0:
            return table
        slow *= excess * _MARGIN
