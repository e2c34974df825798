"""The rotation with zero roll that takes one point to another.

Many rotations about the origin take a point a to a point b at the same distance. The one with
roll 0 has ArmBot's angles (α, β, 0), see `armwerk.geometry.euler`:

    forward   R = Ry(-β) Rz(α)    first in the x-y plane, then in the x-z plane
    reverse   R = Rz(α) Ry(-β)    first in the x-z plane, then in the x-y plane

Solvability (forward): the turn in the x-z plane leaves y alone, so the turn in the x-y plane must
bring a to y = b_y. It moves a on a circle of radius h, h² = a_x² + a_y², so x becomes ±s with
s² = h² - b_y². There are two solutions, one when s = 0, none when |b_y| > h. Then

    α = atan2(b_y, ±s) - atan2(a_y, a_x),    β = atan2(b_z, b_x) - atan2(a_z, ±s)

Reverse is the same with y and z exchanged, and α and β with them. Because |a| = |b|, also
s² = b_x² + b_z² - a_z². The difference of squares with the smaller terms is used: next to the
poles the other one would lose half of the digits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError
from armwerk.geometry.arguments import NO_LENGTH, checked, leading, length
from armwerk.geometry.euler import ArmbotOrder, is_reverse, rotation_from_armbot
from armwerk.geometry.rotation import wrap_angle

SAME_LENGTH = 1e-9
"""Share of the length by which |a| and |b| may differ, and by which b may miss the band that a
can reach: positions that come out of a chain of joints are better than this."""

TIE = 1e-12
"""Difference of cos(angle/2) below which two solutions count as equally good."""


def zero_roll_angles(start: ArrayLike, goal: ArrayLike, order: ArmbotOrder = "forward") -> Array:
    """Return both pairs (α, β) that turn ``start`` to ``goal`` without roll [rad].

    Args:
        start: Point a [m]. Shape (..., 3).
        goal: Point b with |b| = |a| [m]. Shape (..., 3).
        order: "forward": x-y plane first. "reverse": x-z plane first.

    Returns:
        Shape (..., 2, 2): solution with +s, solution with -s; columns α (x-y plane) and β
        (x-z plane), in (-pi, pi]. All nan where there is none; the same twice where s = 0.
        An angle that does not matter (a or b on the axis of that turn) is counted from 0.

    Raises:
        DescriptionError: When the two are not equally far from the origin.
    """
    a, b = checked(start, (3,), "start"), checked(goal, (3,), "goal")
    leading(start=a.shape[:-1], goal=b.shape[:-1])
    swap = is_reverse(order)
    if swap:
        a, b = a[..., [0, 2, 1]], b[..., [0, 2, 1]]
    radius, b = _same_length(a, b)
    s = _turned_x(a, b, radius)
    s = np.stack([s, -s], axis=-1) + 0.0  # atan2 would tell -0 from 0
    ax, ay, az = (a[..., i, None] for i in range(3))
    bx, by, bz = (b[..., i, None] for i in range(3))
    first = np.arctan2(by, s) - np.arctan2(ay, ax)
    second = np.arctan2(bz, bx) - np.arctan2(az, s)
    angles = np.stack([second, first] if swap else [first, second], axis=-1)
    found = np.isfinite(angles)
    result: Array = np.where(found, wrap_angle(np.where(found, angles, 0.0)), np.nan)
    return result


def zero_roll_rotations(start: ArrayLike, goal: ArrayLike, order: ArmbotOrder = "forward") -> Array:
    """Return both rotations without roll that take ``start`` to ``goal``.

    Arguments and order of the solutions are those of `zero_roll_angles`.

    Returns:
        Shape (..., 2, 3, 3); all nan where there is none.
    """
    angles = zero_roll_angles(start, goal, order)
    found = np.isfinite(angles[..., :1])  # a pair is found or nan as a whole
    safe = np.where(found, angles, 0.0)
    abc = np.concatenate([safe, np.zeros_like(safe[..., :1])], axis=-1)
    result: Array = np.where(found[..., None], rotation_from_armbot(abc, order), np.nan)
    return result


def zero_roll_rotation(start: ArrayLike, goal: ArrayLike, order: ArmbotOrder = "forward") -> Array:
    """Return the zero-roll rotation that turns less; the one with +s when both turn equally.

    Arguments are those of `zero_roll_angles`.

    Returns:
        Shape (..., 3, 3); all nan where there is none.
    """
    angles = zero_roll_angles(start, goal, order)
    # |w| of the quaternion is cos(angle/2) of the whole rotation; nan compares as not better.
    closeness = np.abs(np.cos(angles[..., 0] / 2) * np.cos(angles[..., 1] / 2))
    second = closeness[..., 1] > closeness[..., 0] + TIE
    rotations = zero_roll_rotations(start, goal, order)
    result: Array = np.where(
        second[..., None, None], rotations[..., 1, :, :], rotations[..., 0, :, :]
    )
    return result


def _same_length(a: Array, b: Array) -> tuple[Array, Array]:
    """Return |a|, and b brought to exactly that length."""
    of_a, of_b = length(a), length(b)
    wrong = np.abs(of_a - of_b) > SAME_LENGTH * np.maximum(of_a, of_b)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        far_a, far_b = np.broadcast_arrays(of_a, of_b)
        raise DescriptionError(
            f"start is {far_a[place]:.12g} m from the origin, goal {far_b[place]:.12g} m",
            element="start and goal",
            allowed="equal distances; a rotation keeps them",
        )
    scale = np.where(of_b < NO_LENGTH, 1.0, of_a / np.where(of_b < NO_LENGTH, 1.0, of_b))
    return np.broadcast_arrays(of_a, of_b)[0], b * scale[..., None]


def _turned_x(a: Array, b: Array, radius: Array) -> Array:
    """Return s = |x| of a after the first turn; nan where the turn cannot reach b_y."""
    h, g = np.hypot(a[..., 0], a[..., 1]), np.hypot(b[..., 0], b[..., 2])
    of_start = h <= g
    large = np.where(of_start, h, g)
    small = np.abs(np.where(of_start, b[..., 1], a[..., 2]))
    reachable = large - small >= -SAME_LENGTH * radius
    square = np.maximum(large - small, 0.0) * (large + small)
    result: Array = np.where(reachable, np.sqrt(square), np.nan)
    return result
