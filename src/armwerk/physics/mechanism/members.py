"""Members: rigid pieces of an arm and its gripper, and the joints that move them.

A member is all that moves as one piece. Its frame is where its joint stands, behind the joint's
motion; with all values at zero it stands at ``pose`` in the frame of the member before. Parts
that hang rigidly on each other are one member, whatever the description calls them.

| joint      | motion from the pose to the member's frame     | values    |
|------------|------------------------------------------------|-----------|
| revolute   | turn about ``axis``                            | 1         |
| prismatic  | shift along ``axis``                           | 1         |
| fullrot    | turn about -y, then about z (of the new frame) | 2         |
| free       | any                                            | T (4, 4)  |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, ShapeError, UnsupportedError
from armwerk.robot.holding import HoldingFace
from armwerk.robot.parts import Assembly

Point: TypeAlias = tuple[float, float, float]
JointMotion: TypeAlias = Literal["revolute", "prismatic", "fullrot", "free"]
JointValue: TypeAlias = float | tuple[float, float] | Array
"""Value of a joint: a number, two angles of a fullrot, or T (4, 4) of a free one."""

ShapeKind: TypeAlias = Literal["capsule", "cylinder", "box", "sphere"]
Look: TypeAlias = Literal["link", "joint", "rod", "finger", "foot", "cup", "magnet"]

ROOT = -1  # the parent of what stands on the base


@dataclass(frozen=True, slots=True)
class MemberShape:
    """A round or square bar, or a ball, in the frame of its member.

    Args:
        kind: "capsule", "cylinder" and "box" (of square section) run from start to end;
            a "sphere" has only a start.
        start: [m].
        end: [m].
        radius: Half the thickness [m].
        look: What it is, which decides its colour.
        width: Of a box that is a plate [m]; 0: of square section.
        across: Unit vector along the width of a plate.
        frame: Whether a gripper brings it; what does not move with its fingers lets things through.
    """

    kind: ShapeKind
    start: Point
    end: Point
    radius: float
    look: Look = "link"
    width: float = 0.0
    across: Point = (0.0, 1.0, 0.0)
    frame: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One rigid piece and the joint that moves it.

    Args:
        name: Of the joint, unique in the mechanism.
        parent: Place of the member before it; -1: it stands on the base.
        pose: T_parent_member with the joint at zero [m]. Shape (4, 4).
        joint: See the table above.
        axis: Unit vector in its own frame; of a revolute or prismatic joint. Shape (3,).
        motor: Whether a motor moves it; else a closed chain does.
        gripper: Whether it belongs to the gripper's moving part.
        limits: Smallest and largest value [rad or m]; infinite where free.
        max_velocity: [rad/s or m/s]; infinite: no limit, as for the next two.
        max_acceleration: [rad/s² or m/s²].
        max_force: [N m or N].
        touch: Shapes that touch things.
        drawn: Shapes that are only seen.
        mass: [kg]; 0: nothing is known of it.
        centre: Of its mass, in its own frame [m].
        inertia: About the centre, in directions of its own frame [kg m²]. Shape (3, 3).
        armature: Inertia of the motor seen at the joint [kg m² or kg].
        viscous_friction: Of the drive, force per speed [N m s/rad or N s/m].
        coulomb_friction: Of the drive, against positive and negative motion [N m or N].
        coupled: Whether other axes move it too, or alone; limits are then those of its drive.
        angle_limits: Of the joint itself where it is coupled [rad or m]; infinite where free.
    """

    name: str
    parent: int
    pose: Array
    joint: JointMotion
    axis: Point = (0.0, 0.0, 1.0)
    motor: bool = False
    gripper: bool = False
    limits: tuple[float, float] = (-np.inf, np.inf)
    max_velocity: float = np.inf
    max_acceleration: float = np.inf
    max_force: float = np.inf
    touch: tuple[MemberShape, ...] = ()
    drawn: tuple[MemberShape, ...] = ()
    mass: float = 0.0
    centre: Point = (0.0, 0.0, 0.0)
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    armature: float = 0.0
    viscous_friction: float = 0.0
    coulomb_friction: tuple[float, float] = (0.0, 0.0)
    coupled: bool = False
    angle_limits: tuple[float, float] = (-np.inf, np.inf)

    @property
    def unit(self) -> str:
        """Unit of its value."""
        return "m" if self.joint == "prismatic" else "rad"


