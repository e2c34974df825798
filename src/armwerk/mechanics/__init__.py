"""The numbers of an arm: what comes in is a description, what goes out are poses, joints, forces.

`model` makes an `ArmModel` of an `Arm` or of an assembly of parts. Nothing here knows time, paths
or surroundings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from armwerk.mechanics.model import ArmModel, model
from armwerk.mechanics.solution import Solution

if TYPE_CHECKING:
    from armwerk.mechanics.inverse import InverseSolver, register_closed
    from armwerk.mechanics.serial import Reach, SerialModel

__all__ = [
    "ArmModel",
    "InverseSolver",
    "Reach",
    "SerialModel",
    "Solution",
    "model",
    "register_closed",
]

_HOMES = {
    "InverseSolver": "inverse",
    "Reach": "serial",
    "SerialModel": "serial",
    "register_closed": "inverse",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"armwerk.mechanics.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'armwerk.mechanics' has no attribute '{name}'")
