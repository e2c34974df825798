"""All configurations of a grid of joint values: contact with boxes, voxel of the tool, dexterity.

Dexterity is √det(J Jᵀ), J the linear part of the Jacobian at the tool: the volume of velocities of
the tool point that joint rates of length 1 bring about (rates of drives, where joints are
coupled). Of an arm whose tool stays on a surface or
a line it is the area or length of them: the root of the sum of the main minors of J Jᵀ of that
size.

A configuration is a number; its digits, the last joint's first, choose a row of each joint's table
of cosines, sines and shifts. The arm is walked joint by joint like an odometer: frames that a step
leaves alone are kept, and where a link that earlier joints carry touches a box, every
configuration behind it is in contact and is passed over. (The walk is not that of the mechanics
room, which starts from the base every time, and it is the accelerator's to the last bit.)
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.records import (
    JointGrid,
    JointMotion,
    OrientedBox,
    SphereRow,
    SphereSet,
    VoxelCounts,
)


@inner(inline=True)
def _motion(table: Array, row: int) -> JointMotion:
    """Return one row of the table of joint values. Shape of table (rows, 3)."""
    return JointMotion(table[row, 0], table[row, 1], table[row, 2])


@inner(inline=True)
def _advance(T: Array, i: int, K: Array, joint: JointMotion) -> None:
    """Fill frame i + 1: frame i turned by the joint's angle, shifted, and multiplied by K."""
    c, s = joint.cosine, joint.sine
    for r in range(3):
        x = c * T[i, r, 0] + s * T[i, r, 1]
        y = c * T[i, r, 1] - s * T[i, r, 0]
        z = T[i, r, 2]
        T[i + 1, r, 0] = x * K[0, 0] + y * K[1, 0] + z * K[2, 0]
        T[i + 1, r, 1] = x * K[0, 1] + y * K[1, 1] + z * K[2, 1]
        T[i + 1, r, 2] = x * K[0, 2] + y * K[1, 2] + z * K[2, 2]
        T[i + 1, r, 3] = T[i, r, 3] + (x * K[0, 3] + y * K[1, 3] + z * (K[2, 3] + joint.shift))


@inner(inline=True)
def _sphere(rows: Array, n: int) -> SphereRow:
    """Return sphere n. Shape of rows (spheres, 4)."""
    return SphereRow(rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3])


@inner(inline=True)
def _box(rows: Array, k: int) -> OrientedBox:
    """Return box k. Shape of rows (boxes, 16)."""
    return OrientedBox(
        rows[k, 0],
        rows[k, 1],
        rows[k, 2],
        rows[k, 3],
        rows[k, 4],
        rows[k, 5],
        rows[k, 6],
        rows[k, 7],
        rows[k, 8],
        rows[k, 9],
        rows[k, 10],
        rows[k, 11],
        rows[k, 12],
        rows[k, 13],
        rows[k, 14],
        rows[k, 15],
    )


@inner(inline=True)
def _moved(T: Array, one: SphereRow) -> SphereRow:
    """Return a sphere of a frame in the world. Shape of T (3, 4)."""
    return SphereRow(
        T[0, 0] * one.x + T[0, 1] * one.y + T[0, 2] * one.z + T[0, 3],
        T[1, 0] * one.x + T[1, 1] * one.y + T[1, 2] * one.z + T[1, 3],
        T[2, 0] * one.x + T[2, 1] * one.y + T[2, 2] * one.z + T[2, 3],
        one.size,
    )


@inner(inline=True)
def _touches(
    T: Array, spheres: Array, first: int, last: int, around: SphereRow, boxes: Array
) -> bool:
    """Return whether one of the spheres first to last - 1, in a frame, touches a box.

    Boxes are passed over whose corners are all too far from the ball around these spheres.
    """
    if first == last:
        return False
    ball = _moved(T, around)
    for k in range(boxes.shape[0]):
        box = _box(boxes, k)
        dx, dy, dz = ball.x - box.x, ball.y - box.y, ball.z - box.z
        reach = ball.size + box.reach
        if dx * dx + dy * dy + dz * dz > reach * reach:
            continue
        for n in range(first, last):
            one = _moved(T, _sphere(spheres, n))
            dx, dy, dz = one.x - box.x, one.y - box.y, one.z - box.z
            a = abs(dx * box.ux + dy * box.uy + dz * box.uz) - box.a
            b = abs(dx * box.vx + dy * box.vy + dz * box.vz) - box.b
            c = abs(dx * box.wx + dy * box.wy + dz * box.wz) - box.c
            a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
            if a * a + b * b + c * c <= one.size:
                return True
    return False


