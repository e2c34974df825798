"""Whether meshes touch: a convex row against a mesh, and a mesh against a mesh.

Everything happens in the frame of the (first) mesh. Boxes of its tree are held against the box
around the other body; the triangles that remain are tested exactly.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    MeshEntry,
    axis,
    axis_z,
    corner,
    half_length,
    high_corner,
    is_leaf,
    kind_of,
    leaf_range,
    longest_side,
    low_corner,
    mesh_entry,
    position,
    radius_of,
    rotation_row,
    second_child,
    slack,
    vector_at,
)
from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    BOX,
    CAPSULE,
    KIND,
    LOCAL,
    OTHER_STACK,
    RADIUS,
    ROTATION,
    SLACK,
    SPHERE,
    STACK,
    TRIANGLE,
    TRIANGLE_FIRST,
    TRIANGLE_SECOND,
    MeshTables,
    Scratch,
)
from armwerk.collision.kernels.rows import half_box, local_point, outer_point, place_relative
from armwerk.collision.kernels.separating import box_triangle, triangle_triangle
from armwerk.collision.kernels.simple import point_triangle, segment_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.collision.kernels.vectors import Vector, ahead, dot, minus, scaled
from armwerk.compiled import inner

NONE, INSIDE = -1, -2
"""Instead of the number of a triangle: none is touched; no triangle is, but one is inside."""


@inner
def box_middle(node: Array) -> Vector:
    """Return the middle of a box of a tree."""
    low, high = low_corner(node), high_corner(node)
    return 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])


@inner
def extent(half: Vector, d: Vector) -> float:
    """Return how far a box of these half edges goes along a direction in its own frame."""
    return half[0] * abs(d[0]) + half[1] * abs(d[1]) + half[2] * abs(d[2])


@inner
def boxes_apart(node: Array, row: Array, middle: Vector, half: Vector) -> bool:
    """Whether a box of the tree is apart from a turned box, by the directions of their faces.

    Args:
        node: The box of the tree.
        row: Its rotation gives the axes of the turned box.
        middle: Of the turned box.
        half: Its half edges.
    """
    own = box_middle(node)
    edges = minus(high_corner(node), own)
    between = minus(middle, own)
    return (
        abs(between[0]) > edges[0] + extent(half, rotation_row(row, 0))
        or abs(between[1]) > edges[1] + extent(half, rotation_row(row, 1))
        or abs(between[2]) > edges[2] + extent(half, rotation_row(row, 2))
        or abs(dot(between, axis(row, 0))) > half[0] + extent(edges, axis(row, 0))
        or abs(dot(between, axis(row, 1))) > half[1] + extent(edges, axis(row, 1))
        or abs(dot(between, axis(row, 2))) > half[2] + extent(edges, axis(row, 2))
    )


@inner
def core_segment(row: Array) -> tuple[Vector, Vector]:
    """Return the start of a sphere's or capsule's core, and the way to its end."""
    way = scaled(2.0 * half_length(row), axis_z(row))
    return ahead(position(row), -0.5, way), way


@inner
def as_triangle(triangle: Array, row: Array) -> None:
    """Make a working row a triangle."""
    row[KIND], row[RADIUS] = TRIANGLE, 0.0
    for k in range(9):
        row[ROTATION + k] = triangle[k]


@inner
def _touches_triangle(row: Array, triangle: Array, other: Array, vectors: Array) -> bool:
    """Whether a convex row, with the slack of the pair, touches a triangle.

    ``other`` is a working row, ``vectors`` the working space of `gjk`.
    """
    kind, grown = kind_of(row), slack(row)
    r = radius_of(row) + grown
    a, b, c = corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)
    if kind == SPHERE:
        return point_triangle(position(row), a, b, c)[2] <= r * r
    if kind == CAPSULE:
        start, way = core_segment(row)
        return segment_triangle(start, way, a, b, c)[3] <= r * r
    if kind == BOX:
        return box_triangle(row, triangle)
    as_triangle(triangle, other)
    return gjk(row, other, grown, vectors) <= grown


@inner
def row_mesh(row: Array, mesh: Array, meshes: MeshTables, scratch: Scratch) -> int:
    """Return a triangle of a mesh that a convex row touches; else `INSIDE` or `NONE`.

    Args:
        row: The convex body.
        mesh: The row of the mesh, in the same frame.
        meshes: All meshes.
        scratch: Working space.
    """
    triangles, nodes = meshes.triangles, meshes.nodes
    entry = mesh_entry(meshes.entries, mesh)
    body, stack, other = scratch.rows[LOCAL], scratch.rows[STACK], scratch.rows[TRIANGLE_SECOND]
    vectors = scratch.vectors
    place_relative(mesh, row, body)
    body[SLACK] += slack(mesh)
    h0, h1, h2 = half_box(body)
    half = (h0 + slack(body), h1 + slack(body), h2 + slack(body))
    depth = 1
    stack[0] = entry.root
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        if boxes_apart(node, body, position(body), half):
            continue
        if is_leaf(node):
            first, last = leaf_range(node)
            for n in range(first, last):
                if _touches_triangle(body, triangles[n], other, vectors):
                    return n
        else:
            stack[depth], stack[depth + 1] = second_child(node), at + 1
            depth += 2
    if inside(position(body), entry, meshes, stack):
        return INSIDE
    return NONE


@inner
def piece_inside(
    one: Array, other: Array, meshes: MeshTables, into: MeshEntry, stack: Array
) -> bool:
    """Whether one corner of some piece of a mesh is inside another mesh.

    Args:
        one: Row of the mesh whose pieces are tried.
        other: Row of the other mesh.
        meshes: All meshes.
        into: Where the other mesh lies in the tables.
        stack: Working space.
    """
    pieces = mesh_entry(meshes.entries, one)
    for n in range(pieces.first_point, pieces.last_point):
        p = local_point(other, outer_point(one, vector_at(meshes.points, n)))
        if inside(p, into, meshes, stack):
            return True
    return False


@inner
def carry_triangle(row: Array, triangle: Array, out: Array) -> None:
    """Fill a triangle given in the coordinates of a row in the row's surroundings."""
    for c in range(3):
        x, y, z = outer_point(row, corner(triangle, c))
        out[3 * c], out[3 * c + 1], out[3 * c + 2] = x, y, z


