"""Whether meshes touch: a convex row against a mesh, and a mesh against a mesh.

Everything happens in the frame of the (first) mesh. Boxes of its tree are held against the box
around the other body; the triangles that remain are tested exactly.
"""

from __future__ import annotations

import math

from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    DIM,
    KIND,
    MESH,
    POS,
    ROT,
    ROUND,
    SLACK,
    SPHERE,
    TRIANGLE,
    Array,
)
from armwerk.collision.kernels.rows import half_box, into, outer, own
from armwerk.collision.kernels.separating import box_triangle, triangle_triangle
from armwerk.collision.kernels.simple import point_triangle, segment_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.compiled import inner


@inner
def boxes_apart(
    node: Array, row: Array, mx: float, my: float, mz: float, h0: float, h1: float, h2: float
) -> bool:
    """Whether a box of the tree is apart from a turned box, by the directions of their faces.

    Args:
        node: Lowest and highest corner.
        row: Its rotation gives the axes of the turned box.
        mx: Middle of the turned box, with ``my`` and ``mz``.
        h0: Half its edges, with ``h1`` and ``h2``.
    """
    x, y, z = 0.5 * (node[0] + node[3]), 0.5 * (node[1] + node[4]), 0.5 * (node[2] + node[5])
    a0, a1, a2 = node[3] - x, node[4] - y, node[5] - z
    x, y, z = mx - x, my - y, mz - z
    if abs(x) > a0 + h0 * abs(row[1]) + h1 * abs(row[2]) + h2 * abs(row[3]):
        return True
    if abs(y) > a1 + h0 * abs(row[4]) + h1 * abs(row[5]) + h2 * abs(row[6]):
        return True
    if abs(z) > a2 + h0 * abs(row[7]) + h1 * abs(row[8]) + h2 * abs(row[9]):
        return True
    for k, h in ((0, h0), (1, h1), (2, h2)):
        u, v, w = row[ROT + k], row[ROT + 3 + k], row[ROT + 6 + k]
        if abs(x * u + y * v + z * w) > h + a0 * abs(u) + a1 * abs(v) + a2 * abs(w):
            return True
    return False


@inner
def touches_triangle(row: Array, t: Array, S: Array, W: Array) -> bool:
    """Whether a convex row, with the slack of the pair, touches a triangle of nine numbers."""
    kind, slack = int(row[KIND]), row[SLACK]
    r = row[ROUND] + slack
    if kind == SPHERE:
        _, _, square = point_triangle(
            row[POS],
            row[POS + 1],
            row[POS + 2],
            t[0],
            t[1],
            t[2],
            t[3],
            t[4],
            t[5],
            t[6],
            t[7],
            t[8],
        )
        return square <= r * r
    if kind == CAPSULE:
        h = row[DIM]
        u, v, w = 2.0 * h * row[3], 2.0 * h * row[6], 2.0 * h * row[9]
        x, y, z = row[POS] - 0.5 * u, row[POS + 1] - 0.5 * v, row[POS + 2] - 0.5 * w
        _, _, _, square = segment_triangle(
            x, y, z, u, v, w, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8]
        )
        return square <= r * r
    if kind == BOX:
        return box_triangle(row, t, W[2])
    W[3, KIND], W[3, ROUND] = TRIANGLE, 0.0
    for k in range(9):
        W[3, ROT + k] = t[k]
    return gjk(row, W[3], slack, S) <= slack


@inner
def row_mesh(
    row: Array, mesh: Array, triangles: Array, nodes: Array, meshes: Array, S: Array, W: Array
) -> int:
    """Return a triangle of a mesh that a convex row touches; -2: it is wholly inside; -1: none.

    Args:
        row: The convex body.
        mesh: The row of the mesh, in the same frame.
        triangles: With ``nodes`` and ``meshes``, the tables of all meshes.
        nodes: Boxes of the trees.
        meshes: One row per mesh.
        S: Working space of `gjk`.
        W: Working space, rows for 0 the body in the mesh's frame, 1 stack, 2 and 3 triangles.
    """
    table = meshes[int(mesh[MESH])]
    body, stack = W[0], W[1]
    into(mesh, row, body)
    body[SLACK] += mesh[SLACK]
    h0, h1, h2 = half_box(body)
    h0, h1, h2 = h0 + body[SLACK], h1 + body[SLACK], h2 + body[SLACK]
    first, depth = table[0], 1
    stack[0] = first
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        if boxes_apart(node, body, body[POS], body[POS + 1], body[POS + 2], h0, h1, h2):
            continue
        if node[7] > 0.0:
            for n in range(int(node[6]), int(node[6]) + int(node[7])):
                if touches_triangle(body, triangles[n], S, W):
                    return n
        else:
            stack[depth], stack[depth + 1] = node[6], at + 1
            depth += 2
    if inside(
        body[POS],
        body[POS + 1],
        body[POS + 2],
        first,
        table[4],
        table[1],
        triangles,
        nodes,
        stack,
    ):
        return -2
    return -1


