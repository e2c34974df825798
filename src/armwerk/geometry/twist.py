"""Twists (v, w) of rigid motion, screws, adjoints, exponential and logarithm of transforms.

A twist has the velocity v [m/s, or m] of the body point that is at the origin, and the angular
velocity w [rad/s, or rad], both in the coordinates of the origin's frame. Order: v, then w.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.geometry.arguments import (
    NO_LENGTH,
    checked,
    direction,
    leading,
    length,
    transform_argument,
)
from armwerk.geometry.quaternion import sinc
from armwerk.geometry.rotation import rotation_exp, rotation_log, skew, unskew
from armwerk.geometry.transforms import transform

SERIES = 0.1
"""[rad] below which the coefficients with 0/0 come from four terms of their power series; the
first term left out is then below the last digit."""

FAR_AXIS = 1e12
"""[m] from the origin beyond which an axis of rotation is taken for a translation."""


class Screw(NamedTuple):
    """A twist as a turn about a line in space with an advance along it.

    Attributes:
        axis: Unit direction of the line. Shape (..., 3).
        point: Point of the line nearest to the origin [m]. Shape (..., 3).
        pitch: Advance per angle [m/rad]; infinite for a translation. Shape (...).
        magnitude: Angle [rad], for a translation length [m]; 0 for no motion. Shape (...).
    """

    axis: Array
    point: Array
    pitch: Array
    magnitude: Array


def twist_hat(twist: ArrayLike) -> Array:
    """Return [[[w], v], [0 0 0 0]]. Shape (..., 4, 4)."""
    xi = checked(twist, (6,), "twist")
    result = np.zeros((*xi.shape[:-1], 4, 4))
    result[..., :3, :3] = skew(xi[..., 3:])
    result[..., :3, 3] = xi[..., :3]
    return result


def twist_vee(matrix: ArrayLike) -> Array:
    """Return the twist (v, w) of a matrix [[[w], v], [0 0 0 0]]. Shape (..., 6)."""
    m = checked(matrix, (4, 4), "matrix")
    return np.concatenate([m[..., :3, 3], unskew(m[..., :3, :3])], axis=-1)


def screw_twist(axis: ArrayLike, point: ArrayLike, pitch: ArrayLike = 0.0) -> Array:
    """Return the twist (p × n + h n, n) of one radian about a line. Shape (..., 6).

    Args:
        axis: Direction of the line, any length but zero. Shape (..., 3).
        point: Any point p of the line [m]. Shape (..., 3).
        pitch: Advance h along the axis per angle [m/rad]. Shape (...).
    """
    n, p = direction(axis, "axis"), checked(point, (3,), "point")
    h = checked(pitch, (), "pitch")
    shape = leading(axis=n.shape[:-1], point=p.shape[:-1], pitch=h.shape)
    v = np.cross(p, n) + h[..., None] * n
    w = np.broadcast_to(n, (*shape, 3))
    return np.concatenate([v, w], axis=-1)


def revolute_twist(axis: ArrayLike, point: ArrayLike) -> Array:
    """Return the twist (p × n, n) of a revolute axis n through point p [m]. Shape (..., 6)."""
    return screw_twist(axis, point)


def prismatic_twist(axis: ArrayLike) -> Array:
    """Return the twist (n, 0) of a prismatic axis of direction n. Shape (..., 6)."""
    n = direction(axis, "axis")
    return np.concatenate([n, np.zeros_like(n)], axis=-1)


def screw_from_twist(twist: ArrayLike) -> Screw:
    """Return line, pitch and magnitude of a twist.

    With w not zero: axis w/|w|, point w × v/|w|², pitch w·v/|w|², magnitude |w|. With w zero: a
    translation of length |v| along v. No motion at all has axis z and pitch 0.
    """
    xi = checked(twist, (6,), "twist")
    v, w = xi[..., :3], xi[..., 3:]
    speed, rate = length(v), length(w)
    turns = (rate >= NO_LENGTH) & (speed <= FAR_AXIS * rate)
    moves = ~turns & (speed >= NO_LENGTH)
    divisor = np.where(turns, rate, np.where(moves, speed, 1.0))
    still = (0.0, 0.0, 1.0)
    axis = np.where(turns[..., None], w, v) / divisor[..., None]
    axis = np.where((turns | moves)[..., None], axis, still)
    v_per_rate = v / divisor[..., None]
    point = np.where(turns[..., None], np.cross(axis, v_per_rate), 0.0)
    pitch = np.where(turns, np.vecdot(axis, v_per_rate), np.where(moves, np.inf, 0.0))
    magnitude = np.where(turns, rate, np.where(moves, speed, 0.0))
    return Screw(axis, point, pitch, magnitude)


def adjoint(transform: ArrayLike) -> Array:
    """Return Ad(T) = [[R, [p] R], [0, R]], which carries twists to the other frame.

    twist_world = Ad(T_world_body) twist_body. Shape (..., 6, 6).
    """
    T = transform_argument(transform, "transform")
    R = T[..., :3, :3]
    result = np.zeros((*T.shape[:-2], 6, 6))
    result[..., :3, :3] = result[..., 3:, 3:] = R
    result[..., :3, 3:] = skew(T[..., :3, 3]) @ R
    return result


def twist_adjoint(twist: ArrayLike) -> Array:
    """Return ad(xi) = [[[w], [v]], [0, [w]]]; ad(xi) eta is the Lie bracket. Shape (..., 6, 6)."""
    xi = checked(twist, (6,), "twist")
    result = np.zeros((*xi.shape[:-1], 6, 6))
    result[..., :3, :3] = result[..., 3:, 3:] = skew(xi[..., 3:])
    result[..., :3, 3:] = skew(xi[..., :3])
    return result


def twist_exp(twist: ArrayLike, theta: ArrayLike = 1.0) -> Array:
    """Return exp(hat(twist)·theta), the transform after moving on a screw. Shape (..., 4, 4).

    R = exp([w]) and p = V v with V = 1 + (1 - cos t)/t² [w] + (t - sin t)/t³ [w]², t = |w|,
    all with v and w multiplied by theta.

    Args:
        twist: Shape (..., 6).
        theta: Joint angle [rad] or path [m] along a unit twist. Shape (...).
    """
    xi, angle = checked(twist, (6,), "twist"), checked(theta, (), "theta")
    leading(twist=xi.shape[:-1], theta=angle.shape)
    xi = xi * angle[..., None]
    v, w = xi[..., :3], xi[..., 3:]
    t = length(w)
    w_v = np.cross(w, v)
    first = 0.5 * sinc(0.5 * t) ** 2
    p = v + first[..., None] * w_v + _exp_coefficient(t)[..., None] * np.cross(w, w_v)
    return transform(rotation_exp(w), p)


def twist_log(transform: ArrayLike) -> Array:
    """Return the twist with exp(hat(twist)) = T and the least angle, at most pi. Shape (..., 6).

    w = log R and v = V⁻¹ p with V⁻¹ = 1 - [w]/2 + (1 - (t/2) cot(t/2))/t² [w]², t = |w|. Both are
    regular on all of [0, pi]. At a half turn the sign of w is chosen as in `rotation_log`.
    """
    T = transform_argument(transform, "transform")
    w, p = rotation_log(T[..., :3, :3]), T[..., :3, 3]
    w_p = np.cross(w, p)
    second = _log_coefficient(length(w))
    v = p - 0.5 * w_p + second[..., None] * np.cross(w, w_p)
    return np.concatenate([v, w], axis=-1)


def _exp_coefficient(t: Array) -> Array:
    """Return (t - sin t)/t³."""
    small = t < SERIES
    x = np.where(small, t * t, 0.0)
    series = 1 / 6 - x / 120 * (1 - x / 42 * (1 - x / 72))
    far = np.where(small, 1.0, t)
    result: Array = np.where(small, series, (far - np.sin(far)) / far**3)
    return result


def _log_coefficient(t: Array) -> Array:
    """Return (1 - (t/2) cot(t/2))/t² for t in [0, pi]."""
    small = t < SERIES
    x = np.where(small, t * t, 0.0)
    series = 1 / 12 + x / 720 * (1 + x / 42 * (1 + x / 40))
    half = 0.5 * np.where(small, 1.0, t)
    closed = (1 - half * np.cos(half) / np.sin(half)) / (4 * half * half)
    result: Array = np.where(small, series, closed)
    return result
