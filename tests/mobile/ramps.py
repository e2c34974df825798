"""Scenes that several tests of mobile robots build."""

from __future__ import annotations

from armwerk.geometry import Box, Cylinder, rotation_y, transform
from armwerk.mobile import MobileBody, MobileRobot, MobileScene


def on_a_slope(angle: float, friction: float, what: str) -> MobileScene:
    """Return something called "it" at rest on a slope that rises along x [rad]."""
    pose = transform(rotation_y(-angle), (0.0, 0.0, 0.0))
    slab = Box((20.0, 4.0, 0.2), (0.0, 0.0, -0.1))
    slope = MobileBody("slope", (slab,), kind="immovable", pose=pose, friction=1.0)
    if what == "robot":
        robot = MobileRobot("it", pose=pose, friction=friction)
        return MobileScene(bodies=(slope,), robots=(robot,), floor=False)
    solids = {
        "box": Box((0.05, 0.05, 0.03), (0.0, 0.0, 0.015)),
        "cylinder": Cylinder(0.03, 0.02, (0.0, 0.0, 0.01)),
    }
    body = MobileBody("it", (solids[what],), pose=pose, friction=friction)
    return MobileScene(bodies=(slope, body), floor=False)