@inner
def _any_inside(
    points: Array,
    from_row: Array,
    to_row: Array,
    from_table: Array,
    to_table: Array,
    triangles: Array,
    nodes: Array,
    stack: Array,
) -> bool:
    """Whether one corner of some piece of a mesh is inside another mesh."""
    for n in range(from_table[2], from_table[2] + from_table[3]):
        x, y, z = outer(from_row, points[n, 0], points[n, 1], points[n, 2])
        x, y, z = own(to_row, x, y, z)
        if inside(x, y, z, to_table[0], to_table[4], to_table[1], triangles, nodes, stack):
            return True
    return False


@inner
def _carry(row: Array, t: Array, out: Array) -> None:
    """Fill a triangle given in the coordinates of a row in the row's surroundings."""
    for c in range(3):
        x, y, z = outer(row, t[3 * c], t[3 * c + 1], t[3 * c + 2])
        out[3 * c], out[3 * c + 1], out[3 * c + 2] = x, y, z


@inner
def _nodes_apart(first: Array, second: Array, frame: Array, slack: float) -> bool:
    """Whether two boxes are apart by more than a slack, the second one given in a frame."""
    x, y, z = outer(
        frame,
        0.5 * (second[0] + second[3]),
        0.5 * (second[1] + second[4]),
        0.5 * (second[2] + second[5]),
    )
    return boxes_apart(
        first,
        frame,
        x,
        y,
        z,
        0.5 * (second[3] - second[0]) + slack,
        0.5 * (second[4] - second[1]) + slack,
        0.5 * (second[5] - second[2]) + slack,
    )


@inner
def mesh_mesh(
    a: Array,
    b: Array,
    triangles: Array,
    nodes: Array,
    meshes: Array,
    points: Array,
    S: Array,
    W: Array,
) -> tuple[int, int]:
    """Return the triangles in which two meshes meet; (-2, -2): one is inside; (-1, -1): none."""
    one, two = meshes[int(a[MESH])], meshes[int(b[MESH])]
    other, firsts, seconds = W[0], W[1], W[4]
    slack = a[SLACK] + b[SLACK]
    into(a, b, other)
    firsts[0], seconds[0] = one[0], two[0]
    depth = 1
    while depth > 0:
        depth -= 1
        i, j = int(firsts[depth]), int(seconds[depth])
        p, q = nodes[i], nodes[j]
        if _nodes_apart(p, q, other, slack):
            continue
        if p[7] > 0.0 and q[7] > 0.0:
            for m in range(int(q[6]), int(q[6]) + int(q[7])):
                _carry(other, triangles[m], W[2])
                for n in range(int(p[6]), int(p[6]) + int(p[7])):
                    if triangle_triangle(triangles[n], W[2], slack, S):
                        return n, m
            continue
        big = max(p[3] - p[0], p[4] - p[1], p[5] - p[2])
        large = max(q[3] - q[0], q[4] - q[1], q[5] - q[2])
        if q[7] > 0.0 or (p[7] == 0.0 and big >= large):
            firsts[depth], firsts[depth + 1] = p[6], i + 1
            seconds[depth] = seconds[depth + 1] = j
        else:
            firsts[depth] = firsts[depth + 1] = i
            seconds[depth], seconds[depth + 1] = q[6], j + 1
        depth += 2
    if _any_inside(points, a, b, one, two, triangles, nodes, firsts):
        return -2, -2
    if _any_inside(points, b, a, two, one, triangles, nodes, firsts):
        return -2, -2
    return -1, -1


@inner
def mesh_depth(
    mesh: Array, plane: Array, triangles: Array, nodes: Array, meshes: Array, bound: float, W: Array
) -> tuple[float, int]:
    """Return the least height of a mesh above a half-space's plane, and a triangle that has it.

    Args:
        mesh: The row of the mesh.
        plane: The row of the half-space, in the same frame.
        triangles: With ``nodes`` and ``meshes``, the tables of all meshes.
        nodes: Boxes of the trees.
        meshes: One row per mesh.
        bound: Heights above this do not matter; infinite: all do.
        W: Working space.
    """
    table, body, stack = meshes[int(mesh[MESH])], W[0], W[1]
    into(mesh, plane, body)
    u, v, w = body[3], body[6], body[9]
    offset = u * body[POS] + v * body[POS + 1] + w * body[POS + 2]
    best, at_best, depth = bound, -1, 1
    stack[0] = table[0]
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        low = (node[0] if u > 0.0 else node[3]) * u
        low += (node[1] if v > 0.0 else node[4]) * v
        low += (node[2] if w > 0.0 else node[5]) * w
        if low - offset > best or (low - offset == best and at_best >= 0):
            continue
        if node[7] > 0.0:
            for n in range(int(node[6]), int(node[6]) + int(node[7])):
                t = triangles[n]
                for c in range(3):
                    height = u * t[3 * c] + v * t[3 * c + 1] + w * t[3 * c + 2] - offset
                    if height <= best:
                        best, at_best = height, n
        else:
            stack[depth], stack[depth + 1] = node[6], at + 1
            depth += 2
    return (best, at_best) if at_best >= 0 else (math.inf, -1)
