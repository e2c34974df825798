"""All configurations of a grid of joint values: contact with boxes, voxel of the tool, dexterity.

Dexterity is √det(J Jᵀ), J the linear part of the Jacobian at the tool: the volume of velocities of
the tool point that joint rates of length 1 bring about. Of an arm whose tool stays on a surface or
a line it is the area or length of them: the root of the sum of the main minors of J Jᵀ of that
size.

A configuration is a number; its digits, the last joint's first, choose a row of each joint's table
of cosines, sines and shifts. The arm is walked joint by joint like an odometer: frames that a step
leaves alone are kept, and where a link that earlier joints carry touches a box, every
configuration behind it is in contact and is passed over.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

Ints = NDArray[np.int64]


@inner(inline=True)
def _advance(T: Array, i: int, K: Array, c: float, s: float, shift: float) -> None:
    """Fill frame i + 1: frame i turned by the joint's angle, shifted, and multiplied by K."""
    for r in range(3):
        x = c * T[i, r, 0] + s * T[i, r, 1]
        y = c * T[i, r, 1] - s * T[i, r, 0]
        z = T[i, r, 2]
        T[i + 1, r, 0] = x * K[0, 0] + y * K[1, 0] + z * K[2, 0]
        T[i + 1, r, 1] = x * K[0, 1] + y * K[1, 1] + z * K[2, 1]
        T[i + 1, r, 2] = x * K[0, 2] + y * K[1, 2] + z * K[2, 2]
        T[i + 1, r, 3] = T[i, r, 3] + (x * K[0, 3] + y * K[1, 3] + z * (K[2, 3] + shift))


@inner(inline=True)
def _touches(T: Array, sphere: Array, first: int, last: int, ball: Array, box: Array) -> bool:
    """Return whether one of the spheres in a frame touches a box.

    Boxes are passed over whose corners are all too far from the ball around the frame's spheres.
    """
    if first == last:
        return False
    u, v, w = ball[0], ball[1], ball[2]
    mx = T[0, 0] * u + T[0, 1] * v + T[0, 2] * w + T[0, 3]
    my = T[1, 0] * u + T[1, 1] * v + T[1, 2] * w + T[1, 3]
    mz = T[2, 0] * u + T[2, 1] * v + T[2, 2] * w + T[2, 3]
    for k in range(box.shape[0]):
        dx, dy, dz = mx - box[k, 0], my - box[k, 1], mz - box[k, 2]
        reach = ball[3] + box[k, 15]
        if dx * dx + dy * dy + dz * dz > reach * reach:
            continue
        for n in range(first, last):
            u, v, w = sphere[n, 0], sphere[n, 1], sphere[n, 2]
            x = T[0, 0] * u + T[0, 1] * v + T[0, 2] * w + T[0, 3]
            y = T[1, 0] * u + T[1, 1] * v + T[1, 2] * w + T[1, 3]
            z = T[2, 0] * u + T[2, 1] * v + T[2, 2] * w + T[2, 3]
            dx, dy, dz = x - box[k, 0], y - box[k, 1], z - box[k, 2]
            a = abs(dx * box[k, 3] + dy * box[k, 4] + dz * box[k, 5]) - box[k, 12]
            b = abs(dx * box[k, 6] + dy * box[k, 7] + dz * box[k, 8]) - box[k, 13]
            c = abs(dx * box[k, 9] + dy * box[k, 10] + dz * box[k, 11]) - box[k, 14]
            a, b, c = max(a, 0.0), max(b, 0.0), max(c, 0.0)
            if a * a + b * b + c * c <= sphere[n, 3]:
                return True
    return False


