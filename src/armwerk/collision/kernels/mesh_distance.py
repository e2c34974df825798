"""Distances of meshes by their trees: the nearer boxes first, none that cannot be nearer."""

from __future__ import annotations

import math

from armwerk.collision.kernels.gjk import FIRST, SECOND, gjk
from armwerk.collision.kernels.layout import (
    CAPSULE,
    DIM,
    KIND,
    MESH,
    POS,
    ROT,
    ROUND,
    SPHERE,
    TRIANGLE,
    Array,
)
from armwerk.collision.kernels.mesh_contact import _any_inside, _carry
from armwerk.collision.kernels.rows import half_box, into, outer
from armwerk.collision.kernels.simple import point_triangle, segment_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.compiled import inner


@inner
def boxes_gap(
    node: Array, row: Array, mx: float, my: float, mz: float, h0: float, h1: float, h2: float
) -> float:
    """Return a lower bound of the distance of a box of the tree to a turned box.

    Along three directions at right angles the gaps add up as the sides of a cuboid do; both
    boxes' own directions are tried. Arguments as in `boxes_apart`.
    """
    x, y, z = 0.5 * (node[0] + node[3]), 0.5 * (node[1] + node[4]), 0.5 * (node[2] + node[5])
    a0, a1, a2 = node[3] - x, node[4] - y, node[5] - z
    x, y, z = mx - x, my - y, mz - z
    u = max(abs(x) - a0 - h0 * abs(row[1]) - h1 * abs(row[2]) - h2 * abs(row[3]), 0.0)
    v = max(abs(y) - a1 - h0 * abs(row[4]) - h1 * abs(row[5]) - h2 * abs(row[6]), 0.0)
    w = max(abs(z) - a2 - h0 * abs(row[7]) - h1 * abs(row[8]) - h2 * abs(row[9]), 0.0)
    first, second = u * u + v * v + w * w, 0.0
    for k, h in ((0, h0), (1, h1), (2, h2)):
        u, v, w = row[ROT + k], row[ROT + 3 + k], row[ROT + 6 + k]
        gap = abs(x * u + y * v + z * w) - h - a0 * abs(u) - a1 * abs(v) - a2 * abs(w)
        if gap > 0.0:
            second += gap * gap
    return math.sqrt(max(first, second))


@inner
def _corner_row(row: Array, t: Array) -> None:
    """Make a working row a triangle."""
    row[KIND], row[ROUND] = TRIANGLE, 0.0
    for k in range(9):
        row[ROT + k] = t[k]


@inner
def to_triangle(row: Array, t: Array, far: float, S: Array, W: Array) -> float:
    """Return the distance of a convex row to a triangle, 0 or less when they touch.

    Rows 12 and 13 of S hold the nearest points of row and triangle, if it is below ``far``.
    """
    kind, r = int(row[KIND]), row[ROUND]
    if kind > CAPSULE:
        _corner_row(W[3], t)
        return gjk(row, W[3], far, S)
    h = row[DIM]
    u, v, w = 2.0 * h * row[3], 2.0 * h * row[6], 2.0 * h * row[9]
    x, y, z = row[POS] - 0.5 * u, row[POS + 1] - 0.5 * v, row[POS + 2] - 0.5 * w
    if kind == SPHERE:
        s = 0.0
        p, q, square = point_triangle(x, y, z, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8])
    else:
        s, p, q, square = segment_triangle(
            x, y, z, u, v, w, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8]
        )
    size = math.sqrt(square)
    if size - r < far:
        S[FIRST, 0], S[FIRST, 1], S[FIRST, 2] = x + s * u, y + s * v, z + s * w
        for k in range(3):
            S[SECOND, k] = t[k] + p * (t[3 + k] - t[k]) + q * (t[6 + k] - t[k])
            if size > r:
                S[FIRST, k] += r / size * (S[SECOND, k] - S[FIRST, k])
            else:
                S[FIRST, k] = S[SECOND, k]
    return size - r


@inner
def _publish(mesh: Array, P: Array) -> None:
    """Bring both points from the frame of a mesh to its surroundings."""
    for n in range(2):
        P[n, 0], P[n, 1], P[n, 2] = outer(mesh, P[n, 0], P[n, 1], P[n, 2])


