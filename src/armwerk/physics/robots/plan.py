"""What a robot became in a specification, by name."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armwerk.arrays import Array
from armwerk.physics.drives.controller import JointController
from armwerk.physics.mechanism.grip_width import GripTable
from armwerk.physics.mechanism.members import Mechanism
from armwerk.robot.holding import HoldingFace


@dataclass(frozen=True, slots=True, eq=False)
class FacePlan:
    """A cup or magnet as it was added to a specification.

    Args:
        site: Name of the site in the middle of its face, which looks along z.
        geoms: Names of the geoms that touch.
        part: What it is.
    """

    site: str
    geoms: tuple[str, ...]
    part: HoldingFace


@dataclass(frozen=True, slots=True, eq=False)
class RobotPlan:
    """What was added to a specification, by name.

    Args:
        number: Of the robot.
        robot: Its mechanism.
        values: Start values of all motors, the arm's first. Shape (n,).
        base: T_world_base. Shape (4, 4).
        bodies: Name of each member's body.
        joints: Name of each member's joint.
        hand: Name of the site at the grip point.
        ties: Names of the two sites of each tie.
        pads: Names of the geoms of the fingers.
        touch: Names of all geoms that touch things, pads included.
        links: Names of the geoms of bars, and of fingers as others than things meet them.
        grip: How far the gripper is open at which motor value; None: there is no gripper.
        strong: Whether nothing moves the arm off its set points.
        max_forces: Of the arm's motors [N m or N]; infinite where it is strong. Shape (dof,).
        notices: What was assumed, in sentences.
        controller: What computes the forces; None: exactly what the set points need.
        faces: Suction cups and magnets.
    """

    number: int
    robot: Mechanism
    values: Array
    base: Array
    bodies: tuple[str, ...]
    joints: tuple[str, ...]
    hand: str
    ties: tuple[tuple[str, str], ...] = ()
    pads: tuple[str, ...] = ()
    touch: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    grip: GripTable | None = None
    strong: bool = False
    max_forces: Array = field(default_factory=lambda: np.zeros(0))
    notices: tuple[str, ...] = ()
    controller: JointController | None = None
    faces: tuple[FacePlan, ...] = ()

    @property
    def grip_force(self) -> float:
        """Largest force or torque of a gripper motor [N or N m]."""
        return 0.0 if self.grip is None else self.grip.max_effort

    @property
    def grip_speeds(self) -> tuple[float, float]:
        """Largest speed and acceleration of a gripper motor."""
        return (0.0, 0.0) if self.grip is None else self.grip.speeds
