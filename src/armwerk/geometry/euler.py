"""Three angles (a, b, c) about z, y and x for a rotation, in three orders; the one with zero roll.

    zyx              R = Rz(a)  Ry(b)  Rx(c)     Z-Y'-X'': about z, the new y, the newest x
    armbot           R = Rx(c)  Ry(-b) Rz(a)     turn in the x-y, x-z, y-z plane, fixed axes
    armbot_reverse   R = Rz(a)  Ry(-b) Rx(c)     turn in the y-z, x-z, x-y plane, fixed axes

ArmBot counts b from x towards z, which is a negative turn about y: its matrix is
[[cb, 0, -sb], [0, 1, 0], [sb, 0, cb]]. Both of its orders follow from the first one:
armbot_reverse(a, b, c) = zyx(a, -b, c), and armbot(a, b, c) is the transpose of zyx(-a, b, -c).

From a matrix, b is in [-pi/2, pi/2], a and c in (-pi, pi]; `other_angles` gives the second set.
At b = ±pi/2 only one combination of a and c matters; then c = 0 is returned.

Many rotations about the origin take a point a to a point b at the same distance. The one with
roll 0 has ArmBot's angles (α, β, 0):

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

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import DescriptionError, UnknownNameError
from armwerk.geometry.arguments import NO_LENGTH, checked, leading, length, rotation_argument
from armwerk.geometry.rotation import rotation_x, rotation_y, rotation_z, wrap_angle

AngleOrder: TypeAlias = Literal["zyx", "armbot", "armbot_reverse"]
ArmbotOrder: TypeAlias = Literal["forward", "reverse"]

SINGULAR = 1e-12
"""cos(b) below which c = 0 is chosen. Rounding of a chain of matrices stays below it, and the
matrix is still reproduced to about this number. Above it all three angles are regular."""
SAME_LENGTH = 1e-9
"""Share of the length by which |a| and |b| may differ, and by which b may miss the band that a
can reach: positions that come out of a chain of joints are better than this."""

TIE = 1e-12
"""Difference of cos(angle/2) below which two solutions count as equally good."""


def rotation_from_zyx(angles: ArrayLike) -> Array:
    """Return Rz(a) Ry(b) Rx(c) for angles (a, b, c) [rad]. Shape (..., 3, 3)."""
    a, b, c = np.moveaxis(checked(angles, (3,), "angles"), -1, 0)
    result: Array = rotation_z(a) @ rotation_y(b) @ rotation_x(c)
    return result


def zyx_from_rotation(rotation: ArrayLike) -> Array:
    """Return (a, b, c) [rad] with R = Rz(a) Ry(b) Rx(c). Shape (..., 3).

    c is read from Rz(-a) R, so that it fits whatever a was found: close to b = ±pi/2 the single
    angles are uncertain, but together they give the matrix back to the last digits.
    """
    R = rotation_argument(rotation, "rotation")
    cos_b = np.hypot(R[..., 0, 0], R[..., 1, 0])
    singular = cos_b < SINGULAR
    a_at_singular = np.arctan2(-R[..., 0, 1], R[..., 1, 1])
    a = np.where(singular, a_at_singular, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    b = np.arctan2(-R[..., 2, 0], cos_b)
    sa, ca = np.sin(a), np.cos(a)
    sin_c = sa * R[..., 0, 2] - ca * R[..., 1, 2]
    cos_c = ca * R[..., 1, 1] - sa * R[..., 0, 1]
    c = np.where(singular, 0.0, np.arctan2(sin_c, cos_c))
    return _tidy(np.stack([a, b, c], axis=-1))


def rotation_from_armbot(angles: ArrayLike, order: ArmbotOrder = "forward") -> Array:
    """Return the rotation of ArmBot's angles (a, b, c) [rad]. Shape (..., 3, 3).

    Args:
        angles: a in the x-y plane, b in the x-z plane (from x to z), c in the y-z plane.
        order: "forward": a is applied first, then b, then c. "reverse": c, then b, then a.
    """
    abc = checked(angles, (3,), "angles")
    if is_reverse(order):
        return rotation_from_zyx(abc * (1.0, -1.0, 1.0))
    return np.swapaxes(rotation_from_zyx(abc * (-1.0, 1.0, -1.0)), -1, -2)


def armbot_from_rotation(rotation: ArrayLike, order: ArmbotOrder = "forward") -> Array:
    """Return ArmBot's angles (a, b, c) [rad] of a rotation. Shape (..., 3).

    Args:
        rotation: Shape (..., 3, 3).
        order: As for `rotation_from_armbot`.
    """
    R = rotation_argument(rotation, "rotation")
    if is_reverse(order):
        return _tidy(zyx_from_rotation(R) * (1.0, -1.0, 1.0))
    return _tidy(zyx_from_rotation(np.swapaxes(R, -1, -2)) * (-1.0, 1.0, -1.0))


def other_angles(angles: ArrayLike) -> Array:
    """Return the second set (a + pi, pi - b, c + pi) that gives the same rotation, in any order."""
    abc = checked(angles, (3,), "angles")
    return _tidy(wrap_angle(abc * (1.0, -1.0, 1.0) + np.pi))


def rotation_from_angles(angles: ArrayLike, order: AngleOrder = "zyx") -> Array:
    """Return the rotation of (a, b, c) [rad] in the order of that name. Shape (..., 3, 3)."""
    return _choose(order)[0](angles)


def angles_from_rotation(rotation: ArrayLike, order: AngleOrder = "zyx") -> Array:
    """Return (a, b, c) [rad] of a rotation in the order of that name. Shape (..., 3)."""
    return _choose(order)[1](rotation)


_Conversion: TypeAlias = Callable[[ArrayLike], Array]

ANGLE_ORDERS: dict[str, tuple[_Conversion, _Conversion]] = {
    "zyx": (rotation_from_zyx, zyx_from_rotation),
    "armbot": (rotation_from_armbot, armbot_from_rotation),
    "armbot_reverse": (
        lambda angles: rotation_from_armbot(angles, "reverse"),
        lambda rotation: armbot_from_rotation(rotation, "reverse"),
    ),
}


def _choose(order: str) -> tuple[_Conversion, _Conversion]:
    if order not in ANGLE_ORDERS:
        raise UnknownNameError("order of angles", str(order), ANGLE_ORDERS)
    return ANGLE_ORDERS[order]


def is_reverse(order: str) -> bool:
    """Whether an order of ArmBot's angles is "reverse" and not "forward"."""
    if order not in ("forward", "reverse"):
        raise UnknownNameError("order of ArmBot's angles", str(order), ("forward", "reverse"))
    return order == "reverse"


def _tidy(angles: Array) -> Array:
    """Replace -pi by pi and -0 by 0, which a change of sign may have left."""
    result: Array = np.where(angles <= -np.pi, np.pi, angles) + 0.0
    return result


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
