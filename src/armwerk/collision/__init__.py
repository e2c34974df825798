"""Contact and distance: a configuration or motion comes in; contacts and distances go out.

`contact` and `distance` hold two shapes against each other, `Checker` a whole arm against `Bodies`,
itself and other arms, for one configuration or a million. Everything is exact to rounding:
touching counts, and so does a gap that rounding alone can make. `check` proves whole motions,
`slowed` slows them down near bodies, both by `SafetySettings`. Nothing here knows goals, paths to
them, or forces.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The functions that are called like their files come at once: a name loaded later would be that
# of the file as soon as anyone has imported it.
from armwerk.collision.arm_shapes import ArmShapes, arm_shapes, load_shapes
from armwerk.collision.bodies import Bodies
from armwerk.collision.covers import covers
from armwerk.collision.region import Region

if TYPE_CHECKING:
    from armwerk.collision.checker import Checker, Contact
    from armwerk.collision.mesh_check import hull
    from armwerk.collision.mesh_file import load_mesh, save_mesh
    from armwerk.collision.motion_check import MotionContact, Verdict, check
    from armwerk.collision.pairs import Distance, contact, distance
    from armwerk.collision.prover import Prover
    from armwerk.collision.safety import JointArea, SafetySettings
    from armwerk.collision.slowing import slowed

__all__ = [
    "ArmShapes",
    "Bodies",
    "Checker",
    "Contact",
    "Distance",
    "JointArea",
    "MotionContact",
    "Prover",
    "Region",
    "SafetySettings",
    "Verdict",
    "arm_shapes",
    "check",
    "contact",
    "covers",
    "distance",
    "hull",
    "load_mesh",
    "load_shapes",
    "save_mesh",
    "slowed",
]

_HOMES = {
    "Checker": "checker",
    "Contact": "checker",
    "Distance": "pairs",
    "JointArea": "safety",
    "MotionContact": "motion_check",
    "Prover": "prover",
    "SafetySettings": "safety",
    "Verdict": "motion_check",
    "check": "motion_check",
    "contact": "pairs",
    "distance": "pairs",
    "hull": "mesh_check",
    "load_mesh": "mesh_file",
    "save_mesh": "mesh_file",
    "slowed": "slowing",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"armwerk.collision.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'armwerk.collision' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
