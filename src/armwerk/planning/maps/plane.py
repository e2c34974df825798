"""Maps of boxes that stay upright on one plane: poses of four numbers, tests in two dimensions.

When every joint that runs turns about the plane's normal or slides along the plane, and every box
has an edge along the normal, boxes meet when their outlines and their heights do. Heights never
change, so what is left is a question about rectangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from armwerk.arrays import Array
from armwerk.caching import SameObject
from armwerk.collision.body import Body
from armwerk.collision.kernels.layout import ALLOWANCE
from armwerk.geometry import Box
from armwerk.mechanics.chain import pack
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.parts import (
    ArmPart,
    AxisLine,
    FrameMotion,
    MovedBy,
    parts_of,
    pose_of,
)
from armwerk.robot.arm import Arm

_LEVEL = 1e-12  # how far a unit vector may lean off the plane or its normal


@dataclass(frozen=True, eq=False)
class Outlines:
    """Rectangles on the plane and what they are high.

    Args:
        pose: Rows x, y, cosine, sine. Shape (n, 4).
        half: Half lengths [m]. Shape (n, 2).
        height: Height of the middle [m]. Shape (n,).
        tall: Half the extent in height [m]. Shape (n,).
    """

    pose: Array
    half: Array
    height: Array
    tall: Array

    def __len__(self) -> int:
        return len(self.pose)

    @property
    def radius(self) -> Array:
        """Half diagonals [m]. Shape (n,)."""
        return np.asarray(np.hypot(self.half[:, 0], self.half[:, 1]))


@dataclass(frozen=True, eq=False)
class PlanarScene:
    """A scene that passed all conditions above.

    Args:
        axes: Rows: two directions of the plane, and its normal. Shape (3, 3).
        motion: The motion of the arm.
        parts: Outlines of the arm's parts at rest, by what moves them.
        bodies: Outlines of the bodies.
    """

    axes: Array
    motion: FrameMotion
    parts: dict[MovedBy, Outlines]
    bodies: Outlines

    def pairs(self, which: MovedBy) -> PlanarPairs:
        """Return the parts of a class and all bodies, as kernels take them."""
        parts, bodies = self.parts[which], self.bodies
        rows = np.concatenate([bodies.pose, bodies.half], axis=1)
        its = bodies.radius + np.abs(bodies.pose[:, :2]).sum(axis=1)
        allowance = ALLOWANCE * (parts.radius[:, None] + its)
        return PlanarPairs(parts.half, rows, allowance, _rise(parts, bodies))

    def lines(self, axis: AxisLine, values: Array) -> Array:
        """Return how the plane behind an axis moves, as planar poses, not to be changed.

        They are found once for the very same axis and values. Shape (m, 4).
        """
        return _lines(SameObject(self.axes), SameObject(axis), SameObject(values))

    def pivot(self, axis: AxisLine) -> Array:
        """Return the point about which an axis turns. Shape (2,)."""
        return np.ascontiguousarray(self.axes[:2] @ axis.point)

    def turn_sign(self, axis: AxisLine) -> float:
        """Return 1 when positive angles turn counter-clockwise, else -1."""
        return float(np.copysign(1.0, axis.direction @ self.axes[2]))

    def slide(self, axis: AxisLine) -> Array:
        """Return the direction in which an axis slides. Shape (2,)."""
        return np.asarray(self.axes[:2] @ axis.direction)


@lru_cache(maxsize=8)
def _lines(
    plane: SameObject[Array], moved: SameObject[AxisLine], places: SameObject[Array]
) -> Array:
    axes, axis, values = plane.value, moved.value, places.value
    out = np.zeros((len(values), 4))
    if axis.turns:
        sign = np.copysign(1.0, axis.direction @ axes[2])
        c, s = np.cos(values), sign * np.sin(values)
        x, y = axes[:2] @ axis.point
        out[:, 0], out[:, 1] = x - (c * x - s * y), y - (s * x + c * y)
        out[:, 2], out[:, 3] = c, s
    else:
        out[:, :2] = values[:, None] * (axes[:2] @ axis.direction)
        out[:, 2] = 1.0
    return out


def planar_scene(
    motion: FrameMotion, parts: tuple[ArmPart, ...], bodies: Sequence[Body]
) -> PlanarScene | None:
    """Return the scene when it is planar, else None.

    Args:
        motion: The motion of the arm.
        parts: On the arm.
        bodies: In the world.
    """
    own = _planar_arm(SameObject(motion), SameObject(parts))
    if own is None:
        return None
    boxes = [body for body in bodies if isinstance(body, Box)]
    if len(boxes) < len(bodies):
        return None
    around = _outlines(own.axes, [pose_of(box) for box in boxes], boxes)
    return None if around is None else PlanarScene(own.axes, motion, own.parts, around)


@dataclass(frozen=True, eq=False)
class PlanarArm:
    """The plane of an arm, and its parts upright on it.

    Args:
        axes: Rows: two directions of the plane, and its normal. Shape (3, 3).
        parts: Outlines of the parts at rest, by what moves them.
    """

    axes: Array
    parts: dict[MovedBy, Outlines]


@lru_cache(maxsize=8)
def _planar_arm(
    motion: SameObject[FrameMotion], parts: SameObject[tuple[ArmPart, ...]]
) -> PlanarArm | None:
    """Return what does not depend on bodies; None: nothing planar."""
    moved = motion.value
    axes = _plane(moved)
    if axes is None:
        return None
    outlines = {}
    for which in MovedBy:
        some = [part for part in parts.value if moved.moved_by(part.link) is which]
        poses = [moved.rest_pose(part.link) @ part.pose for part in some]
        boxes = [part.shape for part in some if isinstance(part.shape, Box)]
        found = _outlines(axes, poses, boxes) if len(boxes) == len(some) else None
        if found is None:
            return None
        outlines[which] = found
    return PlanarArm(axes, outlines)


def scene_of(space: MapData, q: Array) -> PlanarScene | None:
    """Return the planar scene of a map with all joints at ``q``, None when it has none."""
    if not isinstance(space.arm, Arm) or space.arm.is_coupled:
        return None
    a, b = sorted(axis.index for axis in space.axes[:2])
    motion = FrameMotion(pack(space.arm), q, a, b)
    return planar_scene(motion, parts_of(space.shapes), tuple(space.bodies))


def _plane(motion: FrameMotion) -> Array | None:
    """Return directions of the plane and its normal; None when the axes fit no plane."""
    lines = (motion.first, motion.second)
    turning = [line.direction for line in lines if line.turns]
    sliding = [line.direction for line in lines if not line.turns]
    normal = turning[0] if turning else _cross(sliding[0], sliding[1])
    size = np.linalg.norm(normal)
    if size < 1e-6:  # two slides along one direction
        return None
    normal = normal / size
    if normal[np.abs(normal).argmax()] < 0:
        normal = -normal
    if any(np.abs(_cross(line, normal)).max() > _LEVEL for line in turning):
        return None
    if any(abs(line @ normal) > _LEVEL for line in sliding):
        return None
    if np.abs(normal - np.rint(normal)).max() < _LEVEL:
        which = int(np.abs(normal).argmax())
        return _ALONG[which]
    helper = np.eye(3)[np.abs(normal).argmin()]
    first = _cross(helper, normal)
    first /= np.linalg.norm(first)
    return np.stack([first, _cross(normal, first), normal])


_ALONG = [np.roll(np.eye(3), which + 1, axis=1) for which in range(3)]  # last row: x, y or z


def _cross(u: Array, v: Array) -> Array:
    # numpy's own takes longer for three numbers than the whole of a small map
    return np.array(
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    )


_NOTHING = Outlines(np.zeros((0, 4)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
_FLAT = np.array([[1, 2], [2, 0], [0, 1]])  # the two edges beside the one that stands upright


def _outlines(axes: Array, poses: list[Array], boxes: list[Box]) -> Outlines | None:
    """Return the outlines of boxes at poses; None unless all stand upright."""
    if not boxes:
        return _NOTHING
    sizes = np.array([box.size for box in boxes])
    moved = axes @ np.array(poses)[:, :3]  # columns: edges and middle of a box, seen from the plane
    up = np.abs(moved[:, 2, :3]).argmax(axis=1)
    rows = np.arange(len(poses))
    if np.abs(moved[rows, :2, up]).max() > _LEVEL:
        return None
    flat = _FLAT[up]
    pose = np.empty((len(poses), 4))
    pose[:, :2], pose[:, 2:] = moved[:, :2, 3], moved[rows, :2, flat[:, 0]]
    half = sizes[rows[:, None], flat] / 2
    return Outlines(pose, half, moved[:, 2, 3], sizes[rows, up] / 2)


def _rise(parts: Outlines, bodies: Outlines) -> Array:
    """Return how far parts and bodies are apart in height [m], 0 where they meet."""
    apart = np.abs(parts.height[:, None] - bodies.height)
    tall = parts.tall[:, None] + bodies.tall
    gap = apart - tall
    return np.where(gap <= ALLOWANCE * (apart + tall), 0.0, gap)


def composed(one: Array, two: Array) -> Array:
    """Return planar poses one after the other, broadcast. Shape (..., 4)."""
    c, s = one[..., 2], one[..., 3]
    x, y, k, n = (two[..., i] for i in range(4))
    moved = (one[..., 0] + c * x - s * y, one[..., 1] + s * x + c * y, c * k - s * n, s * k + c * n)
    return np.ascontiguousarray(np.stack(np.broadcast_arrays(*moved), axis=-1))