@dataclass(frozen=True, slots=True)
class MemberPoint:
    """A point of a member [m]."""

    member: int
    point: Point


@dataclass(frozen=True, slots=True, eq=False)
class MemberFace:
    """A suction cup or a magnet on a member.

    Args:
        member: Place of the member; -1: the base.
        pose: T_member_face. Shape (4, 4).
        part: What it is.
    """

    member: int
    pose: Array
    part: HoldingFace


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The assembly some members come from; it knows how its closed chains stand.

    Args:
        assembly: The description.
        members: Place of the member that each motor, passive element and platform moves.
    """

    assembly: Assembly
    members: dict[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class CoupledMembers:
    """How the joints of an arm follow its motors: angles = C values.

    Args:
        members: Of all joints of the arm, those without a motor too.
        matrix: C. Shape (k, n).
    """

    members: tuple[int, ...]
    matrix: Array


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """A whole robot from its base on.

    Args:
        name: Of the arm.
        members: Each after its parent.
        foot: Shapes drawn at the base.
        foot_touch: Shapes at the base that touch things.
        hand: Member that carries the grip point; -1: the base.
        T_member_hand: The grip point. Shape (4, 4).
        arm_motors: Members moved by the arm's motors, in the order of its joint values.
        grip_motors: Members moved by the gripper's motors.
        ties: Pairs of points that coincide.
        sources: Assemblies with closed chains.
        notices: What was assumed, in sentences.
        faces: Suction cups and magnets.
        axes: How the arm's joints follow its motors where they are coupled; None: each its own.
    """

    name: str
    members: tuple[Member, ...]
    hand: int
    T_member_hand: Array
    arm_motors: tuple[int, ...]
    grip_motors: tuple[int, ...] = ()
    ties: tuple[tuple[MemberPoint, MemberPoint], ...] = ()
    sources: tuple[Source, ...] = ()
    foot: tuple[MemberShape, ...] = ()
    foot_touch: tuple[MemberShape, ...] = ()
    notices: tuple[str, ...] = ()
    faces: tuple[MemberFace, ...] = ()
    axes: CoupledMembers | None = None

    @property
    def motors(self) -> tuple[int, ...]:
        """Members of all motors, the arm's first."""
        return self.arm_motors + self.grip_motors

    def rest(self) -> Array:
        """Return values for all motors to start from.

        0 where the limits allow it, else the middle of the limits; a gripper open.
        """
        values = []
        for index in self.motors:
            low, high = self.members[index].limits
            if index in self.grip_motors:
                values.append(high if np.isfinite(high) else 0.0)
            elif low <= 0.0 <= high:
                values.append(0.0)
            else:
                both = np.isfinite(low) and np.isfinite(high)
                values.append((low + high) / 2 if both else min(max(low, 0.0), high))
        return np.array(values)

    def start(self, values: Array) -> tuple[JointValue, ...]:
        """Return the value of every member's joint for given motor values.

        Closed chains are closed as their descriptions say.

        Args:
            values: Of all motors, the arm's first. Shape (n,).

        Raises:
            UnsupportedError: When a chain cannot close there.
        """
        found: dict[int, JointValue] = {}
        for index, value in zip(self.motors, values, strict=True):
            found[index] = float(value)
        if self.axes is not None:
            angles = self.axes.matrix @ values[: len(self.arm_motors)]
            found |= dict(zip(self.axes.members, angles.tolist(), strict=True))
        for source in self.sources:
            _close(source, found)
        return tuple(found[index] for index in range(len(self.members)))

    def poses(self, start: Sequence[JointValue]) -> list[Array]:
        """Return T_base_member of every member. ``start`` is what `start` returns."""
        result: list[Array] = []
        for member, value in zip(self.members, start, strict=True):
            before = np.eye(4) if member.parent == ROOT else result[member.parent]
            result.append(before @ member.pose @ motion(member, value))
        return result

    def hand_pose(self, values: ArrayLike) -> Array:
        """Return T_base_hand for given values of all motors. Shape (4, 4)."""
        poses = self.poses(self.start(np.asarray(values, dtype=np.float64)))
        carrier = np.eye(4) if self.hand == ROOT else poses[self.hand]
        return np.asarray(carrier @ self.T_member_hand)


