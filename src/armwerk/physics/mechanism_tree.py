"""The tree of members while it grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armwerk.arrays import Array
from armwerk.physics.mechanism import ROOT, Mechanism, Member, Place, Point, Shape, Source


@dataclass(slots=True, eq=False)
class Spot:
    """A frame on a member: where something hangs."""

    member: int
    pose: Array

    def at(self, pose: Array) -> Spot:
        """Return the frame that stands at ``pose`` in this one."""
        return Spot(self.member, self.pose @ pose)

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
class Tree:
    """Members so far, with the shapes that hang on each."""

    name: str
    members: list[dict[str, Any]] = field(default_factory=list)
    touch: dict[int, list[Shape]] = field(default_factory=dict)
    drawn: dict[int, list[Shape]] = field(default_factory=dict)
    hand: Spot = field(default_factory=lambda: Spot(ROOT, np.eye(4)))
    arm_motors: list[int] = field(default_factory=list)
    grip_motors: list[int] = field(default_factory=list)
    ties: list[tuple[Place, Place]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    thickness: float = 0.02  # [m], radius of the bars drawn

    def add(self, spot: Spot, name: str, joint: str, **more: Any) -> Spot:
        """Add a member whose joint stands at ``spot``; return its frame."""
        taken = {member["name"] for member in self.members}
        while name in taken:
            name = f"gripper_{name}"
        pose = np.array(spot.pose)
        pose.setflags(write=False)
        self.members.append(
            {"name": name, "parent": spot.member, "pose": pose, "joint": joint, **more}
        )
        return Spot(len(self.members) - 1, np.eye(4))

    def draw(
        self, spot: Spot, kind: Any, start: Point, end: Point, radius: float, look: str
    ) -> None:
        """Add a shape that is only seen; points in the frame of ``spot``."""
        shape = Shape(kind, spot.seen(*start), spot.seen(*end), radius, look)
        if kind == "sphere" or np.linalg.norm(np.subtract(end, start)) > _SHORT:
            self.drawn.setdefault(spot.member, []).append(shape)

    def touching(self, spot: Spot, start: Point, end: Point, radius: float) -> None:
        """Add a shape that touches things: a capsule, or a sphere where start is end."""
        if radius <= 0.0:
            return
        one, two = spot.seen(*start), spot.seen(*end)
        others = self.touch.setdefault(spot.member, [])
        if np.linalg.norm(np.subtract(two, one)) > _SHORT:
            others.append(Shape("capsule", one, two, radius, "finger"))
        elif not any(_holds(other, one, radius) for other in others):
            others.append(Shape("sphere", one, one, radius, "finger"))

    def finish(self) -> Mechanism:
        """Return the mechanism."""
        moved = self._moved_by_gripper()
        members = tuple(
            Member(
                **{**given, "gripper": k in moved},
                touch=tuple(self.touch.get(k, ())),
                drawn=tuple(self.drawn.get(k, ())),
            )
            for k, given in enumerate(self.members)
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
        )

    def _moved_by_gripper(self) -> set[int]:
        moved = set(self.grip_motors)
        for k, given in enumerate(self.members):
            if given["parent"] in moved:
                moved.add(k)
        return moved


_SHORT = 1e-6  # [m] below which a bar is a point


def _holds(bar: Shape, point: Point, radius: float) -> bool:
    """Whether the round end of a capsule already covers a sphere."""
    near = min(np.linalg.norm(np.subtract(point, end)) for end in (bar.start, bar.end))
    return bool(near < _SHORT and bar.radius >= radius)