@inner
def _dexterity(T: Array, turns: NDArray[np.bool_], rank: int) -> float:
    """Return the dexterity of the frames' configuration for a tool that moves in 1 to 3 ways."""
    n = turns.shape[0]
    px, py, pz = T[n, 0, 3], T[n, 1, 3], T[n, 2, 3]
    xx = yy = zz = xy = xz = yz = 0.0
    for i in range(n):
        a, b, c = T[i, 0, 2], T[i, 1, 2], T[i, 2, 2]
        if turns[i]:
            dx, dy, dz = px - T[i, 0, 3], py - T[i, 1, 3], pz - T[i, 2, 3]
            a, b, c = b * dz - c * dy, c * dx - a * dz, a * dy - b * dx
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
def _voxel(T: Array, corner: Array, cell: float, shape: Ints) -> int:
    """Return the number of the voxel a frame's origin lies in; -1: outside."""
    i = math.floor((T[0, 3] - corner[0]) / cell)
    j = math.floor((T[1, 3] - corner[1]) / cell)
    k = math.floor((T[2, 3] - corner[2]) / cell)
    if 0 <= i < shape[0] and 0 <= j < shape[1] and 0 <= k < shape[2]:
        return int((i * shape[1] + j) * shape[2] + k)
    return -1


@entry()
def sweep(
    first: int,
    last: int,
    constants: Array,
    turns: NDArray[np.bool_],
    start: Ints,
    size: Ints,
    table: Array,
    sphere: Array,
    spheres_of: Ints,
    ball: Array,
    box: Array,
    corner: Array,
    cell: float,
    shape: Ints,
    rank: int,
    reached: Ints,
    best: Array,
) -> int:
    """Walk the configurations first to last - 1 and return how many touch a box.

    Args:
        first: Number of the first configuration.
        last: One behind the number of the last.
        constants: Constant transforms between the joints. Shape (n + 1, 3 or 4, 4).
        turns: Which joints turn. Shape (n,).
        start: Where each joint's rows stand in the table, and its end. Shape (n + 1,).
        size: Configurations behind each joint: the product of the numbers of values from it on,
            or ones when the rows of all joints belong together. Shape (n + 1,).
        table: Cosine, sine, shift [m] of every value of every joint. Shape (rows, 3).
        sphere: Centre in the frame [m] and squared radius [m²]. Shape (spheres, 4).
        spheres_of: Where the spheres of frame 0 (the base) to n begin. Shape (n + 2,).
        ball: Centre and radius [m] of a ball around the spheres of each frame. Shape (n + 1, 4).
        box: Centre [m], axes row by row, half lengths [m], half the diagonal [m]. Shape
            (boxes, 16).
        corner: Least corner of the voxels [m]. Shape (3,).
        cell: Edge of a voxel [m].
        shape: Numbers of voxels; all 0: none are counted. Shape (3,).
        rank: In how many directions the tool can move, 1 to 3; 0: dexterity is not asked for.
        reached: Free configurations per voxel, added to. Shape (voxels,).
        best: Best dexterity per voxel, in m to the power of the rank, raised. Shape (voxels,).
    """
    n = turns.shape[0]
    T = np.zeros((n + 1, 3, 4))
    T[0] = constants[0, :3]
    touching = 0
    if _touches(T[0], sphere, spheres_of[0], spheres_of[1], ball[0], box):
        return last - first
    at, level = first, 0  # frames 0 … level stand
    while at < last:
        passed = 0
        for i in range(level, n):
            row = start[i] + (at // size[i + 1]) % (start[i + 1] - start[i])
            _advance(T, i, constants[i + 1], table[row, 0], table[row, 1], table[row, 2])
            of, behind = spheres_of[i + 1], spheres_of[i + 2]
            if _touches(T[i + 1], sphere, of, behind, ball[i + 1], box):
                passed = min(size[i + 1] - at % size[i + 1], last - at)
                break
        if passed:
            touching += passed
        else:
            passed = 1
            if shape[0]:
                v = _voxel(T[n], corner, cell, shape)
                if v >= 0:
                    reached[v] += 1
                    if rank:
                        best[v] = max(best[v], _dexterity(T, turns, rank))
        after = at + passed
        level = n - 1
        while level > 0 and at // size[level] != after // size[level]:
            level -= 1
        at = after
    return touching
