"""Distances of meshes by their trees: the nearer boxes first, none that cannot be nearer."""

from __future__ import annotations

import math

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    axis,
    box_half,
    box_middle,
    corner,
    high_corner,
    is_end,
    is_leaf,
    kind_of,
    leaf_range,
    mesh_entry,
    position,
    put_at,
    radius_of,
    rotation_row,
    second_child,
    vector_at,
)
from armwerk.collision.kernels.gjk import gjk
from armwerk.collision.kernels.layout import (
    BOUNDS,
    CAPSULE,
    KIND,
    LOCAL,
    NEAREST_FIRST,
    NEAREST_SECOND,
    OTHER_STACK,
    POINT_FIRST,
    POINT_SECOND,
    RADIUS,
    ROTATION,
    SPHERE,
    STACK,
    TRIANGLE,
    TRIANGLE_FIRST,
    TRIANGLE_SECOND,
    MeshTables,
    Scratch,
)
from armwerk.collision.kernels.mesh_contact import (
    as_box,
    as_triangle,
    carry_box,
    carry_triangle,
    core_segment,
    extent,
    piece_inside,
    splits_first,
)
from armwerk.collision.kernels.rows import half_box, outer_point, place_relative
from armwerk.collision.kernels.simple import point_triangle, segment_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.collision.kernels.vectors import Vector, ahead, dot, minus
from armwerk.compiled import inner


@inner
def _boxes_gap(node: Array, row: Array, middle: Vector, half: Vector) -> float:
    """Return a lower bound of the distance of a box of the tree to a turned box.

    Along three directions at right angles the gaps add up as the sides of a cuboid do; both
    boxes' own directions are tried. Arguments as in `boxes_apart`.
    """
    own = box_middle(node)
    edges = minus(high_corner(node), own)
    between = minus(middle, own)
    one = (
        max(abs(between[0]) - edges[0] - extent(half, rotation_row(row, 0)), 0.0),
        max(abs(between[1]) - edges[1] - extent(half, rotation_row(row, 1)), 0.0),
        max(abs(between[2]) - edges[2] - extent(half, rotation_row(row, 2)), 0.0),
    )
    two = (
        max(abs(dot(between, axis(row, 0))) - half[0] - extent(edges, axis(row, 0)), 0.0),
        max(abs(dot(between, axis(row, 1))) - half[1] - extent(edges, axis(row, 1)), 0.0),
        max(abs(dot(between, axis(row, 2))) - half[2] - extent(edges, axis(row, 2)), 0.0),
    )
    return math.sqrt(max(dot(one, one), dot(two, two)))


@inner
def _to_triangle(row: Array, triangle: Array, far: float, other: Array, vectors: Array) -> float:
    """Return the distance of a convex row to a triangle, 0 or less when they touch.

    The vectors `NEAREST_FIRST` and `NEAREST_SECOND` hold the nearest points of row and triangle,
    if it is below ``far``; ``other`` is a working row.
    """
    kind, r = kind_of(row), radius_of(row)
    if kind > CAPSULE:
        as_triangle(triangle, other)
        return gjk(row, other, far, vectors)
    start, way = core_segment(row)
    a, b, c = corner(triangle, 0), corner(triangle, 1), corner(triangle, 2)
    if kind == SPHERE:
        s = 0.0
        p, q, square = point_triangle(start, a, b, c)
    else:
        s, p, q, square = segment_triangle(start, way, a, b, c)
    size = math.sqrt(square)
    if size - r < far:
        there = ahead(ahead(a, p, minus(b, a)), q, minus(c, a))
        here = ahead(start, s, way)
        here = ahead(here, r / size, minus(there, here)) if size > r else there
        put_at(here, vectors, NEAREST_FIRST)
        put_at(there, vectors, NEAREST_SECOND)
    return size - r


@inner
def _to_box(row: Array, box: Array, far: float, vectors: Array) -> float:
    """Return the distance of a convex row to a box, 0 or less when they touch.

    Nearest points as of `_to_triangle`.
    """
    r = radius_of(row)
    size = gjk(row, box, far + r, vectors)
    if size - r < far:
        here, there = vector_at(vectors, NEAREST_FIRST), vector_at(vectors, NEAREST_SECOND)
        here = ahead(here, r / size, minus(there, here)) if size > r else there
        put_at(here, vectors, NEAREST_FIRST)
    return size - r


@inner
def _answer(vectors: Array) -> None:
    """Take the nearest points for the answer, in the frame of the mesh so far."""
    put_at(vector_at(vectors, NEAREST_FIRST), vectors, POINT_FIRST)
    put_at(vector_at(vectors, NEAREST_SECOND), vectors, POINT_SECOND)


@inner
def _answer_outside(mesh: Array, vectors: Array) -> None:
    """Bring both points of the answer from the frame of a mesh to its surroundings."""
    put_at(outer_point(mesh, vector_at(vectors, POINT_FIRST)), vectors, POINT_FIRST)
    put_at(outer_point(mesh, vector_at(vectors, POINT_SECOND)), vectors, POINT_SECOND)


