"""Small geometry that programs share."""

from __future__ import annotations

import math

from armwerk.mobile.program import BaseVelocity, GripperCommand


def turned(angle: float) -> float:
    """Return an angle in (-pi, pi]."""
    return math.remainder(angle, 2 * math.pi)


def towards(
    place: tuple[float, float],
    heading: float,
    goal: tuple[float, float],
    *,
    speed: float,
    turning: float = 4.0,
    gripper: GripperCommand | None = None,
) -> BaseVelocity:
    """Return how a robot drives to a point: it turns to it first and slows down near it.

    Args:
        place: Of the robot [m].
        heading: Of the robot [rad].
        goal: [m].
        speed: At most [m/s].
        turning: At most [rad/s].
        gripper: What the hands do meanwhile.
    """
    dx, dy = goal[0] - place[0], goal[1] - place[1]
    off = turned(math.atan2(dy, dx) - heading)
    rate = max(-turning, min(turning, 4.0 * off))
    ahead = speed * max(0.0, math.cos(off)) ** 3
    return BaseVelocity(min(ahead, 3.0 * math.hypot(dx, dy)), 0.0, rate, gripper)
