"""Unit quaternions (w, x, y, z) with w = cos(angle/2) and (x, y, z) = axis sin(angle/2).

Both q and -q are the same rotation; what this module returns from a matrix or a rotation vector
has the canonical sign (first component that is not zero is positive, so w >= 0).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, ShapeError
from armwerk.geometry.arguments import checked, direction, leading, length, rotation_argument


def quaternion_normalised(quaternion: ArrayLike) -> Array:
    """Return unit quaternions. Shape (..., 4).

    Raises:
        DescriptionError: When one is zero.
    """
    return direction(quaternion, "quaternion", 4)


def quaternion_canonical(quaternion: ArrayLike) -> Array:
    """Return the one of q and -q whose first component other than zero is positive."""
    q = checked(quaternion, (4,), "quaternion")
    first = np.argmax(q != 0, axis=-1)[..., None]
    negative = np.take_along_axis(q, first, axis=-1) < 0
    result: Array = np.where(negative, -q, q) + 0.0  # no negative zeros
    return result


def quaternion_product(first: ArrayLike, second: ArrayLike) -> Array:
    """Return the Hamilton product; as rotations, ``second`` acts first. Shape (..., 4)."""
    p, q = checked(first, (4,), "first"), checked(second, (4,), "second")
    leading(first=p.shape[:-1], second=q.shape[:-1])
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            pw * qw - px * qx - py * qy - pz * qz,
            pw * qx + px * qw + py * qz - pz * qy,
            pw * qy - px * qz + py * qw + pz * qx,
            pw * qz + px * qy - py * qx + pz * qw,
        ],
        axis=-1,
    )


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """Return (w, -x, -y, -z), for a unit quaternion the inverse rotation. Shape (..., 4)."""
    return checked(quaternion, (4,), "quaternion") * (1.0, -1.0, -1.0, -1.0) + 0.0


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Return the canonical quaternion of a rotation matrix (..., 3, 3). Shape (..., 4).

    The entries of R give all ten products 4 q_i q_j without a root. The row of 4 q q' with the
    largest square on its diagonal, normalised, is q; it never divides by a small number.
    """
    R = rotation_argument(rotation, "rotation")
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    wx = R[..., 2, 1] - R[..., 1, 2]
    wy = R[..., 0, 2] - R[..., 2, 0]
    wz = R[..., 1, 0] - R[..., 0, 1]
    xy = R[..., 0, 1] + R[..., 1, 0]
    xz = R[..., 0, 2] + R[..., 2, 0]
    yz = R[..., 1, 2] + R[..., 2, 1]
    products = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    rows = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return quaternion_canonical(rows / length(rows)[..., None])


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix of a quaternion of any length but zero. Shape (..., 3, 3)."""
    q = quaternion_normalised(quaternion)
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_exp(vector: ArrayLike) -> Array:
    """Return the quaternion of a rotation vector axis·angle (..., 3) [rad]. Shape (..., 4).

    Not made canonical: the quaternion goes on continuously past angle pi.
    """
    v = checked(vector, (3,), "vector")
    half = 0.5 * length(v)
    return np.concatenate([np.cos(half)[..., None], 0.5 * sinc(half)[..., None] * v], axis=-1)


def quaternion_log(quaternion: ArrayLike) -> Array:
    """Return the rotation vector axis·angle, angle from 0 to pi [rad]. Shape (..., 3).

    angle = 2 atan2(|(x, y, z)|, w) keeps its digits at 0 and at pi alike. At pi, where axis and
    -axis are the same, the canonical sign decides.
    """
    q = quaternion_canonical(quaternion_normalised(quaternion))
    sine = length(q[..., 1:])
    angle = 2 * np.arctan2(sine, q[..., 0])
    scale = np.where(sine > 0, angle / np.where(sine > 0, sine, 1.0), 2.0)
    result: Array = scale[..., None] * q[..., 1:]
    return result


def quaternion_rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """Return vectors (..., 3) turned by unit quaternions (..., 4). Shape (..., 3)."""
    q, v = quaternion_normalised(quaternion), checked(vector, (3,), "vector")
    leading(quaternion=q.shape[:-1], vector=v.shape[:-1])
    twice = 2 * np.cross(q[..., 1:], v)
    result: Array = v + q[..., :1] * twice + np.cross(q[..., 1:], twice)
    return result


def quaternion_slerp(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Return quaternions on the shorter great arc from ``start`` to ``end``. Shape (..., 4).

    The rotation turns about a fixed axis in proportion to ``share``. When the two are exactly
    half a turn apart, both ways are equally long and the given signs decide.

    Args:
        start: Where share 0 is. Shape (..., 4).
        end: Where share 1 is, or its negative. Shape (..., 4).
        share: Part of the way; outside 0 … 1 the arc is continued. Shape (...), broadcast
            against the leading dimensions of the other two.
    """
    p, q = direction(start, "start", 4), direction(end, "end", 4)
    s = checked(share, (), "share")
    leading(start=p.shape[:-1], end=q.shape[:-1], share=s.shape)
    q = np.where(np.vecdot(p, q)[..., None] < 0, -q, q)
    angle = 2 * np.arctan2(length(q - p), length(q + p))
    # sin(s·angle)/sin(angle) written with sinc has no 0/0 at angle 0; angle is at most pi/2.
    from_start = (1 - s) * sinc((1 - s) * angle) / sinc(angle)
    from_end = s * sinc(s * angle) / sinc(angle)
    return quaternion_normalised(from_start[..., None] * p + from_end[..., None] * q)


def quaternion_average(quaternions: ArrayLike, weights: ArrayLike | None = None) -> Array:
    """Return the rotation nearest to m rotations in the least-squares sense. Shape (..., 4).

    It is the eigenvector of sum(w_i q_i q_i') with the largest eigenvalue, so the signs of the
    q_i do not matter.

    Args:
        quaternions: Shape (..., m, 4), m at least 1.
        weights: Not negative, not all zero. Shape (..., m). None: all equal.
    """
    q = direction(quaternions, "quaternions", 4)
    if q.ndim < 2 or q.shape[-2] == 0:
        raise ShapeError(f"quaternions: shape must be (..., m, 4) with m > 0, got {q.shape}")
    w = np.ones(q.shape[-2]) if weights is None else checked(weights, q.shape[-2:-1], "weights")
    leading(quaternions=q.shape[:-2], weights=w.shape[:-1])
    if (w < 0).any() or (w.sum(axis=-1) <= 0).any():
        raise DescriptionError(
            "wrong sign", element="weights", value=w.tolist(), allowed="at least 0, not all 0"
        )
    moments = np.swapaxes(q * w[..., None], -1, -2) @ q
    return quaternion_canonical(np.linalg.eigh(moments)[1][..., -1])


def sinc(angle: Array) -> Array:
    """Return sin(angle)/angle, 1 at 0."""
    zero = angle == 0
    result: Array = np.where(zero, 1.0, np.sin(angle) / np.where(zero, 1.0, angle))
    return result