@inner
def _nodes_apart(first: Array, second: Array, frame: Array, grown: float) -> bool:
    """Whether two boxes are apart by more than a slack, the second one given in a frame."""
    low, high = low_corner(second), high_corner(second)
    half = (
        0.5 * (high[0] - low[0]) + grown,
        0.5 * (high[1] - low[1]) + grown,
        0.5 * (high[2] - low[2]) + grown,
    )
    return boxes_apart(first, frame, outer_point(frame, box_middle(second)), half)


@inner
def splits_first(first: Array, second: Array) -> bool:
    """Whether of two boxes, not both leaves, the first one is to be opened: the larger one."""
    if is_leaf(second):
        return True
    return not is_leaf(first) and longest_side(first) >= longest_side(second)


@inner
def mesh_mesh(a: Array, b: Array, meshes: MeshTables, scratch: Scratch) -> tuple[int, int]:
    """Return the triangles in which two meshes meet; else twice `INSIDE` or `NONE`."""
    triangles, nodes = meshes.triangles, meshes.nodes
    one, two = mesh_entry(meshes.entries, a), mesh_entry(meshes.entries, b)
    other, carried = scratch.rows[LOCAL], scratch.rows[TRIANGLE_FIRST]
    firsts, seconds = scratch.rows[STACK], scratch.rows[OTHER_STACK]
    vectors, grown = scratch.vectors, slack(a) + slack(b)
    place_relative(a, b, other)
    firsts[0], seconds[0] = one.root, two.root
    depth = 1
    while depth > 0:
        depth -= 1
        i, j = int(firsts[depth]), int(seconds[depth])
        p, q = nodes[i], nodes[j]
        if _nodes_apart(p, q, other, grown):
            continue
        if is_leaf(p) and is_leaf(q):
            first, last = leaf_range(p)
            other_first, other_last = leaf_range(q)
            for m in range(other_first, other_last):
                carry_triangle(other, triangles[m], carried)
                for n in range(first, last):
                    if triangle_triangle(triangles[n], carried, grown, vectors):
                        return n, m
            continue
        if splits_first(p, q):
            firsts[depth], firsts[depth + 1] = second_child(p), i + 1
            seconds[depth] = seconds[depth + 1] = j
        else:
            firsts[depth] = firsts[depth + 1] = i
            seconds[depth], seconds[depth + 1] = second_child(q), j + 1
        depth += 2
    if piece_inside(a, b, meshes, two, firsts) or piece_inside(b, a, meshes, one, firsts):
        return INSIDE, INSIDE
    return NONE, NONE


@inner
def mesh_height(
    mesh: Array, plane: Array, meshes: MeshTables, bound: float, scratch: Scratch
) -> tuple[float, int]:
    """Return the least height of a mesh above a half-space's plane, and a triangle that has it.

    Args:
        mesh: The row of the mesh.
        plane: The row of the half-space, in the same frame.
        meshes: All meshes.
        bound: Heights above this do not matter; infinite: all do.
        scratch: Working space.

    Returns:
        Infinity and `NONE` when nothing is that low.
    """
    triangles, nodes = meshes.triangles, meshes.nodes
    body, stack = scratch.rows[LOCAL], scratch.rows[STACK]
    place_relative(mesh, plane, body)
    up = axis_z(body)
    offset = dot(up, position(body))
    best, at_best, depth = bound, NONE, 1
    stack[0] = mesh_entry(meshes.entries, mesh).root
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        low, high = low_corner(node), high_corner(node)
        lowest = (low[0] if up[0] > 0.0 else high[0]) * up[0]
        lowest += (low[1] if up[1] > 0.0 else high[1]) * up[1]
        lowest += (low[2] if up[2] > 0.0 else high[2]) * up[2]
        if lowest - offset > best or (lowest - offset == best and at_best >= 0):
            continue
        if is_leaf(node):
            first, last = leaf_range(node)
            for n in range(first, last):
                for c in range(3):
                    height = dot(up, corner(triangles[n], c)) - offset
                    if height <= best:
                        best, at_best = height, n
        else:
            stack[depth], stack[depth + 1] = second_child(node), at + 1
            depth += 2
    return (best, at_best) if at_best >= 0 else (math.inf, NONE)
