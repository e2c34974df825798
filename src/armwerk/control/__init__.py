"""Programs for robots: what a controller may say, and what the cell has to offer for it."""

from __future__ import annotations

from armwerk.control.controller import RobotController
from armwerk.control.goals import pointing_down
from armwerk.control.motors import Grip, Motor, Motors
from armwerk.control.processor import TriggerProcessor
from armwerk.control.skills import Skills
from armwerk.control.station import Desk, Fingers, Limb, Station
from armwerk.control.stopped import Stopped

__all__ = [
    "Desk",
    "Fingers",
    "Grip",
    "Limb",
    "Motor",
    "Motors",
    "RobotController",
    "Skills",
    "Station",
    "Stopped",
    "TriggerProcessor",
    "pointing_down",
]
