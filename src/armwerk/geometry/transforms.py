"""Rigid transforms: T_world_tool maps tool coordinates to world; neighbours cancel in products.

T = [[R, p], [0 0 0 1]] with the rotation R and the position p [m] of the tool frame in world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import ShapeError
from armwerk.geometry.arguments import (
    checked,
    leading,
    length,
    off_rotation,
    rotation_argument,
    transform_argument,
)
from armwerk.geometry.euler import AngleOrder, angles_from_rotation, rotation_from_angles
from armwerk.geometry.rotation import ORTHONORMAL, angle_between, rotation_exp, rotation_log


def transform(rotation: ArrayLike | None = None, position: ArrayLike | None = None) -> Array:
    """Return the transform of a rotation and a position. Shape (..., 4, 4).

    Args:
        rotation: Shape (..., 3, 3). None: identity.
        position: [m]. Shape (..., 3). None: the origin.
    """
    R = np.eye(3) if rotation is None else rotation_argument(rotation, "rotation")
    p = np.zeros(3) if position is None else checked(position, (3,), "position")
    result = np.zeros((*leading(rotation=R.shape[:-2], position=p.shape[:-1]), 4, 4))
    result[..., :3, :3] = R
    result[..., :3, 3] = p
    result[..., 3, 3] = 1.0
    return result


def transform_from_pose(pose: ArrayLike, order: AngleOrder = "zyx") -> Array:
    """Return the transform of six numbers x y z a b c [m, rad]. Shape (..., 4, 4).

    Args:
        pose: Shape (..., 6).
        order: What the angles mean; see `armwerk.geometry.euler`.
    """
    numbers = checked(pose, (6,), "pose")
    return transform(rotation_from_angles(numbers[..., 3:], order), numbers[..., :3])


def pose_from_transform(transform: ArrayLike, order: AngleOrder = "zyx") -> Array:
    """Return the six numbers x y z a b c [m, rad] of a transform. Shape (..., 6)."""
    T = transform_argument(transform, "transform")
    angles = angles_from_rotation(T[..., :3, :3], order)
    return np.concatenate([T[..., :3, 3], angles], axis=-1)


def rotation_of(transform: ArrayLike) -> Array:
    """Return a copy of the rotation part. Shape (..., 3, 3)."""
    return checked(transform, (4, 4), "transform")[..., :3, :3].copy()


def position_of(transform: ArrayLike) -> Array:
    """Return a copy of the position part [m]. Shape (..., 3)."""
    return checked(transform, (4, 4), "transform")[..., :3, 3].copy()


def compose(*transforms: ArrayLike) -> Array:
    """Return the product of transforms from left to right; identity for none. Shape (..., 4, 4)."""
    matrices = [checked(T, (4, 4), f"transform {i}") for i, T in enumerate(transforms, start=1)]
    leading(**{f"transform {i}": T.shape[:-2] for i, T in enumerate(matrices, start=1)})
    result: Array = np.eye(4)
    for matrix in matrices:
        result = result @ matrix
    return result


def inverse(transform: ArrayLike) -> Array:
    """Return [[R', -R' p], [0 0 0 1]]. Shape (..., 4, 4)."""
    T = transform_argument(transform, "transform")
    result = np.zeros(T.shape)
    result[..., :3, :3] = np.swapaxes(T[..., :3, :3], -1, -2)
    result[..., :3, 3] = -np.matvec(result[..., :3, :3], T[..., :3, 3])
    result[..., 3, 3] = 1.0
    return result


def relative(first: ArrayLike, second: ArrayLike) -> Array:
    """Return T_first_second from T_world_first and T_world_second. Shape (..., 4, 4)."""
    A, B = transform_argument(first, "first"), checked(second, (4, 4), "second")
    leading(first=A.shape[:-2], second=B.shape[:-2])
    result: Array = inverse(A) @ B
    return result


def transform_points(transform: ArrayLike, points: ArrayLike) -> Array:
    """Return R x + p for points x [m]. Shape (..., 3).

    Leading dimensions broadcast: one transform moves points (m, 3); transforms (k, 1, 4, 4)
    and points (m, 3) give (k, m, 3).
    """
    T, x = _operands(transform, points, "points")
    result: Array = np.matvec(T[..., :3, :3], x) + T[..., :3, 3]
    return result


def transform_directions(transform: ArrayLike, directions: ArrayLike) -> Array:
    """Return R v for free vectors v, which have no place. Shape (..., 3)."""
    T, v = _operands(transform, directions, "directions")
    result: Array = np.matvec(T[..., :3, :3], v)
    return result


def _operands(transform: ArrayLike, vectors: ArrayLike, name: str) -> tuple[Array, Array]:
    T, v = checked(transform, (4, 4), "transform"), checked(vectors, (3,), name)
    leading(transform=T.shape[:-2], **{name: v.shape[:-1]})
    return T, v


def interpolate(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Return poses between two: the origin moves straight, the rotation turns the short way.

    p = p0 + s (p1 - p0) and R = R0 exp(s log(R0' R1)). Both speeds are constant in s.

    Args:
        start: Pose at share 0. Shape (..., 4, 4).
        end: Pose at share 1. Shape (..., 4, 4).
        share: Shape (...), broadcast against the leading dimensions of the other two.

    Returns:
        Shape (..., 4, 4).
    """
    A, B = transform_argument(start, "start"), transform_argument(end, "end")
    s = checked(share, (), "share")
    leading(start=A.shape[:-2], end=B.shape[:-2], share=s.shape)
    turn = rotation_log(np.swapaxes(A[..., :3, :3], -1, -2) @ B[..., :3, :3])
    rotation = A[..., :3, :3] @ rotation_exp(s[..., None] * turn)
    position = (1 - s)[..., None] * A[..., :3, 3] + s[..., None] * B[..., :3, 3]
    return transform(rotation, position)


def separation(first: ArrayLike, second: ArrayLike) -> tuple[Array, Array]:
    """Return how far two poses are apart: distance of origins [m] and angle [rad], each (...)."""
    A, B = transform_argument(first, "first"), transform_argument(second, "second")
    leading(first=A.shape[:-2], second=B.shape[:-2])
    angle = angle_between(A[..., :3, :3], B[..., :3, :3])
    return length(A[..., :3, 3] - B[..., :3, 3]), angle


def is_transform(matrix: ArrayLike, tolerance: float = ORTHONORMAL) -> Flags:
    """Whether matrices (..., 4, 4) are rigid transforms; not, where they hold nan."""
    T = checked(matrix, (4, 4), "matrix", finite=False)
    finite = np.isfinite(T).all(axis=(-2, -1))
    last_row = (T[..., 3, :] == (0.0, 0.0, 0.0, 1.0)).all(axis=-1)
    result: Flags = (off_rotation(T[..., :3, :3]) <= tolerance) & finite & last_row
    return result


def parse_pose(text: str, order: AngleOrder = "zyx") -> Array:
    """Return the transform written as six numbers "x y z a b c" [m, rad]. Shape (4, 4).

    Numbers are separated by spaces or commas.

    Raises:
        ShapeError: When there are not six numbers.
    """
    words = text.replace(",", " ").split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != 6:
        raise ShapeError(f"pose: must be six numbers x y z a b c, got '{text}'")
    return transform_from_pose(numbers, order)
