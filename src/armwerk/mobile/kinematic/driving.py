"""Where a robot is after it has done for a while what it was told, with wheels that never slip."""

from __future__ import annotations

import math
from typing import NamedTuple

from armwerk.mobile.bases import Base, OmniBase
from armwerk.mobile.program import GroundPose


class BaseTwist(NamedTuple):
    """A velocity in the frame of the robot.

    Attributes:
        forwards: [m/s].
        sideways: To the left [m/s].
        turning: Counter-clockwise [rad/s].
    """

    forwards: float
    sideways: float
    turning: float


def wheel_speeds_of(twist: BaseTwist, base: Base) -> tuple[float, ...]:
    """Return the speeds of the rims that make a twist, in the order of the base [m/s]."""
    if isinstance(base, OmniBase):
        return tuple(
            -math.sin(angle) * twist.forwards
            + math.cos(angle) * twist.sideways
            + base.distance * twist.turning
            for angle in base.angles
        )
    turn = base.track / 2 * twist.turning
    return (twist.forwards - turn, twist.forwards + turn)


def driven(pose: GroundPose, twist: BaseTwist, seconds: float) -> GroundPose:
    """Return where a constant twist leads: along an exact arc."""
    angle = twist.turning * seconds
    # sin(a)/a and (1 - cos(a))/a, exact for small angles too
    half = angle / 2
    chord = math.sin(half) / half if abs(half) > 1e-8 else 1.0 - half * half / 6
    x, y = twist.forwards * seconds * chord, twist.sideways * seconds * chord
    c, s = math.cos(pose.heading + half), math.sin(pose.heading + half)
    heading = math.remainder(pose.heading + angle, 2 * math.pi)
    return GroundPose(pose.x + c * x - s * y, pose.y + s * x + c * y, heading)


def possible(twist: BaseTwist, base: Base) -> BaseTwist:
    """Return a velocity made slower until no wheel is faster than it can; its way is kept."""
    sideways = twist.sideways if isinstance(base, OmniBase) else 0.0
    wanted = BaseTwist(twist.forwards, sideways, twist.turning)
    fastest = max(abs(speed) for speed in wheel_speeds_of(wanted, base))
    share = min(1.0, base.top_speed / fastest) if fastest > 0 else 1.0
    return BaseTwist(wanted.forwards * share, wanted.sideways * share, wanted.turning * share)
