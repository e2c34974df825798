"""armwerk: describe a robot arm once, and get its models, motion, programs and world.

The names below are loaded when they are first used, so that ``import armwerk`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armwerk.cell import World
    from armwerk.collision import (
        ArmShapes,
        Bodies,
        JointArea,
        Region,
        SafetySettings,
        check,
        slowed,
    )
    from armwerk.control import RobotController, TriggerProcessor, pointing_down
    from armwerk.derivation import Derivation, derive
    from armwerk.errors import ArmwerkError
    from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Sphere
    from armwerk.mechanics import ArmModel, model
    from armwerk.motion import Limits, Path, Trajectory, ptp
    from armwerk.planning import ConfigurationSpace, Reach
    from armwerk.planning.mapping import cspace
    from armwerk.planning.path_finding import find_path
    from armwerk.planning.reaching import reach
    from armwerk.robot import Arm, Assembly, Axis, Joint, Link, library, load
    from armwerk.scene import Scene, read_scene, save_scene

__version__ = "0.1.0"

__all__ = [
    "Arm",
    "ArmModel",
    "ArmShapes",
    "ArmwerkError",
    "Assembly",
    "Axis",
    "Bodies",
    "Box",
    "Capsule",
    "Cone",
    "ConfigurationSpace",
    "Cylinder",
    "Derivation",
    "HalfSpace",
    "Joint",
    "JointArea",
    "Limits",
    "Link",
    "Mesh",
    "Path",
    "Reach",
    "Region",
    "RobotController",
    "SafetySettings",
    "Scene",
    "Sphere",
    "Trajectory",
    "TriggerProcessor",
    "World",
    "__version__",
    "check",
    "cspace",
    "derive",
    "find_path",
    "library",
    "load",
    "model",
    "pointing_down",
    "ptp",
    "reach",
    "read_scene",
    "save_scene",
    "slowed",
]

_NAMES = {
    "cell": ("World",),
    "collision": (
        "ArmShapes",
        "Bodies",
        "JointArea",
        "Region",
        "SafetySettings",
        "check",
        "slowed",
    ),
    "control": ("RobotController", "TriggerProcessor", "pointing_down"),
    "derivation": ("Derivation", "derive"),
    "errors": ("ArmwerkError",),
    "geometry": ("Box", "Capsule", "Cone", "Cylinder", "HalfSpace", "Mesh", "Sphere"),
    "mechanics": ("ArmModel", "model"),
    "motion": ("Limits", "Path", "Trajectory", "ptp"),
    "planning": ("ConfigurationSpace", "Reach", "cspace", "find_path", "reach"),
    "robot": ("Arm", "Assembly", "Axis", "Joint", "Link", "library", "load"),
    "scene": ("Scene", "read_scene", "save_scene"),
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names}
_ROOMS = (*_NAMES, "pictures", "world")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return import_module(f"armwerk.{name}")
    raise AttributeError(f"module 'armwerk' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_ROOMS])
