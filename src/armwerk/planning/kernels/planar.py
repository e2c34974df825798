"""Rectangles in the plane: the separating-axes test, every cell of a map, clearance.

A planar pose is a row (x, y, cosine, sine). A rectangle has half lengths along its own x and y.
Two rectangles are apart when their shadows on the direction of some edge are; the largest gap
between shadows over the four directions decides. Touching is contact, and so is a gap that
rounding alone can make: each pair has an allowance for it, some 1e-12 of its size.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array
from armwerk.compiled import entry, inner

Cells = NDArray[np.unsignedinteger]
Mask = NDArray[np.bool_]


@inner(inline=True)
def gap(x: float, y: float, c: float, s: float, a: float, b: float, body: Array, k: int) -> float:
    """Return the widest gap between the shadows of a rectangle and body k [m]; negative: depth.

    Args:
        x: Middle of the rectangle [m], as y.
        y: See x.
        c: Cosine of its angle.
        s: Sine of its angle.
        a: Half its length along its own x [m].
        b: Half its length along its own y [m].
        body: Rows x, y, cosine, sine, half lengths. Shape (bodies, 6).
        k: Which row.
    """
    C, S, A, B = body[k, 2], body[k, 3], body[k, 4], body[k, 5]
    dx, dy = x - body[k, 0], y - body[k, 1]
    cosine = abs(c * C + s * S)
    sine = abs(s * C - c * S)
    one = abs(dx * C + dy * S) - (A + a * cosine + b * sine)
    two = abs(dy * C - dx * S) - (B + a * sine + b * cosine)
    three = abs(dx * c + dy * s) - (a + A * cosine + B * sine)
    four = abs(dy * c - dx * s) - (b + A * sine + B * cosine)
    return float(max(one, two, three, four))


@inner(inline=True)
def place(line: Array, i: int, on: Array, p: int, j: int) -> tuple[float, float, float, float]:
    """Return the planar pose of part p at place j of line i: line[i] times on[p, j]."""
    C, S = line[i, 2], line[i, 3]
    x, y, c, s = on[p, j, 0], on[p, j, 1], on[p, j, 2], on[p, j, 3]
    return line[i, 0] + C * x - S * y, line[i, 1] + S * x + C * y, C * c - S * s, S * c + C * s


@entry()
def fill(
    line: Array, on: Array, half: Array, body: Array, allowance: Array, level: Mask, out: Cells
) -> int:
    """Test every place of every line, add body number + 1 per contact, return the contacts.

    Args:
        line: Planar pose of each line. Shape (lines, 4).
        on: Planar pose of each part at each place. Shape (parts, places, 4).
        half: Half lengths of the parts [m]. Shape (parts, 2).
        body: Rows x, y, cosine, sine, half lengths. Shape (bodies, 6).
        allowance: For rounding [m]. Shape (parts, bodies).
        level: Whether part and body meet in height. Shape (parts, bodies).
        out: Added to. Shape (lines, places).
    """
    places = on.shape[1]
    poses = np.empty((4, places))
    hits = 0
    for i in range(line.shape[0]):
        row = out[i]
        for p in range(on.shape[0]):
            a, b = half[p, 0], half[p, 1]
            for j in range(places):
                poses[0, j], poses[1, j], poses[2, j], poses[3, j] = place(line, i, on, p, j)
            for k in range(body.shape[0]):
                if level[p, k]:
                    limit, found = allowance[p, k], 0
                    for j in range(places):
                        apart = gap(
                            poses[0, j], poses[1, j], poses[2, j], poses[3, j], a, b, body, k
                        )
                        if apart <= limit:
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
def distance(
    x: float, y: float, c: float, s: float, a: float, b: float, body: Array, k: int
) -> float:
    """Return the distance of two rectangles that are apart [m]: from a corner of one to the other.

    Between two convex polygons that are apart, the shortest way starts or ends in a corner.
    """
    C, S, A, B = body[k, 2], body[k, 3], body[k, 4], body[k, 5]
    dx, dy = x - body[k, 0], y - body[k, 1]
    cosine, sine = c * C + s * S, s * C - c * S  # of the rectangle's angle seen from the body
    bx, by = dx * C + dy * S, dy * C - dx * S  # the rectangle seen from the body
    px, py = -dx * c - dy * s, dx * s - dy * c  # the body seen from the rectangle
    least = math.inf
    for corner in range(4):
        i, j = (1.0 if corner & 1 else -1.0), (1.0 if corner & 2 else -1.0)
        u, v = i * a, j * b
        least = min(least, _beyond(bx + cosine * u - sine * v, by + sine * u + cosine * v, A, B))
        u, v = i * A, j * B
        least = min(least, _beyond(px + cosine * u + sine * v, py - sine * u + cosine * v, a, b))
    return math.sqrt(least)


@entry()
def clear(
    line: Array, on: Array, half: Array, body: Array, allowance: Array, rise: Array, out: Array
) -> None:
    """Lower every cell to the distance of the nearest body [m], 0 in contact.

    Args:
        line: As in `fill`, like the next four.
        on: See `fill`.
        half: See `fill`.
        body: See `fill`.
        allowance: See `fill`.
        rise: Distance of part and body in height [m], 0 where they meet. Shape (parts, bodies).
        out: Lowered. Shape (lines, places).
    """
    for i in range(line.shape[0]):
        for p in range(on.shape[0]):
            a, b = half[p, 0], half[p, 1]
            for j in range(on.shape[1]):
                x, y, c, s = place(line, i, on, p, j)
                for k in range(body.shape[0]):
                    up = rise[p, k]
                    apart = gap(x, y, c, s, a, b, body, k)
                    if max(apart, up) >= out[i, j]:
                        continue
                    flat = 0.0
                    if apart > allowance[p, k]:
                        flat = distance(x, y, c, s, a, b, body, k)
                    out[i, j] = min(out[i, j], math.sqrt(flat * flat + up * up))