@inner
def row_mesh_gap(
    row: Array, mesh: Array, far: float, meshes: MeshTables, scratch: Scratch
) -> float:
    """Return the distance of a convex row to a mesh; 0 when they touch or the row is inside.

    Args:
        row: The convex body.
        mesh: The row of the mesh, in the same frame.
        far: Distances from this one on do not matter: infinity is returned for them.
        meshes: All meshes.
        scratch: Working space; `POINT_FIRST` and `POINT_SECOND` are filled.
    """
    triangles, nodes, vectors = meshes.triangles, meshes.nodes, scratch.vectors
    entry = mesh_entry(meshes.entries, mesh)
    body, stack, bounds = scratch.rows[LOCAL], scratch.rows[STACK], scratch.rows[BOUNDS]
    other = scratch.rows[TRIANGLE_SECOND]
    place_relative(mesh, row, body)
    half, at_row = half_box(body), position(body)
    best, found, depth = far, False, 1
    stack[0], bounds[0] = entry.cover, 0.0
    while depth > 0 and best > 0.0:
        depth -= 1
        if bounds[depth] >= best:
            continue
        at = int(stack[depth])
        node = nodes[at]
        if is_end(node):
            as_box(node, other)
            gap = _to_box(body, other, best, vectors)
            if gap < best:
                best, found = gap, True
                _answer(vectors)
            continue
        if is_leaf(node):
            begin, end = leaf_range(node)
            for n in range(begin, end):
                gap = _to_triangle(body, triangles[n], best, other, vectors)
                if gap < best:
                    best, found = gap, True
                    _answer(vectors)
            continue
        one, two = at + 1, second_child(node)
        first = _boxes_gap(nodes[one], body, at_row, half)
        second = _boxes_gap(nodes[two], body, at_row, half)
        if first < second:
            one, two, first, second = two, one, second, first
        stack[depth], bounds[depth] = one, first
        stack[depth + 1], bounds[depth + 1] = two, second
        depth += 2
    if best > 0.0 and inside(at_row, entry, meshes, stack):
        best, found = 0.0, True
        put_at(at_row, vectors, POINT_FIRST)
        put_at(at_row, vectors, POINT_SECOND)
    if not found:
        return math.inf
    _answer_outside(mesh, vectors)
    return max(best, 0.0)


@inner
def _nodes_gap(first: Array, second: Array, frame: Array) -> float:
    """Return a lower bound of the distance of two boxes, the second one given in a frame."""
    return _boxes_gap(first, frame, outer_point(frame, box_middle(second)), box_half(second))


@inner
def _parts(leaf: Array) -> int:
    """Return of how many convex rows a leaf is made: triangles, or one box."""
    begin, end = leaf_range(leaf)
    return 1 if is_end(leaf) else end - begin


@inner
def _part(leaf: Array, n: int, triangles: Array, row: Array) -> None:
    """Make a working row one of the parts of a leaf."""
    if is_end(leaf):
        as_box(leaf, row)
    else:
        as_triangle(triangles[leaf_range(leaf)[0] + n], row)


@inner
def _carried_part(frame: Array, leaf: Array, n: int, triangles: Array, row: Array) -> None:
    """Make a working row one of the parts of a leaf that is given in a frame."""
    if is_end(leaf):
        carry_box(frame, leaf, row)
    else:
        row[KIND], row[RADIUS] = TRIANGLE, 0.0
        carry_triangle(frame, triangles[leaf_range(leaf)[0] + n], row[ROTATION:])


@inner
def mesh_mesh_gap(a: Array, b: Array, far: float, meshes: MeshTables, scratch: Scratch) -> float:
    """Return the distance of two meshes; 0 when they touch or one is inside the other.

    Arguments as in `row_mesh_gap`.
    """
    triangles, nodes, vectors = meshes.triangles, meshes.nodes, scratch.vectors
    one, two = mesh_entry(meshes.entries, a), mesh_entry(meshes.entries, b)
    other, carried, own = (
        scratch.rows[LOCAL],
        scratch.rows[TRIANGLE_FIRST],
        scratch.rows[TRIANGLE_SECOND],
    )
    firsts, seconds = scratch.rows[STACK], scratch.rows[OTHER_STACK]
    bounds = scratch.rows[BOUNDS]
    place_relative(a, b, other)
    best, found, depth = far, False, 1
    firsts[0], seconds[0], bounds[0] = one.cover, two.cover, 0.0
    while depth > 0 and best > 0.0:
        depth -= 1
        if bounds[depth] >= best:
            continue
        i, j = int(firsts[depth]), int(seconds[depth])
        p, q = nodes[i], nodes[j]
        if is_leaf(p) and is_leaf(q):
            for m in range(_parts(q)):
                _carried_part(other, q, m, triangles, carried)
                for n in range(_parts(p)):
                    _part(p, n, triangles, own)
                    gap = gjk(own, carried, best, vectors)
                    if gap < best:
                        best, found = gap, True
                        _answer(vectors)
            continue
        first_opens = splits_first(p, q)
        i1, i2 = (i + 1, second_child(p)) if first_opens else (i, i)
        j1, j2 = (j, j) if first_opens else (j + 1, second_child(q))
        first = _nodes_gap(nodes[i1], nodes[j1], other)
        second = _nodes_gap(nodes[i2], nodes[j2], other)
        if first < second:
            i1, i2, j1, j2, first, second = i2, i1, j2, j1, second, first
        firsts[depth], seconds[depth], bounds[depth] = i1, j1, first
        firsts[depth + 1], seconds[depth + 1], bounds[depth + 1] = i2, j2, second
        depth += 2
    if best > 0.0:
        for swap in range(2):
            inner_row, outer_row, into = (a, b, two) if swap == 0 else (b, a, one)
            if piece_inside(inner_row, outer_row, meshes, into, firsts):
                k = mesh_entry(meshes.entries, inner_row).first_point
                point = outer_point(inner_row, vector_at(meshes.points, k))
                put_at(point, vectors, POINT_FIRST)
                put_at(point, vectors, POINT_SECOND)
                return 0.0
    if not found:
        return math.inf
    _answer_outside(a, vectors)
    return max(best, 0.0)
