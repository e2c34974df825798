"""What stands in a page that needs no server: a scene, joints that the page moves by itself.

The frames of poses stand beside it, packed as `armwerk.wire.frames` packs them. Lengths are in
metres, angles in radians, quaternions are w x y z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from armwerk.protocol.contacts import Vector
from armwerk.protocol.viewing import Quaternion, ViewedGeometry


@dataclass(frozen=True, slots=True)
class StandaloneJoint:
    """A joint whose slider moves a body, and all that hang on it.

    The body's frame in that of its parent is ``position`` and ``quaternion``, then a turn about
    ``axis``, or a shift along it.

    Args:
        body: Number of the body it moves.
        kind: What its value does.
        axis: Unit vector in the body's frame.
        position: Of the body's frame in its parent's, at value 0 [m].
        quaternion: Of it, likewise.
        value: To begin with [rad or m].
    """

    body: int
    kind: Literal["revolute", "prismatic"]
    axis: Vector
    position: Vector
    quaternion: Quaternion
    value: float


@dataclass(frozen=True, slots=True)
class StandaloneScene:
    """Everything that a page without a server shows.

    Args:
        geometry: What is seen.
        joints: One for each motor of the geometry that has a slider; empty: none has.
        way: Of the tool, x y z for each point [m]; empty: none is drawn.
    """

    geometry: ViewedGeometry
    joints: tuple[StandaloneJoint, ...] = ()
    way: tuple[float, ...] = ()
