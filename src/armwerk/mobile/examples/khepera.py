"""The small round robot of the example scenes: two wheels, eight infrared sensors, a gripper.

Its measures are those of the Khepera, in metres: 55 mm across, 30 mm high, sensors near its rim.
"""

from __future__ import annotations

import numpy as np

from armwerk.mobile.examples.shapes import Colour, at, block, cylinder, eye
from armwerk.mobile.files.group import MeshGroup

RADIUS, HEIGHT = 0.0275, 0.030
GROUND_CLEARANCE = 0.003
SENSORS = {  # where they look, counter-clockwise from ahead [deg]
    "sensor_left_side": 85.0,
    "sensor_left": 45.0,
    "sensor_left_front": 10.0,
    "sensor_right_front": -10.0,
    "sensor_right": -45.0,
    "sensor_right_side": -85.0,
    "sensor_right_back": -165.0,
    "sensor_left_back": 165.0,
}
_EYE = (0.1, 0.1, 0.1)
_METAL = (0.55, 0.57, 0.6)


def khepera(
    name: str,
    x: float,
    y: float,
    turn: float = 0.0,
    *,
    colour: Colour = (0.2, 0.45, 0.75),
    gripper: bool = False,
    unit: float = 1.0,
    z: float = 0.0,
) -> MeshGroup:
    """Return the robot as a group, standing at a place and turned about z [rad].

    Args:
        name: Its own.
        x: Place, in the scene's units.
        y: Likewise.
        turn: Heading about z, 0: along x [rad].
        colour: Of its body.
        gripper: Whether it has two hands in front.
        unit: How many metres one unit of the scene is; the robot is made that much larger.
        z: Height it stands at.
    """
    hull = cylinder(RADIUS, HEIGHT - GROUND_CLEARANCE, colour, 20)
    parts = [MeshGroup("body", at(0.0, 0.0, GROUND_CLEARANCE), hull)]
    for label, degrees in SENSORS.items():
        angle = float(np.deg2rad(degrees))
        reach = RADIUS + 0.0005
        place = at(reach * np.cos(angle), reach * np.sin(angle), 0.012, angle)
        parts.append(MeshGroup(label, place, eye(0.004, _EYE)))
    if gripper:
        parts.append(_gripper())
    scale = np.diag([1 / unit, 1 / unit, 1 / unit, 1.0])
    return MeshGroup(name, at(x, y, z, turn) @ scale, None, tuple(parts))


def _gripper() -> MeshGroup:
    length, thickness, height = 0.03, 0.004, 0.014
    hand = block(length, thickness, height, _METAL)
    ahead = RADIUS + 0.004 + length / 2
    hands = [
        MeshGroup("hand_left", at(ahead, 0.022, 0.006), hand),
        MeshGroup("hand_right", at(ahead, -0.022, 0.006), hand),
    ]
    return MeshGroup("gripper", np.eye(4), None, tuple(hands))
