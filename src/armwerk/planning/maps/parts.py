"""What a map is made of: the parts of an arm, each on its link, and the bodies around it.

Where the parts are while two joints of a serial arm run and the rest is held: with joint a nearer
to the base than joint b, the pose of a frame behind both is

    T(q_a, q_b) = L(q_a) W(q_b)

L turns or shifts the world about or along the axis of joint a, and W is the pose at q_a = 0.
Frames between the two joints have a constant W, frames before both do not move at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

import numpy as np

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.collision.arm_shapes import ArmShapes, load_shapes, moving_links
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Shape
from armwerk.mechanics.chain import Chain
from armwerk.planning.arms import Described
from armwerk.robot.arm import Arm, row_matrix

ShapesLike: TypeAlias = ArmShapes | Mapping[str, Iterable[Shape] | Shape] | None


@dataclass(frozen=True, slots=True, eq=False)
class ArmPart:
    """One solid of the arm.

    Args:
        name: For messages and legends.
        link: Number of the moving joint that carries it, from 1.
        shape: What it is, in whatever frame it was given.
        pose: Its own coordinates seen from right behind that joint's motion. Shape (4, 4).
    """

    name: str
    link: int
    shape: Shape
    pose: Array


def shapes_of(arm: Described, given: ShapesLike, source: object = None) -> ArmShapes:
    """Return the shapes of an arm: those given, else those of its file, else made of its links.

    Args:
        arm: The description.
        given: Shapes, or None.
        source: What the arm was loaded from, a name or a file; else it does not matter.

    Raises:
        DescriptionError: When the shapes are another arm's, or there are none.
    """
    if given is None:
        named = source if isinstance(source, str | Path) else arm
        shapes = load_shapes(named, arm)
    elif isinstance(given, ArmShapes):
        shapes = given
        if shapes.arm is not arm and shapes.arm != arm:
            raise DescriptionError(
                f"they are those of arm '{shapes.arm.name}'",
                element="shapes",
                allowed=f"shapes of arm '{arm.name}'",
            )
    else:
        shapes = ArmShapes(arm, given)
    if not moving_parts(shapes):
        raise DescriptionError(
            f"arm '{arm.name}' has no part that could touch anything",
            element="shapes",
            allowed="at least one shape on a moving link",
        )
    return shapes


def moving_parts(shapes: ArmShapes) -> tuple[str, ...]:
    """Return the names of all parts but those of the base, which always stands where it stands."""
    return _moving_parts(SameObject(shapes))


@lru_cache(maxsize=8)
def _moving_parts(same: SameObject[ArmShapes]) -> tuple[str, ...]:
    shapes = same.value
    arm = shapes.arm
    links = moving_links(arm) if isinstance(arm, Arm) else range(len(arm.tree))
    names = zip(shapes.names, shapes.frames, strict=True)
    return tuple(name for name, frame in names if links[frame] > 0)


def parts_of(shapes: ArmShapes) -> tuple[ArmPart, ...]:
    """Return the moving shapes of a serial arm, seen from right behind their joints' motions."""
    return _parts_of(SameObject(shapes))


@lru_cache(maxsize=8)
def _parts_of(same: SameObject[ArmShapes]) -> tuple[ArmPart, ...]:
    shapes = same.value
    arm = shapes.arm
    if not isinstance(arm, Arm):
        raise DescriptionError("not a serial arm", value=arm, allowed="an Arm")
    links = moving_links(arm)
    behind = _rows_behind(arm)
    return tuple(
        ArmPart(name, links[frame], shape, behind[frame] @ pose_of(shape))
        for name, frame, shape in zip(shapes.names, shapes.frames, shapes.shapes, strict=True)
        if links[frame] > 0
    )


def pose_of(shape: Shape) -> Array:
    """Return the transform from a shape's own coordinates, which were checked when it was made.

    Shape (4, 4).
    """
    T = np.zeros((4, 4))
    T[:3, :3], T[:3, 3], T[3, 3] = shape.rotation, shape.position, 1.0
    return T


def _rows_behind(arm: Arm) -> list[Array]:
    """Return each frame, base to tool, seen from right behind the last motion before it."""
    T = np.array(arm.base)
    frames = [T]
    for joint in arm.free_chain.joints:
        if joint.is_moving:
            T = np.eye(4)
        T = T @ row_matrix(*(float(v) for v in (joint.offset, joint.d, joint.a, joint.alpha)))
        frames.append(T)
    return [*frames, T @ arm.tool]


