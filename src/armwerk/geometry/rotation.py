"""Rotation matrices: active, right-handed, acting on columns; v_world = R_world_body v_body."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array, Flags
from armwerk.errors import DescriptionError
from armwerk.geometry.arguments import (
    checked,
    direction,
    leading,
    length,
    off_rotation,
    rotation_argument,
)
from armwerk.geometry.quaternion import quaternion_from_rotation, quaternion_log, sinc

ORTHONORMAL = 1e-9
"""What `is_rotation` calls a rotation: products of hundreds of matrices stay well below."""

OPPOSITE = 4e-15
"""Length of the sum of two unit vectors below which it is rounding alone."""

RANK = 1e-12
"""Second singular value, as a share of the first, below which no rotation is nearest."""


def wrap_angle(angle: ArrayLike) -> Array:
    """Return angles moved by whole turns into (-pi, pi] [rad]; those already there stay exact."""
    a = checked(angle, (), "angle")
    wrapped = a - 2 * np.pi * np.ceil((a - np.pi) / (2 * np.pi))
    result: Array = np.where(wrapped <= -np.pi, np.pi, np.minimum(wrapped, np.pi))
    return result


def skew(vector: ArrayLike) -> Array:
    """Return the matrix [v] with [v] u = v × u. Shape (..., 3, 3)."""
    v = checked(vector, (3,), "vector")
    result = np.zeros((*v.shape, 3))
    x, y, z = np.moveaxis(v, -1, 0)
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -z, y, -x
    result[..., 1, 0], result[..., 2, 0], result[..., 2, 1] = z, -y, x
    return result


def unskew(matrix: ArrayLike) -> Array:
    """Return v of the skew-symmetric part [v] of (..., 3, 3) matrices. Shape (..., 3)."""
    m = checked(matrix, (3, 3), "matrix")
    parts = [m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]]
    return 0.5 * np.stack(parts, axis=-1)


_NEXT, _AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])


def cross(u: Array, v: Array) -> Array:
    """Return u × v of vectors along the last axis, for few rows much quicker than numpy's."""
    return np.asarray(u[..., _NEXT] * v[..., _AFTER] - u[..., _AFTER] * v[..., _NEXT])


def rotation_x(angle: ArrayLike) -> Array:
    """Return the rotation by ``angle`` [rad] about x. Shape (..., 3, 3)."""
    return _about_coordinate(angle, 1, 2)


def rotation_y(angle: ArrayLike) -> Array:
    """Return the rotation by ``angle`` [rad] about y. Shape (..., 3, 3)."""
    return _about_coordinate(angle, 2, 0)


def rotation_z(angle: ArrayLike) -> Array:
    """Return the rotation by ``angle`` [rad] about z. Shape (..., 3, 3)."""
    return _about_coordinate(angle, 0, 1)


def _about_coordinate(angle: ArrayLike, i: int, j: int) -> Array:
    """Return the rotation that turns axis ``i`` towards axis ``j``."""
    a = checked(angle, (), "angle")
    result = np.zeros((*a.shape, 3, 3))
    result[...] = np.eye(3)
    result[..., i, i] = result[..., j, j] = np.cos(a)
    result[..., j, i] = np.sin(a)
    result[..., i, j] = -result[..., j, i]
    return result


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Return the rotation about an axis through the origin. Shape (..., 3, 3).

    Args:
        axis: Its direction; the length does not matter but must not be zero. Shape (..., 3).
        angle: [rad]. Shape (...), broadcast against the leading dimensions of ``axis``.
    """
    n, a = direction(axis, "axis"), checked(angle, (), "angle")
    leading(axis=n.shape[:-1], angle=a.shape)
    return _rodrigues(n, np.sin(a), 2 * np.sin(0.5 * a) ** 2)


def rotation_exp(vector: ArrayLike) -> Array:
    """Return exp([v]), the rotation by |v| [rad] about v. Shape (..., 3, 3).

    R = 1 + sin(t)/t [v] + (1 - cos(t))/t² [v]² with t = |v|; 1 - cos(t) is written as
    2 sin²(t/2), so nothing cancels for small t.
    """
    v = checked(vector, (3,), "vector")
    angle = length(v)
    return _rodrigues(v, sinc(angle), 0.5 * sinc(0.5 * angle) ** 2)


def _rodrigues(v: Array, first: Array, second: Array) -> Array:
    hat = skew(v)
    result: Array = np.eye(3) + first[..., None, None] * hat + second[..., None, None] * (hat @ hat)
    return result


def rotation_log(rotation: ArrayLike) -> Array:
    """Return the rotation vector axis·angle with angle from 0 to pi [rad]. Shape (..., 3).

    It goes by way of the quaternion and so keeps full precision at 0 and at pi. A half turn has
    two vectors; the one whose first component other than zero is positive is returned.
    """
    return quaternion_log(quaternion_from_rotation(rotation))


def axis_angle_from_rotation(rotation: ArrayLike) -> tuple[Array, Array]:
    """Return unit axes (..., 3) and angles (...) from 0 to pi [rad]; axis z for angle 0."""
    vector = rotation_log(rotation)
    angle = length(vector)
    turned = (angle > 0)[..., None]
    axis = np.where(turned, vector / np.where(turned, angle[..., None], 1.0), (0.0, 0.0, 1.0))
    return axis, angle


def rotation_angle(rotation: ArrayLike) -> Array:
    """Return the angle of rotations, from 0 to pi [rad]. Shape (...)."""
    return length(rotation_log(rotation))


def angle_between(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the angle of the rotation that leads from ``first`` to ``second`` [rad]."""
    R, S = rotation_argument(first, "first"), rotation_argument(second, "second")
    leading(first=R.shape[:-2], second=S.shape[:-2])
    return rotation_angle(np.swapaxes(R, -1, -2) @ S)