@inner
def row_mesh_gap(
    row: Array,
    mesh: Array,
    far: float,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    S: Array,
    W: Array,
    P: Array,
) -> float:
    """Return the distance of a convex row to a mesh; 0 when they touch or the row is inside.

    Args:
        row: The convex body.
        mesh: The row of the mesh, in the same frame.
        far: Distances from this one on do not matter: infinity is returned for them.
        triangles: With ``nodes`` and ``meshes``, the tables of all meshes.
        nodes: Boxes of the trees.
        meshes: One row per mesh.
        S: Working space of `gjk`.
        W: Working space as for `row_mesh`.
        P: Filled with the nearest points of row and mesh. Shape (2, 3).
    """
    table, body, stack, bounds = meshes[int(mesh[MESH])], W[0], W[1], W[4]
    into(mesh, row, body)
    h0, h1, h2 = half_box(body)
    x, y, z = body[POS], body[POS + 1], body[POS + 2]
    best, found, depth = far, False, 1
    stack[0], bounds[0] = table[0], 0.0
    while depth > 0 and best > 0.0:
        depth -= 1
        if bounds[depth] >= best:
            continue
        at = int(stack[depth])
        node = nodes[at]
        if node[7] > 0.0:
            for n in range(int(node[6]), int(node[6]) + int(node[7])):
                gap = to_triangle(body, triangles[n], best, S, W)
                if gap < best:
                    best, found = gap, True
                    for k in range(3):
                        P[0, k], P[1, k] = S[FIRST, k], S[SECOND, k]
            continue
        one, two = at + 1, int(node[6])
        first = boxes_gap(nodes[one], body, x, y, z, h0, h1, h2)
        second = boxes_gap(nodes[two], body, x, y, z, h0, h1, h2)
        if first < second:
            one, two, first, second = two, one, second, first
        stack[depth], bounds[depth] = one, first
        stack[depth + 1], bounds[depth + 1] = two, second
        depth += 2
    if best > 0.0 and inside(x, y, z, table[0], table[4], table[1], triangles, nodes, stack):
        best, found = 0.0, True
        P[0, 0], P[0, 1], P[0, 2] = x, y, z
        P[1, 0], P[1, 1], P[1, 2] = x, y, z
    if not found:
        return math.inf
    _publish(mesh, P)
    return max(best, 0.0)


@inner
def _pair_gap(first: Array, second: Array, frame: Array) -> float:
    """Return a lower bound of the distance of two boxes, the second one given in a frame."""
    x, y, z = outer(
        frame,
        0.5 * (second[0] + second[3]),
        0.5 * (second[1] + second[4]),
        0.5 * (second[2] + second[5]),
    )
    return boxes_gap(
        first,
        frame,
        x,
        y,
        z,
        0.5 * (second[3] - second[0]),
        0.5 * (second[4] - second[1]),
        0.5 * (second[5] - second[2]),
    )


@inner
def mesh_mesh_gap(
    a: Array,
    b: Array,
    far: float,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
    P: Array,
) -> float:
    """Return the distance of two meshes; 0 when they touch or one is inside the other."""
    one, two = meshes[int(a[MESH])], meshes[int(b[MESH])]
    other, firsts, seconds, bounds = W[0], W[1], W[4], W[5]
    into(a, b, other)
    best, found, depth = far, False, 1
    firsts[0], seconds[0], bounds[0] = one[0], two[0], 0.0
    while depth > 0 and best > 0.0:
        depth -= 1
        if bounds[depth] >= best:
            continue
        i, j = int(firsts[depth]), int(seconds[depth])
        p, q = nodes[i], nodes[j]
        if p[7] > 0.0 and q[7] > 0.0:
            for m in range(int(q[6]), int(q[6]) + int(q[7])):
                _carry(other, triangles[m], W[2][ROT:])
                W[2, KIND], W[2, ROUND] = TRIANGLE, 0.0
                for n in range(int(p[6]), int(p[6]) + int(p[7])):
                    _corner_row(W[3], triangles[n])
                    gap = gjk(W[3], W[2], best, S)
                    if gap < best:
                        best, found = gap, True
                        for k in range(3):
                            P[0, k], P[1, k] = S[FIRST, k], S[SECOND, k]
            continue
        big = max(p[3] - p[0], p[4] - p[1], p[5] - p[2])
        large = max(q[3] - q[0], q[4] - q[1], q[5] - q[2])
        split_first = q[7] > 0.0 or (p[7] == 0.0 and big >= large)
        i1, i2 = (i + 1, int(p[6])) if split_first else (i, i)
        j1, j2 = (j, j) if split_first else (j + 1, int(q[6]))
        first = _pair_gap(nodes[i1], nodes[j1], other)
        second = _pair_gap(nodes[i2], nodes[j2], other)
        if first < second:
            i1, i2, j1, j2, first, second = i2, i1, j2, j1, second, first
        firsts[depth], seconds[depth], bounds[depth] = i1, j1, first
        firsts[depth + 1], seconds[depth + 1], bounds[depth + 1] = i2, j2, second
        depth += 2
    if best > 0.0:
        for swap in range(2):
            p, q, r, s = (a, b, one, two) if swap == 0 else (b, a, two, one)
            if _any_inside(points, p, q, r, s, triangles, nodes, firsts):
                k = int(r[2])
                P[0, 0], P[0, 1], P[0, 2] = outer(p, points[k, 0], points[k, 1], points[k, 2])
                P[1, 0], P[1, 1], P[1, 2] = P[0, 0], P[0, 1], P[0, 2]
                return 0.0
    if not found:
        return math.inf
    _publish(a, P)
    return max(best, 0.0)
