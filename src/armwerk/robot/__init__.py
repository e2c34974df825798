"""The description of an arm: what comes in is a file, rows, axes or parts; what goes out is data.

Nothing here computes where an arm is; that is `armwerk.mechanics`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from armwerk.robot.arm import Arm, MotionSettings
from armwerk.robot.catalogue import grippers, library
from armwerk.robot.files import load, load_arm, save
from armwerk.robot.joint import Joint
from armwerk.robot.link import Link

if TYPE_CHECKING:
    from armwerk.robot.axes import Axis, arm_from_axes
    from armwerk.robot.parts import (
        Assembly,
        Body,
        LinearMotor,
        Passive,
        Platform,
        Segment,
        Servo,
        TConnector,
        TerminationPoint,
        TouchPoint,
        TouchSegment,
        Union,
        chain,
    )

_HOMES = {
    "Axis": "axes",
    "arm_from_axes": "axes",
    "Assembly": "parts",
    "Body": "parts",
    "LinearMotor": "parts",
    "Passive": "parts",
    "Platform": "parts",
    "Segment": "parts",
    "Servo": "parts",
    "TConnector": "parts",
    "TerminationPoint": "parts",
    "TouchPoint": "parts",
    "TouchSegment": "parts",
    "Union": "parts",
    "chain": "parts",
}

__all__ = [
    "Arm",
    "Assembly",
    "Axis",
    "Body",
    "Joint",
    "LinearMotor",
    "Link",
    "MotionSettings",
    "Passive",
    "Platform",
    "Segment",
    "Servo",
    "TConnector",
    "TerminationPoint",
    "TouchPoint",
    "TouchSegment",
    "Union",
    "arm_from_axes",
    "chain",
    "grippers",
    "library",
    "load",
    "load_arm",
    "save",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.robot.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'armwerk.robot' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