def all_boxes(shapes: Iterable[object]) -> bool:
    """Whether there is nothing but boxes."""
    return all(isinstance(shape, Box) for shape in shapes)


class MovedBy(IntEnum):
    """What moves a frame."""

    STILL = 0
    FIRST = 1  # joint a alone
    BOTH = 2  # joint b, and joint a with it


@dataclass(frozen=True, eq=False)
class AxisLine:
    """Where a joint's axis is in the world.

    Args:
        point: A point of it [m]. Shape (3,).
        direction: Unit vector. Shape (3,).
        turns: Whether the joint is revolute.
    """

    point: Array
    direction: Array
    turns: bool

    def motions(self, values: Array) -> Array:
        """Return how the world behind the joint moves for each value. Shape (m, 4, 4)."""
        out = np.zeros((len(values), 4, 4))
        out[:, 3, 3] = 1.0
        if not self.turns:
            out[:, :3, :3] = np.eye(3)
            out[:, :3, 3] = values[:, None] * self.direction
            return out
        u = self.direction
        c, s = np.cos(values)[:, None, None], np.sin(values)[:, None, None]
        across = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        along = np.outer(u, u)
        out[:, :3, :3] = c * (np.eye(3) - along) + s * across + along
        out[:, :3, 3] = self.point - out[:, :3, :3] @ self.point
        return out


class FrameMotion:
    """The motion of an arm's frames over two joints.

    Args:
        chain: The packed arm.
        q: All joint values; those of a and b do not count. Shape (n,).
        a: The joint nearer to the base.
        b: The other one.
    """

    def __init__(self, chain: Chain, q: Array, a: int, b: int) -> None:
        self._chain = chain
        self.a, self.b = a, b
        self._rest = np.array(q, dtype=np.float64)
        self._rest[[a, b]] = 0.0
        self._before, self._behind = self._walk()
        self.first = self._axis(a)
        self.second = self._axis(b)

    def _walk(self) -> tuple[list[Array], list[Array]]:
        """Return the frames right before and right behind each joint, all at rest.

        The walk is our own: joints at 0 must leave exact numbers exact, so that boxes that stand
        upright are seen to.
        """
        constants = self._chain.constants
        T = _transform(constants[0])
        before, behind = [], []
        for joint, value in enumerate(self._rest):
            before.append(T)
            if value != 0.0:
                T = T @ self._moved(joint, float(value))
            behind.append(T)
            T = T @ _transform(constants[joint + 1])
        return before, behind

    def _moved(self, joint: int, value: float) -> Array:
        M = np.eye(4)
        if self._chain.revolute[joint]:
            c, s = np.cos(value), np.sin(value)
            M[:2, :2] = [[c, -s], [s, c]]
        else:
            M[2, 3] = value
        return M

    def _axis(self, joint: int) -> AxisLine:
        T = self._before[joint]
        return AxisLine(T[:3, 3], _clean(T[:3, 2]), bool(self._chain.revolute[joint]))

    def moved_by(self, link: int) -> MovedBy:
        """Return what moves the frame that stands right behind moving joint ``link`` (from 1)."""
        if link <= self.a:
            return MovedBy.STILL
        return MovedBy.FIRST if link <= self.b else MovedBy.BOTH

    def rest_pose(self, link: int) -> Array:
        """Return the pose of the frame right behind joint ``link`` (0: the world) at rest.

        Shape (4, 4).
        """
        if link == 0:
            return np.eye(4)
        return self._behind[link - 1]


def frame_motion(chain: Chain, q: Array, a: int, b: int) -> FrameMotion:
    """Return a `FrameMotion`, the very same one for the same arguments."""
    return _frame_motion(SameObject(chain), q.tobytes(), a, b)


@lru_cache(maxsize=8)
def _frame_motion(same: SameObject[Chain], q: bytes, a: int, b: int) -> FrameMotion:
    return FrameMotion(same.value, np.frombuffer(q), a, b)


def _transform(packed: Array) -> Array:
    T = np.array(packed)
    T[3] = (0.0, 0.0, 0.0, 1.0)
    return T


def _clean(direction: Array) -> Array:
    """Return a unit vector; one along a coordinate axis but for rounding is made exact."""
    nearest = np.rint(direction)
    if np.abs(direction - nearest).max() < 1e-14:
        return np.asarray(nearest)
    return np.asarray(direction / np.linalg.norm(direction))
