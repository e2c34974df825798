"""The description of an arm: what comes in is a file, rows, axes or parts; what goes out is data.

Nothing here computes where an arm is; that is `armwerk.mechanics`.
"""

from __future__ import annotations

from armwerk.robot.arm import Arm, MotionSettings
from armwerk.robot.joint import Joint
from armwerk.robot.link import Link

__all__ = ["Arm", "Joint", "Link", "MotionSettings"]
