"""An arm among bodies that a view shows: what a viewer may ask of it, and gets.

Whoever asks says everything each time: the arm by its name or file, the bodies as TOML. Rows of
numbers come back as base64 of 32-bit floating-point numbers, least byte first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from armwerk.protocol.viewing import ViewedGeometry


@dataclass(frozen=True, slots=True)
class StageArm:
    """Show an arm among bodies.

    Args:
        arm: A name of the library, or a file below the folder.
        bodies: TOML, as files of bodies have it; empty: none.
    """

    arm: str
    bodies: str


@dataclass(frozen=True, slots=True)
class PoseStage:
    """Ask where everything is for some joint values.

    Args:
        arm: As staged.
        bodies: As staged.
        q: Joint values [rad or m].
    """

    arm: str
    bodies: str
    q: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SuggestBodies:
    """Ask for bodies to begin with, made for the size of an arm."""

    arm: str


@dataclass(frozen=True, slots=True)
class StagedJoint:
    """A joint of a staged arm.

    Args:
        name: Of it.
        unit: "rad" or "m".
        low: Least value [unit]; None: no limit, as for all others.
        high: Largest value [unit].
        velocity: [unit/s].
        acceleration: [unit/s²].
        jerk: [unit/s³].
        force: [N m or N].
    """

    name: str
    unit: str
    low: float | None
    high: float | None
    velocity: float | None
    acceleration: float | None
    jerk: float | None
    force: float | None


@dataclass(frozen=True, slots=True)
class StagedBody:
    """A body around a staged arm.

    Args:
        name: Of it.
        kind: Such as "box".
        region: Whether the arm must stay inside.
        colour: The one it has in pictures and maps.
    """

    name: str
    kind: str
    region: bool
    colour: str


@dataclass(frozen=True, slots=True)
class ArmStaged:
    """An arm among bodies.

    Args:
        arm: As asked for.
        joints: Those that move.
        rest: Values to begin with [rad or m].
        bodies: In their order.
        geometry: What is seen.
        is_serial: Whether it is a chain; an assembly has neither reach nor paths of its tool.
    """

    arm: str
    joints: tuple[StagedJoint, ...]
    rest: tuple[float, ...]
    bodies: tuple[StagedBody, ...]
    geometry: ViewedGeometry
    is_serial: bool


@dataclass(frozen=True, slots=True)
class StagePosed:
    """Where everything is.

    Args:
        poses: x y z [m], w x y z of every body of the geometry.
        tool: x y z [m], a b c (about z, then y, then x) [rad] of the tool.
        inclination: Of the tool above the horizon, and its roll [rad]; None: it leans out of the
            upright plane through the arm's axis.
        contact: What touches what; empty: nothing does.
        body: Name of the body that is touched; empty: none, or the arm itself.
        point: Where [m]; None: no contact.
        distance: To the nearest body [m]; None: there is none.
    """

    poses: str
    tool: tuple[float, ...]
    inclination: tuple[float, float] | None
    contact: str
    body: str
    point: tuple[float, float, float] | None
    distance: float | None


@dataclass(frozen=True, slots=True)
class BodiesText:
    """Bodies as TOML."""

    text: str


StageCommand: TypeAlias = StageArm | PoseStage | SuggestBodies
"""Anything a viewer may ask of a staged arm."""
StageResult: TypeAlias = ArmStaged | StagePosed | BodiesText
"""Anything it gets of one."""
