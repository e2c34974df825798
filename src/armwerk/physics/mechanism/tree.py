"""The tree of members while it grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.physics.mechanism.members import (
    ROOT,
    CoupledMembers,
    JointMotion,
    Look,
    Mechanism,
    Member,
    MemberFace,
    MemberPoint,
    MemberShape,
    Point,
    ShapeKind,
    Source,
)


class PointMass(NamedTuple):
    """A mass [kg], its centre [m] and its inertia about it [kg m²], in the frame of a member."""

    mass: float
    centre: Array
    inertia: Array


class Weight(TypedDict, total=False):
    """Mass, centre and inertia, as fields of a `Member`."""

    mass: float
    centre: Point
    inertia: Array


class MotorLimits(TypedDict, total=False):
    """Limits of a motor, as fields of a `Member`."""

    limits: tuple[float, float]
    max_velocity: float
    max_acceleration: float
    max_force: float
    armature: float
    viscous_friction: float
    coulomb_friction: tuple[float, float]
    coupled: bool
    angle_limits: tuple[float, float]


@dataclass(slots=True, eq=False)
class MemberFrame:
    """A frame on a member: where something hangs."""

    member: int
    pose: Array

    def at(self, pose: Array) -> MemberFrame:
        """Return the frame that stands at ``pose`` in this one."""
        return MemberFrame(self.member, self.pose @ pose)

    @property
    def point(self) -> Point:
        """Its origin in the frame of the member [m]."""
        x, y, z = self.pose[:3, 3].tolist()
        return x, y, z

    def seen(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Point:
        """Return a point of this frame in the frame of the member [m]."""
        a, b, c = (self.pose[:3, :3] @ (x, y, z) + self.pose[:3, 3]).tolist()
        return a, b, c


@dataclass(slots=True, eq=False)
class MemberTree:
    """Members so far, with the shapes that hang on each."""

    name: str
    members: list[Member] = field(default_factory=list)
    touch: dict[int, list[MemberShape]] = field(default_factory=dict)
    drawn: dict[int, list[MemberShape]] = field(default_factory=dict)
    hand: MemberFrame = field(default_factory=lambda: MemberFrame(ROOT, np.eye(4)))
    arm_motors: list[int] = field(default_factory=list)
    grip_motors: list[int] = field(default_factory=list)
    ties: list[tuple[MemberPoint, MemberPoint]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    thickness: float = 0.02  # [m], radius of the bars drawn
    gripping: bool = False  # whether the members of a gripper are being added
    masses: dict[int, list[PointMass]] = field(default_factory=dict)
    faces: list[MemberFace] = field(default_factory=list)
    axes: CoupledMembers | None = None

    def add(
        self,
        spot: MemberFrame,
        name: str,
        joint: JointMotion,
        axis: Point = (0.0, 0.0, 1.0),
        motor: bool = False,
        **limits: Unpack[MotorLimits],
    ) -> MemberFrame:
        """Add a member whose joint stands at ``spot``; return its frame."""
        taken = {member.name for member in self.members}
        while name in taken:
            name = f"gripper_{name}"
        pose = np.array(spot.pose)
        pose.setflags(write=False)
        self.members.append(Member(name, spot.member, pose, joint, axis, motor, **limits))
        return MemberFrame(len(self.members) - 1, np.eye(4))

    def draw(
        self,
        spot: MemberFrame,
        kind: ShapeKind,
        start: Point,
        end: Point,
        radius: float,
        look: Look,
    ) -> None:
        """Add a shape that is only seen; points in the frame of ``spot``."""
        ends = spot.seen(*start), spot.seen(*end)
        shape = MemberShape(kind, *ends, radius, look, frame=self.gripping)
        if kind == "sphere" or np.linalg.norm(np.subtract(end, start)) > _SHORT:
            self.drawn.setdefault(spot.member, []).append(shape)

    def touching(
        self, spot: MemberFrame, start: Point, end: Point, radius: float, width: float = 0.0
    ) -> None:
        """Add a shape that touches things: a capsule, a plate, or a sphere where start is end.

        Args:
            spot: The frame it stands in.
            start: [m].
            end: [m].
            radius: Half the thickness [m].
            width: Of a plate along the frame's y [m]; 0: it is no plate.
        """
        if radius <= 0.0:
            return
        one, two = spot.seen(*start), spot.seen(*end)
        others = self.touch.setdefault(spot.member, [])
        if width > 0.0 and np.linalg.norm(np.subtract(two, one)) > _SHORT:
            x, y, z = spot.pose[:3, 1].tolist()
            others.append(MemberShape("box", one, two, radius, "finger", width, (x, y, z)))
        elif np.linalg.norm(np.subtract(two, one)) > _SHORT:
            others.append(MemberShape("capsule", one, two, radius, "finger"))
        elif not any(_holds(other, one, radius) for other in others):
            others.append(MemberShape("sphere", one, one, radius, "finger"))

    def weigh(
        self, spot: MemberFrame, mass: float, centre: Point, inertia: Array | None = None
    ) -> None:
        """Add mass [kg] at a point of ``spot`` [m]; inertia about it there [kg m²], (3, 3)."""
        if mass <= 0.0 and (inertia is None or not inertia.any()):
            return
        mass = max(mass, LEAST_MASS)  # some describe a turning link by its moments alone
        R = spot.pose[:3, :3]
        own = np.zeros((3, 3)) if inertia is None else R @ inertia @ R.T
        at = np.array(spot.seen(*centre))
        self.masses.setdefault(spot.member, []).append(PointMass(mass, at, own))

    def finish(self) -> Mechanism:
        """Return the mechanism.

        Raises:
            DescriptionError: When a hand has both fingers and cups or magnets.
        """
        if self.faces and self.grip_motors:
            raise DescriptionError(
                "has motors beside a cup or magnet",
                element=f"gripper of '{self.name}', {self.faces[0].part.label}",
                allowed="fingers, or cups and magnets",
            )
        moved = self._moved_by_gripper()
        notices = self._settle_masses(moved)
        members = tuple(
            replace(
                member,
                gripper=k in moved,
                touch=tuple(self.touch.get(k, ())),
                drawn=tuple(self.drawn.get(k, ())),
                **combined(self.masses.get(k, ())),
            )
            for k, member in enumerate(self.members)
        )
        pose = np.array(self.hand.pose)
        pose.setflags(write=False)
        return Mechanism(
            self.name,
            members,
            self.hand.member,
            pose,
            tuple(self.arm_motors),
            tuple(self.grip_motors),
            tuple(self.ties),
            tuple(self.sources),
            tuple(self.drawn.get(ROOT, ())),
            tuple(self.touch.get(ROOT, ())),
            notices,
            tuple(self.faces),
            self.axes,
        )

    def _settle_masses(self, moved: set[int]) -> tuple[str, ...]:
        """Give bars their weight where nothing is known; hang that of fingers on what carries them.

        Fingers stay light, so that a gripper presses with what its motors give, whichever way up.
        """
        notices = []
        known = any(self.masses.get(k) for k in range(len(self.members)) if k not in moved)
        if not known:
            for k in range(len(self.members)):
                if k not in moved:
                    for bar in self.drawn.get(k, ()):
                        self.masses.setdefault(k, []).append(bar_mass(bar))
            total = sum(
                one.mass for k in range(len(self.members)) for one in self.masses.get(k, ())
            )
            notices.append(
                f"'{self.name}' names no masses: its bars are taken as hollow, of "
                f"{BAR_DENSITY:g} kg/m³, {total:.3g} kg in all"
            )
        for k in sorted(moved, reverse=True):
            member = self.members[k]
            for one in self.masses.pop(k, ()):
                at = member.pose[:3, :3] @ one.centre + member.pose[:3, 3]
                R = member.pose[:3, :3]
                lifted = PointMass(one.mass, at, R @ one.inertia @ R.T)
                self.masses.setdefault(member.parent, []).append(lifted)
        return tuple(notices)

    def _moved_by_gripper(self) -> set[int]:
        moved = set(self.grip_motors)
        for k, member in enumerate(self.members):
            if member.parent in moved:
                moved.add(k)
        return moved


LEAST_MASS = 1e-6  # [kg]
BAR_DENSITY = 700.0  # [kg/m³] of hollow links of aluminium with their drives


def bar_mass(bar: MemberShape) -> PointMass:
    """Return the mass of a bar or ball of `BAR_DENSITY`."""
    start, end = np.array(bar.start), np.array(bar.end)
    along = end - start
    length, r = float(np.linalg.norm(along)), bar.radius
    if bar.kind == "sphere" or length < _SHORT:
        mass = BAR_DENSITY * 4.0 / 3.0 * np.pi * r**3
        return PointMass(mass, start, 0.4 * mass * r * r * np.eye(3))
    section = 4.0 * r * r if bar.kind == "box" else np.pi * r * r
    mass = BAR_DENSITY * section * length
    z = np.outer(along, along) / length**2
    across = mass * (length * length / 12.0 + r * r / 4.0)
    inertia = across * (np.eye(3) - z) + 0.5 * mass * r * r * z
    return PointMass(mass, 0.5 * (start + end), inertia)


def combined(masses: Sequence[PointMass]) -> Weight:
    """Return mass, centre and inertia of what is rigidly joined; nothing for no mass."""
    total = sum(one.mass for one in masses)
    if total <= 0.0:
        return {}
    centre = sum((one.mass * one.centre for one in masses), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for one in masses:
        off = one.centre - centre
        inertia += one.inertia + one.mass * (off @ off * np.eye(3) - np.outer(off, off))
    inertia.setflags(write=False)
    x, y, z = centre.tolist()
    return {"mass": float(total), "centre": (x, y, z), "inertia": inertia}


_SHORT = 1e-6  # [m] below which a bar is a point


def _holds(bar: MemberShape, point: Point, radius: float) -> bool:
    """Whether the round end of a capsule already covers a sphere."""
    if bar.kind == "box":
        return False
    near = min(np.linalg.norm(np.subtract(point, end)) for end in (bar.start, bar.end))
    return bool(near < _SHORT and bar.radius >= radius)
