"""Whether meshes touch: a convex row against a mesh, and a mesh against a mesh.

Everything happens in the frame of the (first) mesh. Boxes of its tree are held against the box
around the other body; the triangles that remain are tested exactly.
"""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.convex_contact import touch_convex
from armwerk.collision.kernels.fields import (
    MeshEntry,
    axis,
    axis_z,
    box_half,
    box_middle,
    corner,
    half_length,
    high_corner,
    is_end,
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
    POSITION,
    RADIUS,
    ROTATION,
    SIZES,
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
from armwerk.collision.kernels.separating import box_box, box_triangle, triangle_triangle
from armwerk.collision.kernels.simple import point_triangle, segment_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.collision.kernels.vectors import Vector, ahead, dot, minus, scaled
from armwerk.compiled import inner

NONE = -1
"""Instead of the number of a triangle."""


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
def as_box(node: Array, row: Array) -> None:
    """Make a working row the box of a node, in the frame of its mesh."""
    row[KIND], row[RADIUS], row[SLACK] = BOX, 0.0, 0.0
    for k in range(9):
        row[ROTATION + k] = 1.0 if k % 4 == 0 else 0.0
    row[POSITION], row[POSITION + 1], row[POSITION + 2] = box_middle(node)
    row[SIZES], row[SIZES + 1], row[SIZES + 2] = box_half(node)


@inner
def carry_box(frame: Array, node: Array, row: Array) -> None:
    """Make a working row the box of a node, where the row of its mesh is given."""
    row[KIND], row[RADIUS], row[SLACK] = BOX, 0.0, 0.0
    for k in range(9):
        row[ROTATION + k] = frame[ROTATION + k]
    x, y, z = outer_point(frame, box_middle(node))
    row[POSITION], row[POSITION + 1], row[POSITION + 2] = x, y, z
    row[SIZES], row[SIZES + 1], row[SIZES + 2] = box_half(node)


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
def _touches_leaf(row: Array, node: Array, triangles: Array, other: Array, vectors: Array) -> bool:
    """Whether a convex row, with the slack of the pair, touches what is in a leaf."""
    if is_end(node):
        as_box(node, other)
        if kind_of(row) <= BOX:
            return touch_convex(row, other, vectors)
        return touch_convex(other, row, vectors)
    first, last = leaf_range(node)
    for n in range(first, last):  # noqa: SIM110 - no generators in kernels
        if _touches_triangle(row, triangles[n], other, vectors):
            return True
    return False


@inner
def row_mesh(row: Array, mesh: Array, meshes: MeshTables, scratch: Scratch) -> bool:
    """Whether a convex row touches a mesh or is inside.

    Args:
        row: The convex body.
        mesh: The row of the mesh, in the same frame.
        meshes: All meshes.
        scratch: Working space.
    """
    nodes = meshes.nodes
    entry = mesh_entry(meshes.entries, mesh)
    body, stack, other = scratch.rows[LOCAL], scratch.rows[STACK], scratch.rows[TRIANGLE_SECOND]
    place_relative(mesh, row, body)
    body[SLACK] += slack(mesh)
    h0, h1, h2 = half_box(body)
    half = (h0 + slack(body), h1 + slack(body), h2 + slack(body))
    depth = 1
    stack[0] = entry.cover
    while depth > 0:
        depth -= 1
        at = int(stack[depth])
        node = nodes[at]
        if boxes_apart(node, body, position(body), half):
            continue
        if is_leaf(node):
            if _touches_leaf(body, node, meshes.triangles, other, scratch.vectors):
                return True
        else:
            stack[depth], stack[depth + 1] = second_child(node), at + 1
            depth += 2
    return inside(position(body), entry, meshes, stack)


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
    x, y, z = box_half(second)
    half = (x + grown, y + grown, z + grown)
    return boxes_apart(first, frame, outer_point(frame, box_middle(second)), half)


@inner
def splits_first(first: Array, second: Array) -> bool:
    """Whether of two boxes, not both leaves, the first one is to be opened: the larger one."""
    if is_leaf(second):
        return True
    return not is_leaf(first) and longest_side(first) >= longest_side(second)


@inner
def _leaves_touch(
    p: Array, q: Array, frame: Array, grown: float, triangles: Array, scratch: Scratch
) -> bool:
    """Whether what is in two leaves touches, the second one given in a frame."""
    one, two = scratch.rows[TRIANGLE_FIRST], scratch.rows[TRIANGLE_SECOND]
    if is_end(q):
        carry_box(frame, q, two)
        two[SLACK] = grown
        if is_end(p):
            as_box(p, one)
            return box_box(one, two)
        first, last = leaf_range(p)
        for n in range(first, last):  # noqa: SIM110 - no generators in kernels
            if box_triangle(two, triangles[n]):
                return True
        return False
    other_first, other_last = leaf_range(q)
    if is_end(p):
        as_box(p, one)
        one[SLACK] = grown
        for m in range(other_first, other_last):
            carry_triangle(frame, triangles[m], two)
            if box_triangle(one, two):
                return True
        return False
    first, last = leaf_range(p)
    for m in range(other_first, other_last):
        carry_triangle(frame, triangles[m], two)
        for n in range(first, last):
            if triangle_triangle(triangles[n], two, grown, scratch.vectors):
                return True
    return False


@inner
def mesh_mesh(a: Array, b: Array, meshes: MeshTables, scratch: Scratch) -> bool:
    """Whether two meshes touch, or a piece of one is inside the other."""
    triangles, nodes = meshes.triangles, meshes.nodes
    one, two = mesh_entry(meshes.entries, a), mesh_entry(meshes.entries, b)
    other = scratch.rows[LOCAL]
    firsts, seconds = scratch.rows[STACK], scratch.rows[OTHER_STACK]
    grown = slack(a) + slack(b)
    place_relative(a, b, other)
    firsts[0], seconds[0] = one.cover, two.cover
    depth = 1
    while depth > 0:
        depth -= 1
        i, j = int(firsts[depth]), int(seconds[depth])
        p, q = nodes[i], nodes[j]
        if _nodes_apart(p, q, other, grown):
            continue
        if is_leaf(p) and is_leaf(q):
            if _leaves_touch(p, q, other, grown, triangles, scratch):
                return True
            continue
        if splits_first(p, q):
            firsts[depth], firsts[depth + 1] = second_child(p), i + 1
            seconds[depth] = seconds[depth + 1] = j
        else:
            firsts[depth] = firsts[depth + 1] = i
            seconds[depth], seconds[depth + 1] = second_child(q), j + 1
        depth += 2
    return piece_inside(a, b, meshes, two, firsts) or piece_inside(b, a, meshes, one, firsts)


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
