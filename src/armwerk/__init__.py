"""armwerk: describe a robot arm once, and get its models, motion, programs and world.

The names below are loaded when they are first used, so that ``import armwerk`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armwerk.derivation import Derivation, derive
    from armwerk.mechanics import ArmModel, model
    from armwerk.robot import Arm, Axis, Joint, Link, library, load

__version__ = "0.1.0"

_HOMES = {
    "Arm": "robot",
    "ArmModel": "mechanics",
    "Axis": "robot",
    "Derivation": "derivation",
    "Joint": "robot",
    "Link": "robot",
    "derive": "derivation",
    "library": "robot",
    "load": "robot",
    "model": "mechanics",
}
_ROOMS = ("derivation", "errors", "geometry", "mechanics", "pictures", "robot")

__all__ = [
    "Arm",
    "ArmModel",
    "Axis",
    "Derivation",
    "Joint",
    "Link",
    "__version__",
    "derive",
    "library",
    "load",
    "model",
]


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
