"""What a simulation may be told beside its scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.drives.controller import JointController
from armwerk.robot.arm import Arm
from armwerk.robot.parts import Assembly
from armwerk.scene.scene import Scene

FINE_STEP = 0.001  # [s] where something bounces
COARSE_STEP = 0.002  # [s] elsewhere
DriveKind: TypeAlias = Literal["limited", "stiff"]
DRIVES: tuple[DriveKind, ...] = ("limited", "stiff")
MANY_THINGS = 16  # from here on sleeping and solving apart what does not touch pay off


@dataclass(frozen=True, slots=True)
class SimulationSettings:
    """How a world is simulated; the defaults suit every cell.

    Args:
        dt: Step of time [s]; None: 1 ms where something bounces, else 2 ms.
        gravity: Downwards [m/s²].
        friction: Of things on each other, on the floor, on obstacles and belts, where none of
            them states its own.
        pad_friction: Of gripper pads and touch parts on things that state no friction.
        density: Of balls and cuboids that state neither mass nor density [kg/m³].
        seed: Of everything random; the world itself draws nothing.
        sleep: Whether things at rest are left out of the reckoning until something touches them;
            None: in cells of many things.
        drives: "limited": joints have the forces of their descriptions, and give way to what is
            stronger; "stiff": nothing moves an arm off its set points.
    """

    dt: float | None = None
    gravity: float = 9.81
    friction: float = 0.6
    pad_friction: float = 1.0
    density: float = 500.0
    seed: int = 0
    sleep: bool | None = None
    drives: DriveKind = "limited"

    def __post_init__(self) -> None:
        if self.drives not in DRIVES:
            raise DescriptionError(
                "unknown kind of drives",
                element="setting 'drives'",
                value=self.drives,
                allowed=", ".join(DRIVES),
            )
        _within("dt", self.dt, 1e-5, 5e-3, "s")
        _within("gravity", self.gravity, 0.0, 1e3, "m/s²")
        _within("friction", self.friction, 0.0, 10.0, "")
        _within("pad_friction", self.pad_friction, 0.0, 10.0, "")
        _within("density", self.density, 1e-3, 1e5, "kg/m³")

    def step_for(self, scene: Scene) -> float:
        """Return the step of time for a scene [s]."""
        if self.dt is not None:
            return self.dt
        bounces = any(thing.bounce > 0.0 for thing in scene.things)
        return FINE_STEP if bounces else COARSE_STEP


@dataclass(frozen=True, slots=True)
class RobotPlacement:
    """A robot and where it stands.

    Args:
        arm: By joints or by parts.
        gripper: At the arm's hand; None: none.
        base: T_world_base. Shape (4, 4).
        q: Values of the arm's motors at the start; None: its home.
        number: What the cell calls it; None: its place among the robots.
        controller: What computes the forces of the arm's motors; None: one that follows its set
            points exactly, see `armwerk.physics.drives`.
        carrier: Body of the engine it stands on and moves with; None: the world. ``base`` is
            where it stands at the start.
    """

    arm: Arm | Assembly
    gripper: Assembly | None
    base: Array
    q: Array | None = None
    number: int | None = None
    controller: JointController | None = None
    carrier: str | None = None


Settings: TypeAlias = SimulationSettings
"""Earlier name of `SimulationSettings`."""

Mounted: TypeAlias = RobotPlacement
"""Earlier name of `RobotPlacement`."""


def many(scene: Scene) -> bool:
    """Whether a scene has so many things that they should be solved in groups."""
    return len(scene.things) >= MANY_THINGS


def sleeps(scene: Scene, settings: SimulationSettings) -> bool:
    """Whether things at rest are left out of the reckoning."""
    return many(scene) if settings.sleep is None else settings.sleep


def _within(name: str, value: float | None, low: float, high: float, unit: str) -> None:
    if value is None or (math.isfinite(value) and low <= value <= high):
        return
    raise DescriptionError(
        "out of range",
        element=f"setting '{name}'",
        value=value,
        allowed=f"{low:g} to {high:g} {unit}".strip(),
    )
