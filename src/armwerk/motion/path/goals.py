"""Goals of a path as users write them, and the coordinates they may come in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import ArmwerkError, MotionError
from armwerk.geometry import nearest_rotation, transform, transform_from_pose
from armwerk.geometry.arguments import rotation_argument, transform_argument
from armwerk.motion.path.orientation import upright_angles, upright_rotation

ON_AXIS = 1e-12  # [m] from the upright axis within which a point has no direction of its own


def numbers(value: ArrayLike, what: str) -> Array:
    """Return finite numbers.

    Raises:
        MotionError: For anything else, nan and infinity included.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise MotionError(f"{what} must be numbers, got {value!r:.80}") from None
    if not np.isfinite(array).all():
        raise MotionError(f"{what} must hold finite numbers, got {array.tolist()!r:.120}")
    return array


def one_number(value: ArrayLike, what: str) -> float:
    """Return one finite number.

    Raises:
        MotionError: For anything else, nan and infinity included.
    """
    array = numbers(value, what)
    if array.ndim:
        raise MotionError(f"{what} must be one number, got {value!r:.80}")
    return float(array)


def point_of(value: ArrayLike, what: str) -> Array:
    """Return the position [m] of a goal: 3 numbers, a pose of 6, or a transform. Shape (3,)."""
    array = numbers(value, what)
    if array.shape == (4, 4):
        return array[:3, 3].copy()
    if array.shape in ((3,), (6,)):
        return array[:3].copy()
    raise MotionError(
        f"{what} must be 3 numbers, 6 numbers or a 4x4 transform, got shape {array.shape}"
    )


def pose_of(value: ArrayLike, rotation: Array | None, what: str = "the goal") -> Array:
    """Return a goal as a transform. Shape (4, 4).

    Args:
        value: A transform (4, 4); x y z a b c [m, rad], angles Z-Y'-X''; or x y z [m].
        rotation: Orientation of a goal of three numbers; None: such a goal is refused.
        what: Name for messages.

    Raises:
        MotionError: When it is none of these.
    """
    array = numbers(value, what)
    try:
        if array.shape == (4, 4):
            if _is_rigid(array):
                return array
            pose = np.array(transform_argument(array, what))
            pose[:3, :3] = nearest_rotation(pose[:3, :3])
            return pose
        if array.shape == (6,):
            return transform_from_pose(array)
    except MotionError:
        raise
    except ArmwerkError as error:
        raise MotionError(str(error)) from None
    if array.shape == (3,) and rotation is not None:
        pose = np.eye(4)
        pose[:3, :3] = rotation
        pose[:3, 3] = array
        return pose
    raise MotionError(
        f"{what} must be a 4x4 transform, 6 numbers x y z a b c or 3 numbers x y z, "
        f"got shape {array.shape}"
    )


_ROUNDING = 4e-15  # by which a rotation may be off that is as exact as can be had


def _is_rigid(array: Array) -> bool:
    """Return whether a matrix is a rigid transform up to rounding, in plain numbers for speed."""
    a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, w = array.ravel().tolist()
    if (x, y, z, w) != (0.0, 0.0, 0.0, 1.0):
        return False
    off = max(
        abs(a * a + d * d + g * g - 1.0),
        abs(b * b + e * e + h * h - 1.0),
        abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h),
        abs(a * c + d * f + g * i),
        abs(b * c + e * f + h * i),
    )
    right = c * (d * h - g * e) + f * (g * b - a * h) + i * (a * e - d * b) > 0.0
    return off < _ROUNDING and right


def rotation_part(value: ArrayLike, what: str = "the orientation") -> Array:
    """Return the rotation of a 3x3 or 4x4 matrix. Shape (3, 3)."""
    array = numbers(value, what)
    if array.shape == (4, 4):
        array = array[:3, :3]
    try:
        return np.asarray(nearest_rotation(rotation_argument(array, what)))
    except ArmwerkError as error:
        raise MotionError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Cylindrical:
    """A point by distance from the upright axis, height and direction.

    On the axis, where x and y no longer tell the direction, it is kept as it was given.

    Args:
        r: Distance from the axis [m], at least 0.
        h: Height [m].
        phi: Direction about the axis, 0 along x [rad].
    """

    r: float
    h: float
    phi: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(value) for value in (self.r, self.h, self.phi)):
            raise MotionError(f"cylindrical coordinates must be finite, got {self}")
        if self.r < 0.0:
            raise MotionError(f"the distance r from the axis must be at least 0 m, got {self.r}")

    @classmethod
    def of(cls, point: ArrayLike, phi: float = 0.0) -> Cylindrical:
        """Return a point x y z [m] in cylindrical coordinates.

        Args:
            point: Shape (3,).
            phi: Direction to keep when the point is on the axis [rad].
        """
        x, y, z = (float(value) for value in point_of(point, "the point"))
        r = math.hypot(x, y)
        return cls(r, z, math.atan2(y, x) if r > ON_AXIS else phi)

    @property
    def point(self) -> Array:
        """The same as x y z [m]. Shape (3,)."""
        return np.array([self.r * math.cos(self.phi), self.r * math.sin(self.phi), self.h])

    def pose(self, inclination: float, roll: float = 0.0) -> Array:
        """Return the tool pose there; see `inclined_pose`. Shape (4, 4)."""
        return transform(upright_rotation(self.phi, inclination, roll), self.point)


def inclined_pose(
    point: ArrayLike, inclination: float, roll: float = 0.0, phi: float | None = None
) -> Array:
    """Return the pose of a five-axis arm's tool: its z axis in the upright plane of the arm.

    R = Rz(φ) Ry(90° - inclination) Rz(roll), φ the direction of the point from the upright axis.

    Args:
        point: [m]. Shape (3,).
        inclination: Of the tool's z axis above the horizon [rad]; -π/2 points down.
        roll: About the tool's z axis [rad].
        phi: Direction of the plane [rad]; None: that of the point.

    Returns:
        T_world_tool. Shape (4, 4).
    """
    place = point_of(point, "the point")
    angles = numbers([inclination, roll, phi or 0.0], "inclination, roll and phi")
    around = Cylindrical.of(place, float(angles[2])).phi if phi is None else float(angles[2])
    return transform(upright_rotation(around, float(angles[0]), float(angles[1])), place)


def inclination_of(pose: ArrayLike) -> tuple[float, float]:
    """Return inclination and roll [rad] of a pose that `inclined_pose` could have made.

    Raises:
        MotionError: When the tool's z axis leans out of the upright plane through the axis.
    """
    T = pose_of(pose, None, "the pose")
    found = upright_angles(T[:3, :3], T[:3, 3], np.zeros(2))
    if found is None:
        raise MotionError(
            "the tool's z axis leans out of the upright plane through the arm's axis, so it has "
            "no inclination"
        )
    return float(0.5 * math.pi - found[0]), float(found[1])
