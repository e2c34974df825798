"""A motion of an arm as a view plays it: samples, curves, and what is to be said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MotionRemark:
    """Something to be said about a motion.

    Args:
        text: With numbers and units.
        begin: From when it holds [s]; None: not at a time.
        end: Until when [s].
    """

    text: str
    begin: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class MotionTouch:
    """The first contact of a motion, with which it would be refused.

    Args:
        text: Segment, part, body and place.
        time: When [s].
        point: Where [m].
    """

    text: str
    time: float
    point: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class SampledMotion:
    """A motion in m samples, evenly spread over its duration; rows as base64, see `staging`.

    Args:
        duration: [s].
        samples: m.
        position: [rad or m]. m rows of n.
        velocity: [rad/s or m/s].
        acceleration: [rad/s² or m/s²].
        jerk: [rad/s³ or m/s³].
        force: [N m or N]; empty: no masses are known.
        tool: x y z of the tool [m]. m rows of 3.
        poses: Of all bodies of the geometry. m rows of 7 each.
        marks: One number each: 0 as planned, 1 in a blend, 2 slowed by a joint, 3 slowed near a
            body.
        remarks: What the planner did that was not asked for.
        touch: Its first contact; None: it is free.
        clearance: Smallest distance to a body [m]; None: there is none, or it touches.
    """

    duration: float
    samples: int
    position: str
    velocity: str
    acceleration: str
    jerk: str
    force: str
    tool: str
    poses: str
    marks: str
    remarks: tuple[MotionRemark, ...] = ()
    touch: MotionTouch | None = None
    clearance: float | None = None