def rotation_between(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the smallest rotation that turns direction ``first`` to ``second``.

    For opposite directions every half turn about a perpendicular axis does; one is returned.

    Args:
        first: Not zero. Shape (..., 3).
        second: Not zero. Shape (..., 3).

    Returns:
        Shape (..., 3, 3).
    """
    u, v = direction(first, "first"), direction(second, "second")
    leading(first=u.shape[:-1], second=v.shape[:-1])
    u, v = np.broadcast_arrays(u, v)
    # Half turns about u and then about the middle of u and v make the rotation. The part of
    # the middle along u - v is rounding; without it nearly opposite directions are exact too.
    apart = u - v
    square = np.vecdot(apart, apart)[..., None]

    def bisecting(w: Array) -> Array:
        part = np.vecdot(w, apart)[..., None] / np.where(square > 1, square, 1.0)
        result: Array = w - np.where(square > 1, part, 0.0) * apart
        return result

    middle = bisecting(u + v)
    across = bisecting(np.cross(u, np.eye(3)[np.argmin(np.abs(u), axis=-1)]))
    middle = np.where(length(middle)[..., None] < OPPOSITE, across, middle)
    middle = middle / length(middle)[..., None]
    turn_middle = 2 * middle[..., :, None] * middle[..., None, :] - np.eye(3)
    turn_first = 2 * u[..., :, None] * u[..., None, :] - np.eye(3)
    result: Array = turn_middle @ turn_first
    return result


def rotate(rotation: ArrayLike, vector: ArrayLike) -> Array:
    """Return R v for matrices (..., 3, 3) and vectors (..., 3); leading dimensions broadcast."""
    R, v = checked(rotation, (3, 3), "rotation"), checked(vector, (3,), "vector")
    leading(rotation=R.shape[:-2], vector=v.shape[:-1])
    result: Array = np.matvec(R, v)
    return result


def nearest_rotation(matrix: ArrayLike) -> Array:
    """Return the rotation nearest to a matrix in the sum of squared differences.

    With the singular value decomposition M = U S V', it is U diag(1, 1, det(U V')) V'.

    Raises:
        DescriptionError: When the matrix has rank below 2, so that no one rotation is nearest.
    """
    m = checked(matrix, (3, 3), "matrix")
    U, values, V = np.linalg.svd(m)
    flat = values[..., 1] <= RANK * values[..., 0]
    if flat.any():
        raise DescriptionError(
            "no rotation is nearest",
            element="matrix",
            value=m[tuple(np.argwhere(flat)[0])].tolist(),
            allowed="a matrix of rank 2 or 3",
        )
    U[..., 2] *= np.sign(np.linalg.det(U @ V))[..., None]
    result: Array = U @ V
    return result


def is_rotation(matrix: ArrayLike, tolerance: float = ORTHONORMAL) -> Flags:
    """Whether matrices (..., 3, 3) are orthonormal and right-handed; not, where they hold nan."""
    result: Flags = off_rotation(checked(matrix, (3, 3), "matrix", finite=False)) <= tolerance
    return result
