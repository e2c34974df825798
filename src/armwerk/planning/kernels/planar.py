"""Rectangles in the plane: the separating-axes test, every cell of a map, clearance.

Two rectangles are apart when their shadows on the direction of some edge are; the largest gap
between shadows over the four directions decides. Touching is contact, and so is a gap that
rounding alone can make: each pair has an allowance for it, some 1e-12 of its size.

In arrays a planar pose is a row of four numbers and a rectangle a row of six, in the order of the
fields of `PlanarPose` and `PlanarRectangle`; `line_pose`, `part_pose` and `rectangle` read them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner
from armwerk.planning.kernels.records import PlanarPairs, PlanarPose, PlanarRectangle

Cells = NDArray[np.unsignedinteger]


@inner(inline=True)
def line_pose(lines: Array, i: int) -> PlanarPose:
    """Return the pose of line i. Shape of lines (lines, 4)."""
    return PlanarPose(lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3])


@inner(inline=True)
def part_pose(on: Array, p: int, j: int) -> PlanarPose:
    """Return the pose of part p at place j. Shape of on (parts, places, 4)."""
    return PlanarPose(on[p, j, 0], on[p, j, 1], on[p, j, 2], on[p, j, 3])


@inner(inline=True)
def rectangle(rows: Array, k: int) -> PlanarRectangle:
    """Return rectangle k. Shape of rows (rectangles, 6)."""
    return PlanarRectangle(rows[k, 0], rows[k, 1], rows[k, 2], rows[k, 3], rows[k, 4], rows[k, 5])


@inner(inline=True)
def behind(one: PlanarPose, two: PlanarPose) -> PlanarPose:
    """Return the pose ``two``, seen from where ``one`` is seen from: their product."""
    return PlanarPose(
        one.x + one.cosine * two.x - one.sine * two.y,
        one.y + one.sine * two.x + one.cosine * two.y,
        one.cosine * two.cosine - one.sine * two.sine,
        one.sine * two.cosine + one.cosine * two.sine,
    )


@inner(inline=True)
def placed(pose: PlanarPose, half: Array, p: int) -> PlanarRectangle:
    """Return part p at a pose. Shape of half (parts, 2)."""
    return PlanarRectangle(pose.x, pose.y, pose.cosine, pose.sine, half[p, 0], half[p, 1])


@inner(inline=True)
def gap(one: PlanarRectangle, two: PlanarRectangle) -> float:
    """Return the widest gap between the shadows of two rectangles [m]; negative: depth."""
    c, s, a, b = one.cosine, one.sine, one.length, one.width
    C, S, A, B = two.cosine, two.sine, two.length, two.width
    dx, dy = one.x - two.x, one.y - two.y
    cosine = abs(c * C + s * S)
    sine = abs(s * C - c * S)
    first = abs(dx * C + dy * S) - (A + a * cosine + b * sine)
    second = abs(dy * C - dx * S) - (B + a * sine + b * cosine)
    third = abs(dx * c + dy * s) - (a + A * cosine + B * sine)
    fourth = abs(dy * c - dx * s) - (b + A * sine + B * cosine)
    return float(max(first, second, third, fourth))


@entry()
def fill(lines: Array, on: Array, pairs: PlanarPairs, out: Cells) -> int:
    """Test every place of every line, add body number + 1 per contact, return the contacts.

    Args:
        lines: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        out: Added to. Shape (lines, places).
    """
    places = on.shape[1]
    poses = np.empty((4, places))
    hits = 0
    for i in range(lines.shape[0]):
        row = out[i]
        line = line_pose(lines, i)
        for p in range(on.shape[0]):
            length, width = pairs.half[p, 0], pairs.half[p, 1]
            for j in range(places):
                poses[0, j], poses[1, j], poses[2, j], poses[3, j] = behind(
                    line, part_pose(on, p, j)
                )
            for k in range(pairs.bodies.shape[0]):
                if pairs.rise[p, k] == 0.0:
                    body, limit, found = rectangle(pairs.bodies, k), pairs.allowance[p, k], 0
                    for j in range(places):
                        part = PlanarRectangle(
                            poses[0, j], poses[1, j], poses[2, j], poses[3, j], length, width
                        )
                        if gap(part, body) <= limit:
                            row[j] += k + 1
                            found += 1
                    hits += found
    return hits


@inner(inline=True)
def _beyond(x: float, y: float, A: float, B: float) -> float:
    """Return the squared distance of a point to a rectangle in the rectangle's own axes."""
    u, v = max(abs(x) - A, 0.0), max(abs(y) - B, 0.0)
    return u * u + v * v


@inner(inline=True)
def distance(one: PlanarRectangle, two: PlanarRectangle) -> float:
    """Return the distance of two rectangles that are apart [m]: from a corner of one to the other.

    Between two convex polygons that are apart, the shortest way starts or ends in a corner.
    """
    c, s, a, b = one.cosine, one.sine, one.length, one.width
    C, S, A, B = two.cosine, two.sine, two.length, two.width
    dx, dy = one.x - two.x, one.y - two.y
    cosine, sine = c * C + s * S, s * C - c * S  # of the first one's angle seen from the second
    bx, by = dx * C + dy * S, dy * C - dx * S  # the first seen from the second
    px, py = -dx * c - dy * s, dx * s - dy * c  # the second seen from the first
    least = math.inf
    for corner in range(4):
        i, j = (1.0 if corner & 1 else -1.0), (1.0 if corner & 2 else -1.0)
        u, v = i * a, j * b
        least = min(least, _beyond(bx + cosine * u - sine * v, by + sine * u + cosine * v, A, B))
        u, v = i * A, j * B
        least = min(least, _beyond(px + cosine * u + sine * v, py - sine * u + cosine * v, a, b))
    return math.sqrt(least)


@entry()
def clear(lines: Array, on: Array, pairs: PlanarPairs, out: Array) -> None:
    """Lower every cell to the distance of the nearest body [m], 0 in contact.

    Args:
        lines: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        pairs: What is held against what.
        out: Lowered. Shape (lines, places).
    """
    for i in range(lines.shape[0]):
        line = line_pose(lines, i)
        for p in range(on.shape[0]):
            for j in range(on.shape[1]):
                part = placed(behind(line, part_pose(on, p, j)), pairs.half, p)
                for k in range(pairs.bodies.shape[0]):
                    body, up = rectangle(pairs.bodies, k), pairs.rise[p, k]
                    apart = gap(part, body)
                    if max(apart, up) >= out[i, j]:
                        continue
                    flat = 0.0
                    if apart > pairs.allowance[p, k]:
                        flat = distance(part, body)
                    out[i, j] = min(out[i, j], math.sqrt(flat * flat + up * up))
