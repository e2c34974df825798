"""Maps of boxes that stay upright on one plane: poses of four numbers, tests in two dimensions.

When every joint that runs turns about the plane's normal or slides along the plane, and every box
has an edge along the normal, boxes meet when their outlines and their heights do. Heights never
change, so what is left is a question about rectangles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.body import Body
from armwerk.collision.kernels.layout import ALLOWANCE
from armwerk.geometry import Box
from armwerk.mechanics.chain import pack
from armwerk.planning.kernels.records import PlanarPairs
from armwerk.planning.maps.data import MapData
from armwerk.planning.maps.parts import ArmPart, AxisLine, FrameMotion, MovedBy, parts_of, pose_of
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


@dataclass(frozen=True, eq=False)
class PlanarScene:
    """A scene that passed all conditions above.

    Args:
        axes: Rows: two directions of the plane, and its normal. Shape (3, 3).
        motion: The motion of the arm.
        parts: Outlines of the arm's parts at rest, by what moves them.
        bodies: Outlines of the bodies.
        rise: For each class of parts, by how much part and body miss each other in height
            [m], 0 where they meet. Shape (parts, bodies).
    """

    axes: Array
    motion: FrameMotion
    parts: dict[MovedBy, Outlines]
    bodies: Outlines
    rise: dict[MovedBy, Array]

    def pairs(self, which: MovedBy) -> PlanarPairs:
        """Return the parts of a class and all bodies, as kernels take them."""
        half, bodies = self.parts[which].half, self.bodies
        rows = np.ascontiguousarray(np.hstack([bodies.pose, bodies.half]))
        own = np.linalg.norm(half, axis=1)[:, None]
        its = np.linalg.norm(bodies.half, axis=1) + np.abs(bodies.pose[:, :2]).sum(axis=1)
        allowance = np.ascontiguousarray(ALLOWANCE * (own + its))
        return PlanarPairs(half, rows, allowance, self.rise[which])

    def lines(self, axis: AxisLine, values: Array) -> Array:
        """Return how the plane behind an axis moves, as planar poses. Shape (m, 4)."""
        out = np.zeros((len(values), 4))
        if axis.turns:
            sign = np.copysign(1.0, axis.direction @ self.axes[2])
            c, s = np.cos(values), sign * np.sin(values)
            x, y = self.axes[:2] @ axis.point
            out[:, 0], out[:, 1] = x - (c * x - s * y), y - (s * x + c * y)
            out[:, 2], out[:, 3] = c, s
        else:
            out[:, :2] = values[:, None] * (self.axes[:2] @ axis.direction)
            out[:, 2] = 1.0
        return out

    def pivot(self, axis: AxisLine) -> Array:
        """Return the point about which an axis turns. Shape (2,)."""
        return np.ascontiguousarray(self.axes[:2] @ axis.point)

    def turn_sign(self, axis: AxisLine) -> float:
        """Return 1 when positive angles turn counter-clockwise, else -1."""
        return float(np.copysign(1.0, axis.direction @ self.axes[2]))

    def slide(self, axis: AxisLine) -> Array:
        """Return the direction in which an axis slides. Shape (2,)."""
        return np.asarray(self.axes[:2] @ axis.direction)


def planar_scene(
    motion: FrameMotion, parts: Sequence[ArmPart], bodies: Sequence[Body]
) -> PlanarScene | None:
    """Return the scene when it is planar, else None.

    Args:
        motion: The motion of the arm.
        parts: On the arm.
        bodies: In the world.
    """
    axes = _plane(motion)
    if axes is None:
        return None
    sorted_parts: dict[MovedBy, list[Array]] = {which: [] for which in MovedBy}
    sizes: dict[MovedBy, list[Array]] = {which: [] for which in MovedBy}
    for part in parts:
        if not isinstance(part.shape, Box):
            return None
        which = motion.moved_by(part.link)
        sorted_parts[which].append(motion.rest_pose(part.link) @ part.pose)
        sizes[which].append(part.shape.size)
    outlines = {}
    for which in MovedBy:
        found = _outlines(axes, sorted_parts[which], sizes[which])
        if found is None:
            return None
        outlines[which] = found
    boxes = [body for body in bodies if isinstance(body, Box)]
    if len(boxes) < len(bodies):
        return None
    around = _outlines(axes, [pose_of(body) for body in boxes], [body.size for body in boxes])
    if around is None:
        return None
    rise = {which: _rise(outlines[which], around) for which in MovedBy}
    return PlanarScene(axes, motion, outlines, around, rise)


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


def _outlines(axes: Array, poses: Sequence[Array], sizes: Sequence[Array]) -> Outlines | None:
    if not len(poses):
        return Outlines(np.zeros((0, 4)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    T, size = np.stack(poses), np.stack(sizes) / 2
    R = axes @ T[:, :3, :3]  # columns: edges of the boxes, seen from the plane
    up = np.abs(R[:, 2]).argmax(axis=1)
    rows = np.arange(len(T))
    if np.abs(R[rows, :2, up]).max() > _LEVEL:
        return None
    one, two = (up + 1) % 3, (up + 2) % 3
    place = T[:, :3, 3] @ axes.T
    pose = np.stack([place[:, 0], place[:, 1], R[rows, 0, one], R[rows, 1, one]], axis=1)
    half = np.stack([size[rows, one], size[rows, two]], axis=1)
    return Outlines(pose, half, place[:, 2], size[rows, up])


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
