"""Robots as MuJoCo bodies.

Arms are as strong as in the source: nothing that happens in a cell moves them off their set
points. So the masses of their links do not matter, and they get none to speak of; their joints
get an inertia instead that dwarfs everything else. Members without a motor are light, and the
ends of closed chains are tied by `connect`.

Bodies, joints and sites are called ``r0_…`` for robot 0. The model's initial state is the start
position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import quaternion_from_rotation
from armwerk.physics.mechanism.assemble import mechanism
from armwerk.physics.mechanism.grip_width import GripTable, grip_table
from armwerk.physics.mechanism.members import (
    ROOT,
    JointValue,
    Mechanism,
    Member,
    MemberPoint,
    MemberShape,
    motion,
    motor_values,
)
from armwerk.physics.settings import RobotPlacement, SimulationSettings
from armwerk.physics.surfaces import FINGER_PRIORITY

STRONG = 1e6  # [kg m² or kg] inertia of an arm's joint: contacts move it by less than 1e-9 m
TOLERANCE = 1e-13  # of the solver: about 1e-7 N beside the strong joints
LINK_MASS = 1e-3  # [kg] of members that motors move: next to nothing
PASSIVE_MASS = 0.5  # [kg] of members that closed chains move
PASSIVE_INERTIA = 5e-3  # [kg m²]
FINGER_INERTIA = 0.2  # [kg] of a finger as seen from what it touches
TIE_STIFFNESS = 0.9999  # fraction of the constraint force that holds a tie; 1 would be rigid
TIE_HASTE = 0.8  # fraction of a gap that a tie closes within a step
PAD_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)  # round pads; stiffer ones chatter
PAD_SOLREF = (0.005, 1.0)  # time constant [s] and damping ratio of touching
PLATE_SOLIMP = (0.95, 0.999, 1e-4, 0.5, 2.0)  # flat pads lie firmly, so they may harden under load
PLATE_STEPS = 4.5  # time constant of touching, in steps of time
TORSION = 0.01  # [m] torsional friction of a pad per normal force
TOUCH = 2  # collision bit of touch parts; things have it in their affinity
SEEN = 1  # geom group of what is only drawn
TOUCHING = 2  # geom group of touch parts

COLOURS: dict[str, tuple[float, float, float, float]] = {
    "link": (0.93, 0.55, 0.18, 1.0),
    "joint": (0.28, 0.31, 0.36, 1.0),
    "rod": (0.72, 0.75, 0.78, 1.0),
    "finger": (0.20, 0.22, 0.25, 1.0),
    "foot": (0.28, 0.31, 0.36, 1.0),
}
GEOMS = {
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}


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
        grip: How far the gripper is open at which motor value; None: there is no gripper.
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
    grip: GripTable | None = None

    @property
    def grip_force(self) -> float:
        """Largest force or torque of a gripper motor [N or N m]."""
        return 0.0 if self.grip is None else self.grip.max_effort

    @property
    def grip_speeds(self) -> tuple[float, float]:
        """Largest speed and acceleration of a gripper motor."""
        return (0.0, 0.0) if self.grip is None else self.grip.speeds


def add_robot(
    spec: mujoco.MjSpec, placement: RobotPlacement, number: int, settings: SimulationSettings
) -> RobotPlan:
    """Add the bodies of a robot to a specification.

    Args:
        spec: Grows; its time step must be set.
        placement: The robot and where it stands.
        number: Its number, the prefix of all names.
        settings: Friction of the pads.

    Raises:
        DescriptionError: For what is no arm, no gripper, or start values beyond limits.
        UnsupportedError: When a closed chain cannot close at the start.
    """
    spec.compiler.degree = False
    # the solver measures what is left undone against all inertia, of which there is plenty now
    spec.option.tolerance = min(spec.option.tolerance, TOLERANCE)
    robot = mechanism(placement.arm, placement.gripper)
    values = motor_values(robot, placement.q)
    base = np.array(placement.base, dtype=np.float64)
    return _RobotBuilder(spec, robot, number, settings).run(values, base)


class _RobotBuilder:
    """Adds one robot to a specification."""

    def __init__(
        self, spec: mujoco.MjSpec, robot: Mechanism, number: int, settings: SimulationSettings
    ) -> None:
        self.spec = spec
        self.robot = robot
        self.number = number
        self.settings = settings
        self.grip = grip_table(robot) if robot.grip_motors else None
        self.bodies: list[mujoco.MjsBody] = []
        self.joints: list[str] = []
        self.touch: list[str] = []
        self.pads: list[str] = []

    def run(self, values: Array, base: Array) -> RobotPlan:
        start = self.robot.start(values)
        root = self.spec.worldbody.add_body(name=f"r{self.number}", **_placed(base))
        for shape in self.robot.foot:
            self._geom(root, shape)
        for shape in self.robot.foot_touch:
            self._touch(root, shape, finger=False)
        for index, value in enumerate(start):
            self._member(index, value, root, base)
        hand = self._carrier(self.robot.hand, root)
        hand.add_site(name=self.name("hand"), **_placed(self.robot.T_member_hand))
        ties = [self._tie(k, pair, root) for k, pair in enumerate(self.robot.ties)]
        self._couple()
        return RobotPlan(
            self.number,
            self.robot,
            values,
            base,
            tuple(body.name for body in self.bodies),
            tuple(self.joints),
            self.name("hand"),
            tuple(ties),
            tuple(self.pads),
            tuple(self.touch),
            self.grip,
        )

    def name(self, what: str, part: str = "") -> str:
        return f"r{self.number}{part}_{what}"

    def _carrier(self, member: int, root: mujoco.MjsBody) -> mujoco.MjsBody:
        return root if member == ROOT else self.bodies[member]

    def _member(self, index: int, value: JointValue, root: mujoco.MjsBody, base: Array) -> None:
        member = self.robot.members[index]
        pose = member.pose @ motion(member, value)
        if member.joint == "free":  # MuJoCo allows a free joint only in the world itself
            parent, pose = self.spec.worldbody, base @ pose
        else:
            parent = self._carrier(member.parent, root)
        name = self.name(member.name)
        body = parent.add_body(name=name, **_placed(pose))
        if member.parent == ROOT:
            body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER  # a motor may start at any time
        heavy = not member.motor
        body.explicitinertial = True
        body.ipos = np.zeros(3)
        body.mass = PASSIVE_MASS if heavy else LINK_MASS
        body.gravcomp = 1.0  # motors so strong carry it anyway; ties need not then
        body.inertia = np.full(3, PASSIVE_INERTIA if heavy else 1e-6)
        self.bodies.append(body)
        self.joints.append(name)
        self._joint(body, member, index, value, name)
        for shape in member.drawn:
            self._geom(body, shape)
        for shape in member.touch:
            self._touch(body, shape, finger=member.gripper)

    def _joint(
        self, body: mujoco.MjsBody, member: Member, index: int, value: JointValue, name: str
    ) -> None:
        if member.joint == "free":
            body.add_freejoint(name=name)
            return
        hinge = mujoco.mjtJoint.mjJNT_HINGE
        if isinstance(value, tuple):
            about_y, about_z = value
            # the first axis is given in the frame behind both turns
            axis = (-np.sin(about_z), -np.cos(about_z), 0.0)
            body.add_joint(name=self.name(member.name, ".y"), type=hinge, axis=axis, ref=about_y)
            body.add_joint(name=name, type=hinge, axis=(0, 0, 1), ref=about_z)
            return
        kind = hinge if member.joint == "revolute" else mujoco.mjtJoint.mjJNT_SLIDE
        inertia = 0.0
        if index in self.robot.arm_motors:
            inertia = STRONG
        elif index in self.robot.grip_motors and self.grip is not None:
            inertia = FINGER_INERTIA * self.grip.lever**2
        body.add_joint(name=name, type=kind, axis=member.axis, ref=value, armature=inertia)

    def _geom(self, body: mujoco.MjsBody, shape: MemberShape) -> mujoco.MjsGeom:
        geom = body.add_geom(type=GEOMS[shape.kind], rgba=COLOURS[shape.look], mass=0.0)
        geom.contype, geom.conaffinity, geom.group = 0, 0, SEEN
        if shape.kind == "sphere":
            geom.pos, geom.size = shape.start, (shape.radius, 0.0, 0.0)
        elif shape.width > 0.0:
            along = np.subtract(shape.end, shape.start)
            length = float(np.linalg.norm(along))
            geom.pos = np.add(shape.start, shape.end) / 2.0
            across = np.cross(shape.across, along / length)
            axes = np.column_stack((across, shape.across, along / length))
            geom.quat = quaternion_from_rotation(axes)
            geom.size = (shape.radius, 0.5 * shape.width, 0.5 * length)
        else:
            geom.fromto, geom.size = (*shape.start, *shape.end), (shape.radius, 0.0, 0.0)
        return geom

    def _touch(self, body: mujoco.MjsBody, shape: MemberShape, *, finger: bool) -> None:
        geom = self._geom(body, shape)
        geom.name = self.name(f"touch{len(self.touch)}")
        geom.contype, geom.group = TOUCH, TOUCHING
        geom.condim = 4 if finger else 3
        geom.friction = (self.settings.pad_friction, TORSION, 0.0)
        geom.solref, geom.solimp = PAD_SOLREF, PAD_SOLIMP
        if shape.kind == "box":
            geom.solref = (PLATE_STEPS * self.spec.option.timestep, 1.0)
            geom.solimp = PLATE_SOLIMP
        geom.priority = FINGER_PRIORITY
        self.touch.append(geom.name)
        if finger:
            self.pads.append(geom.name)

    def _tie(
        self, number: int, pair: tuple[MemberPoint, MemberPoint], root: mujoco.MjsBody
    ) -> tuple[str, str]:
        names = []
        for place, side in zip(pair, "ab", strict=True):
            name = self.name(f"tie{number}{side}")
            self._carrier(place.member, root).add_site(name=name, pos=place.point)
            names.append(name)
        tie = self.spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE
        )
        tie.name1, tie.name2 = names
        self._stiff(tie)
        return names[0], names[1]

    def _couple(self) -> None:
        """Let all motors of the gripper move together, each between its own limits."""
        first, *others = self.robot.grip_motors or (ROOT,)
        for other in others:
            (low, high), (low0, high0) = (self.robot.members[k].limits for k in (other, first))
            couple = self.spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT)
            couple.name1, couple.name2 = self.joints[other], self.joints[first]
            couple.data[:5] = (0.0, (high - low) / (high0 - low0), 0.0, 0.0, 0.0)
            self._stiff(couple)

    def _stiff(self, equality: mujoco.MjsEquality) -> None:
        dt = self.spec.option.timestep
        equality.solref = (-TIE_HASTE / dt**2, -1.0 / dt)
        equality.solimp = (TIE_STIFFNESS, TIE_STIFFNESS, 0.001, 0.5, 2.0)


class _BodyPlace(TypedDict):
    """Place [m] and turn (w x y z) as MuJoCo takes them."""

    pos: Array
    quat: Array


def _placed(pose: Array) -> _BodyPlace:
    return {"pos": pose[:3, 3], "quat": quaternion_from_rotation(pose[:3, :3])}