@inner(inline=True)
def _rate(T: Array, i: int, n: int, turns: Flags) -> tuple[float, float, float]:
    """Return how fast the tool point goes with joint i."""
    a, b, c = T[i, 0, 2], T[i, 1, 2], T[i, 2, 2]
    if turns[i]:
        dx, dy, dz = T[n, 0, 3] - T[i, 0, 3], T[n, 1, 3] - T[i, 1, 3], T[n, 2, 3] - T[i, 2, 3]
        a, b, c = b * dz - c * dy, c * dx - a * dz, a * dy - b * dx
    return a, b, c


@inner
def _dexterity(T: Array, turns: Flags, mixing: Array, rank: int) -> float:
    """Return the dexterity of the frames' configuration for a tool that moves in 1 to 3 ways."""
    n = turns.shape[0]
    drives = mixing.shape[1]
    xx = yy = zz = xy = xz = yz = 0.0
    for i in range(drives if drives else n):
        if drives:
            a = b = c = 0.0
            for joint in range(n):
                if mixing[joint, i] != 0.0:
                    x, y, z = _rate(T, joint, n, turns)
                    a += mixing[joint, i] * x
                    b += mixing[joint, i] * y
                    c += mixing[joint, i] * z
        else:
            a, b, c = _rate(T, i, n, turns)
        xx += a * a
        yy += b * b
        zz += c * c
        xy += a * b
        xz += a * c
        yz += b * c
    if rank == 3:
        square = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    elif rank == 2:
        square = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz)
    else:
        square = xx + yy + zz
    return math.sqrt(max(square, 0.0))


@inner(inline=True)
def _voxel(T: Array, voxels: VoxelCounts) -> int:
    """Return the number of the voxel a frame's origin lies in; -1: outside."""
    corner, shape = voxels.corner, voxels.shape
    i = math.floor((T[0, 3] - corner[0]) / voxels.cell)
    j = math.floor((T[1, 3] - corner[1]) / voxels.cell)
    k = math.floor((T[2, 3] - corner[2]) / voxels.cell)
    if 0 <= i < shape[0] and 0 <= j < shape[1] and 0 <= k < shape[2]:
        return int((i * shape[1] + j) * shape[2] + k)
    return -1


@entry()
def sweep(
    first: int,
    last: int,
    grid: JointGrid,
    spheres: SphereSet,
    boxes: Array,
    voxels: VoxelCounts,
    rank: int,
) -> int:
    """Walk the configurations first to last - 1 and return how many touch a box.

    Args:
        first: Number of the first configuration.
        last: One behind the number of the last.
        grid: The arm and its joint values.
        spheres: What contains the arm.
        boxes: What is around it, an `OrientedBox` each. Shape (boxes, 16).
        voxels: Where the tool is counted; its counts are filled.
        rank: In how many directions the tool can move, 1 to 3; 0: dexterity is not asked for.
    """
    # taken out of their records once: in the loop every look into a record would count references
    constants, turns, start, size, table, mixing = grid
    rows, of, balls = spheres
    n = turns.shape[0]
    T = np.zeros((n + 1, 3, 4))
    T[0] = constants[0, :3]
    touching = 0
    if _touches(T[0], rows, of[0], of[1], _sphere(balls, 0), boxes):
        return last - first
    at, level = first, 0  # frames 0 … level stand
    while at < last:
        passed = 0
        for i in range(level, n):
            row = start[i] + (at // size[i + 1]) % (start[i + 1] - start[i])
            _advance(T, i, constants[i + 1], _motion(table, row))
            if _touches(T[i + 1], rows, of[i + 1], of[i + 2], _sphere(balls, i + 1), boxes):
                passed = min(size[i + 1] - at % size[i + 1], last - at)
                break
        if passed:
            touching += passed
        else:
            passed = 1
            if voxels.shape[0]:
                v = _voxel(T[n], voxels)
                if v >= 0:
                    voxels.reached[v] += 1
                    if rank:
                        voxels.best[v] = max(voxels.best[v], _dexterity(T, turns, mixing, rank))
        after = at + passed
        level = n - 1
        while level > 0 and at // size[level] != after // size[level]:
            level -= 1
        at = after
    return touching