def motion(member: Member, value: JointValue) -> Array:
    """Return the transform that a joint's value makes. Shape (4, 4)."""
    if isinstance(value, np.ndarray):
        return value
    result = np.eye(4)
    if isinstance(value, tuple):
        about_y, about_z = value
        result[:3, :3] = _turn(np.array([0.0, -1.0, 0.0]), about_y) @ _turn(
            np.array([0.0, 0.0, 1.0]), about_z
        )
    elif member.joint == "prismatic":
        result[:3, 3] = value * np.array(member.axis)
    else:
        result[:3, :3] = _turn(np.array(member.axis), value)
    return result


def _turn(axis: Array, angle: float) -> Array:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross)


def _close(source: Source, found: dict[int, JointValue]) -> None:
    """Fill in what the closed chains of one assembly do."""
    from armwerk.mechanics.assembly import AssemblyModel

    assembly = source.assembly
    q = np.array([found[source.members[motor.name]] for motor in assembly.moving])
    state = AssemblyModel(assembly).state(q)
    for name, values in state.passive.items():
        if not np.isfinite(values).all():
            problems = "; ".join(text for text in state.problems if text)
            raise UnsupportedError(
                f"'{assembly.name}' cannot stand at {np.round(q, 6).tolist()}: {problems}"
            )
        found[source.members[name]] = (
            (float(values[1]), float(values[0])) if len(values) == 2 else float(values[0])
        )
    for loop in assembly.loops:
        if loop.pattern == "STEWART":
            found[source.members[loop.tie.name]] = state.frames[loop.tie.name]


def motor_values(robot: Mechanism, q: ArrayLike | None) -> Array:
    """Return start values of all motors from those of the arm, or of all motors, or None.

    Raises:
        ShapeError: For the wrong number of values.
        DescriptionError: For a value beyond its limits.
    """
    values = robot.rest()
    if q is not None:
        given = np.array(q, dtype=np.float64)
        if given.shape not in {(len(robot.arm_motors),), (len(values),)}:
            raise ShapeError(
                f"start values of '{robot.name}' must have shape ({len(robot.arm_motors)},), "
                f"got {given.shape}"
            )
        values[: len(given)] = given
    for index, value in zip(robot.motors, values, strict=True):
        check_value(robot.members[index], value)
    check_angles(robot, values[: len(robot.arm_motors)])
    values.setflags(write=False)
    return values


def check_value(member: Member, value: float) -> None:
    """Refuse a value that a motor cannot take.

    Raises:
        DescriptionError: With the motor's name, the value and its limits.
    """
    low, high = member.limits
    if not low - _ROUNDING <= value <= high + _ROUNDING:  # also for nan
        raise DescriptionError(
            "beyond its limits",
            element=f"motor '{member.name}'",
            value=float(value),
            allowed=f"{low:.6g} to {high:.6g} {member.unit}",
        )


def check_angles(robot: Mechanism, values: Array) -> None:
    """Refuse motor values that put a coupled joint beyond its own limits.

    Args:
        robot: Any.
        values: Of the arm's motors. Shape (n,) or (m, n).

    Raises:
        DescriptionError: With the joint's name, its angle and its limits.
    """
    if robot.axes is None:
        return
    angles = np.atleast_2d(values) @ robot.axes.matrix.T
    for index, column in zip(robot.axes.members, angles.T, strict=True):
        member = robot.members[index]
        low, high = member.angle_limits
        worst = int(np.argmax(np.maximum(low - column, column - high)))
        if not low - _ROUNDING <= column[worst] <= high + _ROUNDING:
            raise DescriptionError(
                "the angle of a coupled joint is beyond its limits",
                element=f"joint '{member.name}'",
                value=float(column[worst]),
                allowed=f"{low:.6g} to {high:.6g} {member.unit}",
            )


_ROUNDING = 1e-9  # [rad or m] by which a computed value may stand beyond its limit
