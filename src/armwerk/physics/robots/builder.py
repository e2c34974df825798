"""Bodies, joints and geoms of a robot, added to a MuJoCo specification.

In stiff mode, and where chains are closed, nothing that happens in a cell moves an arm off its set
points: the masses of links do not matter there, and they get none to speak of; joints get an
inertia instead that dwarfs everything else. Members without a motor are light, and the ends of
closed chains are tied by `connect`.

Bodies, joints and sites are called ``r0_…`` for robot 0. The model's initial state is the start
position.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

import mujoco
import numpy as np

from armwerk.arrays import Array
from armwerk.geometry import inverse, quaternion_from_rotation, rotation_from_quaternion, transform
from armwerk.physics.build import SOLIMP, SOLREF
from armwerk.physics.mechanism.grip_width import grip_table
from armwerk.physics.mechanism.members import (
    ROOT,
    JointValue,
    Look,
    Mechanism,
    Member,
    MemberFace,
    MemberPoint,
    MemberShape,
    Point,
    motion,
)
from armwerk.physics.robots.axes import STOP, add_axes, armature_of, make_stiff
from armwerk.physics.robots.links import (
    AHEAD,
    LINK_PRIORITY,
    OVERLAP,
    bars,
    link_bits,
    part_own_members,
)
from armwerk.physics.robots.plan import FacePlan, RobotPlan
from armwerk.physics.settings import SimulationSettings
from armwerk.physics.surfaces import FINGER_PRIORITY
from armwerk.robot.holding import SuctionCup

STRONG = 1e6  # [kg m² or kg] inertia of an arm's joint: contacts move it by less than 1e-9 m
LINK_MASS = 1e-3  # [kg] of members without weight: next to nothing
LINK_INERTIA = 1e-6  # [kg m²] of the same
LEAST_INERTIA = 1e-8  # [kg m²] about any axis
PASSIVE_MASS = 0.5  # [kg] of members that closed chains move
PASSIVE_INERTIA = 5e-3  # [kg m²]
FINGER_INERTIA = 0.2  # [kg] of a finger as seen from what it touches
PAD_SOLIMP = (0.95, 0.99, 0.001, 0.5, 2.0)  # round pads; stiffer ones chatter
PAD_SOLREF = (0.005, 1.0)  # time constant [s] and damping ratio of touching
PLATE_SOLIMP = (0.95, 0.999, 1e-4, 0.5, 2.0)  # flat pads lie firmly, so they may harden under load
PLATE_STEPS = 4.5  # time constant of touching, in steps of time
TORSION = 0.01  # [m] torsional friction of a pad per normal force
TOUCH = 2  # collision bit of touch parts; things have it in their affinity
FOOT_MASS = 0.1  # [kg] of the foot of an arm on something that moves; its description has none
SEEN = 1  # geom group of what is only drawn
UNSEEN = 3  # geom group of what only touches
TOUCHING = 2  # geom group of touch parts

COLOURS: dict[str, tuple[float, float, float, float]] = {
    "link": (0.93, 0.55, 0.18, 1.0),
    "joint": (0.28, 0.31, 0.36, 1.0),
    "rod": (0.72, 0.75, 0.78, 1.0),
    "finger": (0.20, 0.22, 0.25, 1.0),
    "foot": (0.28, 0.31, 0.36, 1.0),
    "cup": (0.16, 0.22, 0.34, 1.0),
    "magnet": (0.72, 0.16, 0.14, 1.0),
}
# lips harden within 0.1 mm: what is heavy still lies some way in, and does not lift off
LIP_SOLIMP = (0.95, 0.9999, 1e-4, 0.5, 2.0)
LIP_POINTS = 8  # small balls round the rim of a cup or magnet, on which things lie
LIP_RADIUS = 0.0015  # [m] of each
# [m] behind the lip, where what is light is met before it has gone in, however hard it is pulled
CATCH = 2e-4
RECESS = 1e-4  # [m] of a magnet's plate behind its rim, so that flat things lie on the rim alone
GEOMS = {
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}


class RobotBuilder:
    """Adds one robot to a specification.

    Args:
        spec: Grows; its time step must be set.
        robot: What is added.
        number: Of the robot, the prefix of all names.
        settings: Friction of the pads, and whether drives are stiff.
    """

    def __init__(
        self, spec: mujoco.MjSpec, robot: Mechanism, number: int, settings: SimulationSettings
    ) -> None:
        self.spec = spec
        self.robot = robot
        self.number = number
        self.settings = settings
        self.grip = grip_table(robot) if robot.grip_motors else None
        self.strong = settings.drives == "stiff" or bool(robot.ties)
        self.bodies: list[mujoco.MjsBody] = []
        self.joints: list[str] = []
        self.touch: list[str] = []
        self.pads: list[str] = []
        self.links: list[str] = []

    def run(self, values: Array, base: Array, carrier: str | None = None) -> RobotPlan:
        start = self.robot.start(values)
        self.places = [base @ pose for pose in self.robot.poses(start)]
        self.carried = carrier is not None
        root = self._root(base, carrier)
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
        if self.robot.axes is not None and not self.strong:
            add_axes(self.spec, self.robot, self.joints)
        faces = tuple(self._face(k, face, root, base) for k, face in enumerate(self.robot.faces))
        own = [root.name, *(body.name for body in self.bodies)]
        part_own_members(self.spec, own)
        if carrier is not None:
            for name in own:
                self.spec.add_exclude(bodyname1=carrier, bodyname2=name)
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
            tuple(self.links),
            self.grip,
            self.strong,
            np.full(len(self.robot.arm_motors), np.inf),
            faces=faces,
        )

    def _root(self, base: Array, carrier: str | None) -> mujoco.MjsBody:
        """Add the body that stands fast, in the world or on what carries it."""
        name = f"r{self.number}"
        if carrier is None:
            return self.spec.worldbody.add_body(name=name, **_placed(base))
        under = self.spec.body(carrier)
        place = transform(rotation_from_quaternion(under.quat), under.pos)
        root = under.add_body(name=name, **_placed(inverse(place) @ base))
        root.explicitinertial, root.mass = True, FOOT_MASS
        root.ipos, root.iquat = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        root.inertia = (FOOT_MASS * 1e-4,) * 3
        return root

    def name(self, what: str, part: str = "") -> str:
        """Return what something of this robot is called in the engine."""
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
        if member.parent == ROOT and not self.carried:
            body.sleep = mujoco.mjtSleepPolicy.mjSLEEP_NEVER  # a motor may start at any time
        self._weigh(body, member)
        self.bodies.append(body)
        self.joints.append(name)
        self._joint(body, member, index, value, name)
        place, solid = self.places[index], bars(member.drawn)
        for shape in member.drawn:
            if shape not in solid:
                self._geom(body, shape)
        for shape in member.touch:
            self._touch(body, shape, finger=member.gripper)
            self._link(body, shape, place, things=False)
        for shape in solid:
            self._link(body, shape, place, things=member.gripper or not shape.frame)

    def _link(
        self, body: mujoco.MjsBody, shape: MemberShape, place: Array, *, things: bool
    ) -> None:
        """Add what meets floor, obstacles and other robots; of a bar things as well."""
        geom = self._geom(body, shape)
        geom.name = self.name(f"link{len(self.links)}")
        ends = [(place @ (*point, 1.0))[2] for point in (shape.start, shape.end)]
        sunk = min(ends) - shape.radius < -OVERLAP
        geom.contype, geom.conaffinity = link_bits(self.strong, things, sunk)
        geom.group = SEEN if things else UNSEEN
        geom.margin = AHEAD * self.spec.option.timestep
        geom.condim, geom.priority = 1, LINK_PRIORITY
        geom.solref, geom.solimp = SOLREF, SOLIMP
        self.links.append(geom.name)

    def _weigh(self, body: mujoco.MjsBody, member: Member) -> None:
        """Give a body its mass and inertia."""
        body.explicitinertial = True
        body.ipos = np.zeros(3)
        if self.strong or member.gripper or member.mass <= 0.0:
            heavy = not member.motor
            body.mass = PASSIVE_MASS if heavy else LINK_MASS
            body.inertia = np.full(3, PASSIVE_INERTIA if heavy else LINK_INERTIA)
            if self.strong:
                body.gravcomp = 1.0  # motors so strong carry it anyway; ties need not then
            return
        body.mass, body.ipos = member.mass, member.centre
        moments, axes = np.linalg.eigh(member.inertia)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        moments = np.maximum(moments, LEAST_INERTIA)
        missing = moments[2] - moments[0] - moments[1]  # no body has more than the other two
        moments[:2] += 0.5 * max(missing, 0.0)
        body.inertia, body.iquat = moments, quaternion_from_rotation(axes)

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
        inertia, axes = 0.0, self.robot.axes
        if axes is not None and index in axes.members:
            inertia = STRONG if self.strong else armature_of(self.robot, index)
        elif index in self.robot.arm_motors:
            inertia = STRONG if self.strong else member.armature
        elif index in self.robot.grip_motors and self.grip is not None:
            inertia = FINGER_INERTIA * self.grip.lever**2
        joint = body.add_joint(name=name, type=kind, axis=member.axis, ref=value, armature=inertia)
        own = index in self.robot.arm_motors or member.coupled
        limits = member.angle_limits if member.coupled else member.limits
        if own and not self.strong and np.isfinite(limits).all():
            low, high = limits
            joint.limited, joint.range = mujoco.mjtLimited.mjLIMITED_TRUE, (low - STOP, high + STOP)
            joint.solref_limit, joint.solimp_limit = SOLREF, SOLIMP

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

    def _face(
        self, number: int, face: MemberFace, root: mujoco.MjsBody, root_pose: Array
    ) -> FacePlan:
        """Add a cup or magnet: small balls round its rim, and what stands behind them."""
        body, part, R = self._carrier(face.member, root), face.part, face.pose[:3, :3]
        site = self.name(f"face{number}")
        body.add_site(name=site, **_placed(face.pose))
        look: Look = "cup" if isinstance(part, SuctionCup) else "magnet"
        first = len(self.touch)
        place = root_pose if face.member == ROOT else self.places[face.member]

        def point(x: float, y: float, z: float) -> Point:
            a, b, c = (R @ (x, y, z) + face.pose[:3, 3]).tolist()
            return a, b, c

        for k in range(LIP_POINTS):
            angle = 2.0 * np.pi * (k + 0.5) / LIP_POINTS
            x, y = part.radius * np.cos(angle), part.radius * np.sin(angle)
            ball = point(x, y, -LIP_RADIUS)
            self._touch(body, MemberShape("sphere", ball, ball, LIP_RADIUS, look), finger=True)
            ball = point(x, y, -LIP_RADIUS - CATCH)
            self._link(
                body, MemberShape("sphere", ball, ball, LIP_RADIUS, look), place, things=True
            )
        recess = part.depth if isinstance(part, SuctionCup) else RECESS
        ends = point(0.0, 0.0, -recess - part.radius), point(0.0, 0.0, -recess)
        # square: small things lie on it in several points; a cylinder that stands almost upright on
        # the floor is misjudged by the engine by up to its radius
        half, (u, v, w) = part.radius / np.sqrt(2.0), R[:, 1].tolist()
        plate = MemberShape("box", *ends, half, look, 2.0 * half, (u, v, w))
        self._touch(body, plate, finger=True)
        behind = ends[0], point(0.0, 0.0, -recess - CATCH)
        self._link(body, replace(plate, start=behind[0], end=behind[1]), place, things=True)
        for name in self.touch[first:]:
            geom = self.spec.geom(name)
            geom.condim = 3  # the rim as a whole hinders twisting
            geom.solref = (PLATE_STEPS * self.spec.option.timestep, 1.0)
            geom.solimp = LIP_SOLIMP
        return FacePlan(site, tuple(self.touch[first:]), part)

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
        make_stiff(equality, self.spec.option.timestep)


class _BodyPlace(TypedDict):
    """Place [m] and turn (w x y z) as MuJoCo takes them."""

    pos: Array
    quat: Array


def _placed(pose: Array) -> _BodyPlace:
    return {"pos": pose[:3, 3], "quat": quaternion_from_rotation(pose[:3, :3])}
