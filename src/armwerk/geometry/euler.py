"""Three angles (a, b, c) about z, y and x for a rotation, in three orders.

    zyx              R = Rz(a)  Ry(b)  Rx(c)     Z-Y'-X'': about z, the new y, the newest x
    armbot           R = Rx(c)  Ry(-b) Rz(a)     turn in the x-y, x-z, y-z plane, fixed axes
    armbot_reverse   R = Rz(a)  Ry(-b) Rx(c)     turn in the y-z, x-z, x-y plane, fixed axes

ArmBot counts b from x towards z, which is a negative turn about y: its matrix is
[[cb, 0, -sb], [0, 1, 0], [sb, 0, cb]]. Both of its orders follow from the first one:
armbot_reverse(a, b, c) = zyx(a, -b, c), and armbot(a, b, c) is the transpose of zyx(-a, b, -c).

From a matrix, b is in [-pi/2, pi/2], a and c in (-pi, pi]; `other_angles` gives the second set.
At b = ±pi/2 only one combination of a and c matters; then c = 0 is returned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armwerk.arrays import Array
from armwerk.errors import UnknownNameError
from armwerk.geometry.arguments import checked, rotation_argument
from armwerk.geometry.rotation import rotation_x, rotation_y, rotation_z, wrap_angle

AngleOrder: TypeAlias = Literal["zyx", "armbot", "armbot_reverse"]
ArmbotOrder: TypeAlias = Literal["forward", "reverse"]

SINGULAR = 1e-12
"""cos(b) below which c = 0 is chosen. Rounding of a chain of matrices stays below it, and the
matrix is still reproduced to about this number. Above it all three angles are regular."""


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
