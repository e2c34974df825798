"""A platform followed along a course of leg lengths, each pose from the one before.

Newton's method from the pose before stays in the assembly mode in which the course began; where
the legs no longer determine the plate it ends. How far off that is, is told by a margin: the
reciprocal Frobenius norm of the inverse of the leg Jacobian (its turning half divided by the size
of the plate), with the sign of its determinant. It is at most the smallest singular value, and 0
in a singular pose.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

FOUND = 1e-11  # [m] error of a leg up to which a pose counts as found
MOST_STEPS = 10  # Newton needs 2 or 3 between neighbours
LARGEST_STEP = 0.2  # of Newton, as a share of the plate's size: farther off it is not a neighbour


@inner
def _invert(matrix: Array, inverse: Array) -> float:
    """Write the inverse of a 6 x 6 matrix, which is destroyed; return its determinant."""
    n = matrix.shape[0]
    determinant = 1.0
    for i in range(n):
        for j in range(n):
            inverse[i, j] = 1.0 if i == j else 0.0
    for i in range(n):
        pivot = i
        for k in range(i + 1, n):
            if abs(matrix[k, i]) > abs(matrix[pivot, i]):
                pivot = k
        if matrix[pivot, i] == 0.0:
            return 0.0
        if pivot != i:
            determinant = -determinant
            for j in range(n):
                matrix[i, j], matrix[pivot, j] = matrix[pivot, j], matrix[i, j]
                inverse[i, j], inverse[pivot, j] = inverse[pivot, j], inverse[i, j]
        determinant *= matrix[i, i]
        scale = 1.0 / matrix[i, i]
        for j in range(n):
            matrix[i, j] *= scale
            inverse[i, j] *= scale
        for k in range(n):
            if k == i:
                continue
            factor = matrix[k, i]
            for j in range(n):
                matrix[k, j] -= factor * matrix[i, j]
                inverse[k, j] -= factor * inverse[i, j]
    return determinant


@inner
def _legs(
    feet: Array, anchors: Array, lengths: Array, pose: Array, size: float, jac: Array, miss: Array
) -> float:
    """Write the scaled leg Jacobian and what each leg misses; return the largest miss [m]."""
    largest = 0.0
    for i in range(6):
        ax = pose[0, 0] * anchors[i, 0] + pose[0, 1] * anchors[i, 1] + pose[0, 2] * anchors[i, 2]
        ay = pose[1, 0] * anchors[i, 0] + pose[1, 1] * anchors[i, 1] + pose[1, 2] * anchors[i, 2]
        az = pose[2, 0] * anchors[i, 0] + pose[2, 1] * anchors[i, 1] + pose[2, 2] * anchors[i, 2]
        x = ax + pose[0, 3] - feet[i, 0]
        y = ay + pose[1, 3] - feet[i, 1]
        z = az + pose[2, 3] - feet[i, 2]
        length = math.sqrt(x * x + y * y + z * z)
        miss[i] = length - lengths[i]
        largest = max(largest, abs(miss[i]))
        x, y, z = x / length, y / length, z / length
        jac[i, 0], jac[i, 1], jac[i, 2] = x, y, z
        jac[i, 3] = (ay * z - az * y) / size
        jac[i, 4] = (az * x - ax * z) / size
        jac[i, 5] = (ax * y - ay * x) / size
    return largest


@inner
def _shift(pose: Array, twist: Array, work: Array) -> None:
    """Shift a pose by v and turn it by exp(w) about its origin, in the base frame."""
    x, y, z = twist[3], twist[4], twist[5]
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    one = math.sin(angle) / angle if angle > 1e-8 else 1.0
    two = (1.0 - math.cos(angle)) / square if angle > 1e-4 else 0.5
    work[0, 0], work[0, 1], work[0, 2] = 1 - two * (y * y + z * z), two * x * y, two * x * z
    work[1, 0], work[1, 1], work[1, 2] = two * x * y, 1 - two * (x * x + z * z), two * y * z
    work[2, 0], work[2, 1], work[2, 2] = two * x * z, two * y * z, 1 - two * (x * x + y * y)
    work[0, 1] -= one * z
    work[0, 2] += one * y
    work[1, 0] += one * z
    work[1, 2] -= one * x
    work[2, 0] -= one * y
    work[2, 1] += one * x
    for j in range(3):
        a, b, c = pose[0, j], pose[1, j], pose[2, j]
        for i in range(3):
            pose[i, j] = work[i, 0] * a + work[i, 1] * b + work[i, 2] * c
    # rounding of many products: one Newton step towards the nearest rotation
    for i in range(3):
        for j in range(3):
            dot = 0.0
            for k in range(3):
                dot += pose[k, i] * pose[k, j]
            work[i, j] = (1.5 if i == j else 0.0) - 0.5 * dot
    for i in range(3):
        a, b, c = pose[i, 0], pose[i, 1], pose[i, 2]
        for j in range(3):
            pose[i, j] = a * work[0, j] + b * work[1, j] + c * work[2, j]
        pose[i, 3] += twist[i]


@entry("i8(f8[:,:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8, f8[:,:,::1], f8[::1])")
def track(
    feet: Array,
    anchors: Array,
    lengths: Array,
    start: Array,
    size: float,
    poses: Array,
    margins: Array,
) -> int:
    """Follow a platform; return how many rows were found before its legs no longer hold it.

    Args:
        feet: In the base frame [m]. Shape (m, 6, 3).
        anchors: In the plate frame [m]. Shape (6, 3).
        lengths: [m]. Shape (m, 6).
        start: T_base_plate near the first row. Shape (4, 4).
        size: Of the plate [m].
        poses: Filled up to the number returned; nan from there on. Shape (m, 4, 4).
        margins: Of every pose, signed; nan likewise. Shape (m,).
    """
    jacobian, inverse, work = np.empty((6, 6)), np.empty((6, 6)), np.empty((3, 3))
    miss, twist = np.empty(6), np.empty(6)
    pose = start.copy()
    poses[:], margins[:] = np.nan, np.nan
    for k in range(len(lengths)):
        largest, steps = np.inf, 0
        while True:
            before = largest
            largest = _legs(feet[k], anchors, lengths[k], pose, size, jacobian, miss)
            determinant = _invert(jacobian, inverse)
            # the last step of all polishes: a level that rounding ends
            if largest < FOUND and (largest == 0.0 or largest >= 0.5 * before):
                break
            if determinant == 0.0 or not largest < np.inf or steps >= MOST_STEPS:
                return k
            moved = 0.0
            for i in range(6):
                twist[i] = 0.0
                for j in range(6):
                    twist[i] -= inverse[i, j] * miss[j]
                moved = max(moved, abs(twist[i]))
            if moved > LARGEST_STEP * max(size, 1e-300) and k > 0:
                return k
            for i in range(3, 6):
                twist[i] /= size
            _shift(pose, twist, work)
            steps += 1
        norm = 0.0
        for i in range(6):
            for j in range(6):
                norm += inverse[i, j] * inverse[i, j]
        poses[k] = pose
        margins[k] = math.copysign(1.0 / math.sqrt(norm), determinant)
        if margins[k] * margins[0] <= 0.0:
            return k
    return len(lengths)
