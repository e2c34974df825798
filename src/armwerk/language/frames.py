"""Positions, orientations and poses of IRL: lists of floats, millimetres and degrees.

A statement handles one pose at a time, for which Python's floats are ten times as fast as arrays;
the formulas are those of `armwerk.geometry`, and the tests compare them.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from armwerk.language.arithmetic import Fault, finite

Row: TypeAlias = list[float]
Pose: TypeAlias = list[Row]
_SMALL = 1e-9


def add_rows(a: Row, b: Row) -> Row:
    """Return a + b."""
    return [finite(x + y) for x, y in zip(a, b, strict=True)]


def subtract_rows(a: Row, b: Row) -> Row:
    """Return a - b."""
    return [finite(x - y) for x, y in zip(a, b, strict=True)]


def scale(factor: float, a: Row) -> Row:
    """Return a times a number."""
    return [finite(factor * x) for x in a]


def scaled(a: Row, factor: float) -> Row:
    """Return a times a number."""
    return scale(factor, a)


def divided(a: Row, factor: float) -> Row:
    """Return a by a number."""
    if factor == 0:
        raise Fault("division by zero")
    return [finite(x / factor) for x in a]


def negative(a: Row) -> Row:
    """Return -a."""
    return [-x for x in a]


def cross(a: Row, b: Row) -> Row:
    """Return the vector product."""
    return [
        finite(a[1] * b[2] - a[2] * b[1]),
        finite(a[2] * b[0] - a[0] * b[2]),
        finite(a[0] * b[1] - a[1] * b[0]),
    ]


def dot(a: Row, b: Row) -> float:
    """Return the scalar product."""
    return finite(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def length(a: Row) -> float:
    """Return the length of a vector."""
    return finite(math.hypot(*a))


def distance(a: Row, b: Row) -> float:
    """Return how far two positions are apart."""
    return finite(math.dist(a, b))


def unit_quaternion(w: float, x: float, y: float, z: float) -> Row:
    """Return the orientation of a quaternion of any length, scalar first."""
    size = math.hypot(w, x, y, z)
    if not _SMALL < size < math.inf:
        raise Fault("a quaternion of length zero is no orientation")
    return [w / size, x / size, y / size, z / size]


def product(a: Row, b: Row) -> Row:
    """Return the Hamilton product of two orientations."""
    w, x, y, z = a
    W, X, Y, Z = b
    return [
        w * W - x * X - y * Y - z * Z,
        w * X + x * W + y * Z - z * Y,
        w * Y - x * Z + y * W + z * X,
        w * Z + x * Y - y * X + z * W,
    ]


def conjugate(a: Row) -> Row:
    """Return the inverse of an orientation."""
    return [a[0], -a[1], -a[2], -a[3]]


def rotated(a: Row, p: Row) -> Row:
    """Return a position turned by an orientation."""
    w, x, y, z = a
    tx = 2.0 * (y * p[2] - z * p[1])
    ty = 2.0 * (z * p[0] - x * p[2])
    tz = 2.0 * (x * p[1] - y * p[0])
    return [
        finite(p[0] + w * tx + y * tz - z * ty),
        finite(p[1] + w * ty + z * tx - x * tz),
        finite(p[2] + w * tz + x * ty - y * tx),
    ]


def composed(a: Pose, b: Pose) -> Pose:
    """Return the pose b seen from a."""
    return [add_rows(a[0], rotated(a[1], b[0])), unit_quaternion(*product(a[1], b[1]))]


def placed(a: Pose, p: Row) -> Row:
    """Return the position p seen from a."""
    return add_rows(a[0], rotated(a[1], p))


def inverted(a: Pose) -> Pose:
    """Return the inverse of a pose."""
    turned = conjugate(a[1])
    return [negative(rotated(turned, a[0])), turned]


def about(axis: Row, angle: float) -> Row:
    """Return the orientation turned about an axis by an angle [deg]."""
    size = math.hypot(*axis)
    if not _SMALL < size < math.inf:
        raise Fault("an axis of length zero has no direction")
    half = math.radians(angle) / 2.0
    s = math.sin(half) / size
    return [math.cos(half), s * axis[0], s * axis[1], s * axis[2]]


_AXES = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}


def euler(axes: str, a: float, b: float, c: float) -> Row:
    """Return the orientation of three turns, each about an axis of the frame before it [deg]."""
    turns = [about(_AXES[axis], angle) for axis, angle in zip(axes, (a, b, c), strict=True)]
    return product(product(turns[0], turns[1]), turns[2])


def columns(a: Row) -> list[Row]:
    """Return the columns n, o, a of the rotation matrix."""
    return [rotated(a, _AXES[axis]) for axis in "xyz"]


def from_columns(n: Row, o: Row, a: Row) -> Row:
    """Return the orientation whose axes are three columns."""
    if abs(dot(cross(n, o), a) - 1.0) > 1e-4 or abs(dot(n, o)) > 1e-4:
        raise Fault("the three vectors are no right-handed frame of unit length")
    w = 1.0 + n[0] + o[1] + a[2]
    x = 1.0 + n[0] - o[1] - a[2]
    y = 1.0 - n[0] + o[1] - a[2]
    z = 1.0 - n[0] - o[1] + a[2]
    largest = max(w, x, y, z)
    if largest == w:
        return unit_quaternion(w, o[2] - a[1], a[0] - n[2], n[1] - o[0])
    if largest == x:
        return unit_quaternion(o[2] - a[1], x, n[1] + o[0], a[0] + n[2])
    if largest == y:
        return unit_quaternion(a[0] - n[2], n[1] + o[0], y, o[2] + a[1])
    return unit_quaternion(n[1] - o[0], a[0] + n[2], o[2] + a[1], z)


def turn_angle(a: Row) -> float:
    """Return the angle by which an orientation turns [deg], 0 to 360."""
    return math.degrees(2.0 * math.atan2(math.hypot(*a[1:]), a[0])) % 360.0


def turn_axis(a: Row) -> Row:
    """Return the axis about which an orientation turns; z where it does not turn."""
    size = math.hypot(*a[1:])
    return [0.0, 0.0, 1.0] if size < _SMALL else [x / size for x in a[1:]]


ANGLE_MODES = {"zyx": "zyx", "xyz": "xyz", "yxz": "yxz", "zyz2": "zyz", "rs": "zyx"}


def angles(mode: str, a: Row) -> Row:
    """Return the three angles of an orientation [deg], 0 to 360, in the order of their turns.

    Args:
        mode: "zyx", "xyz", "yxz", "zyz2" or "rs".
        a: The orientation.
    """
    axes = ANGLE_MODES.get(mode.lower())
    if axes is None:
        raise Fault(f"angles of mode '{mode[:20]}' are unknown (ZYX, XYZ, YXZ, ZYZ2, RS)")
    m = columns(a)  # m[column][row]
    i, j = "xyz".index(axes[0]), "xyz".index(axes[1])
    k = 3 - i - j
    if axes[0] == axes[2]:  # proper Euler angles about z, y, z
        middle = math.atan2(math.hypot(m[2][0], m[2][1]), m[2][2])
        if math.sin(middle) < _SMALL:
            first, last = math.atan2(m[0][1], m[0][0] if m[2][2] > 0 else m[1][1]), 0.0
        else:
            first, last = math.atan2(m[2][1], m[2][0]), math.atan2(m[1][2], -m[0][2])
    else:
        sign = 1.0 if (i, j) in ((0, 1), (1, 2), (2, 0)) else -1.0
        middle = math.atan2(sign * m[k][i], math.hypot(m[i][i], m[j][i]))
        if abs(math.cos(middle)) < _SMALL:
            first, last = math.atan2(sign * m[j][k], m[j][j]), 0.0
        else:
            first = math.atan2(-sign * m[k][j], m[k][k])
            last = math.atan2(-sign * m[j][i], m[i][i])
    return [math.degrees(value) % 360.0 for value in (first, middle, last)]


def angle_about(axis: str, mode: str, a: Row) -> float:
    """Return the angle of one axis in a mode [deg]; "z2" is the second turn about z."""
    three = angles(mode, a)
    axes = ANGLE_MODES[mode.lower()]
    if axis == "z2":
        if axes[2] != "z" or axes[0] != "z":
            raise Fault(f"mode '{mode}' has no second turn about z")
        return three[2]
    if axis not in axes:
        raise Fault(f"mode '{mode}' has no turn about {axis}")
    return three[axes.index(axis)]
