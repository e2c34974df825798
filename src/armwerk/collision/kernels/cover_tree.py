"""Covers of meshes: trees of boxes that end where a box reaches little beyond the solid.

The tree of a mesh is followed from its root. A box of which every point is proved to be within a
tolerance of the solid is an end: it stands for all that is in it. A leaf that is none keeps its
triangles. So the boxes and triangles of a cover hold the whole surface, and it has no more of them
than the mesh.

The proof cuts a box into cells. With r from the middle of a cell to its corners and d from there to
the surface, no point of the cell is farther from the solid than d + r; than r - d, if the middle is
inside, since the ball of radius d is; and than the farthest corner is from any one triangle, whose
distance is a convex function.
"""

from __future__ import annotations

import math

import numpy as np

from armwerk.arrays import Array
from armwerk.collision.kernels.fields import (
    MeshEntry,
    box_half,
    box_middle,
    corner,
    is_leaf,
    leaf_range,
    second_child,
)
from armwerk.collision.kernels.layout import (
    COUNT,
    DEEPEST,
    END,
    HIGH,
    LOW,
    NEXT,
    NODE_WIDTH,
    WORK,
    MeshTables,
)
from armwerk.collision.kernels.signatures import MESHES, NUMBER, ROWS, answers
from armwerk.collision.kernels.simple import point_triangle
from armwerk.collision.kernels.tree import inside
from armwerk.collision.kernels.vectors import Vector, dot
from armwerk.compiled import entry, inner

_CELLS = 250  # of one box, before the proof is given up
_NONE = -1  # instead of a triangle


@inner
def _square_to_box(p: Vector, node: Array) -> float:
    """Return the squared distance of a point to a box of a tree."""
    x = max(node[LOW] - p[0], p[0] - node[HIGH], 0.0)
    y = max(node[LOW + 1] - p[1], p[1] - node[HIGH + 1], 0.0)
    z = max(node[LOW + 2] - p[2], p[2] - node[HIGH + 2], 0.0)
    return x * x + y * y + z * z


@inner
def _square_to(p: Vector, triangle: Array) -> float:
    """Return the squared distance of a point to a triangle."""
    return point_triangle(p, corner(triangle, 0), corner(triangle, 1), corner(triangle, 2))[2]


@inner
def _nearest(
    p: Vector, far: float, guess: int, root: int, meshes: MeshTables, work: Array
) -> tuple[float, int]:
    """Return the distance of a point to a surface, and the triangle that is there.

    Args:
        p: The point.
        far: Distances from this one on do not matter: infinity and `_NONE` are returned for them.
        guess: A triangle that may be near, or `_NONE`.
        root: First node of the tree.
        meshes: All meshes.
        work: Working space. Shape (2, WORK).
    """
    triangles, nodes = meshes.triangles, meshes.nodes
    stack, bounds = work[0], work[1]
    best, found = far * far, _NONE
    if guess != _NONE:
        square = _square_to(p, triangles[guess])
        if square < best:
            best, found = square, guess
    stack[0], bounds[0] = root, 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        if bounds[depth] >= best:
            continue
        at = int(stack[depth])
        node = nodes[at]
        if is_leaf(node):
            first, last = leaf_range(node)
            for n in range(first, last):
                square = _square_to(p, triangles[n])
                if square < best:
                    best, found = square, n
            continue
        one, two = at + 1, second_child(node)
        first_square, second_square = _square_to_box(p, nodes[one]), _square_to_box(p, nodes[two])
        if first_square < second_square:
            one, two, first_square, second_square = two, one, second_square, first_square
        stack[depth], bounds[depth] = one, first_square
        stack[depth + 1], bounds[depth + 1] = two, second_square
        depth += 2
    return (math.sqrt(best), found) if found != _NONE else (math.inf, _NONE)


@inner
def _farthest_corner(cell: Array, triangle: Array) -> float:
    """Return the distance to a triangle of the corner of a box that is farthest from it."""
    most = 0.0
    for n in range(8):
        p = (
            cell[LOW] if n % 2 == 0 else cell[HIGH],
            cell[LOW + 1] if n // 2 % 2 == 0 else cell[HIGH + 1],
            cell[LOW + 2] if n // 4 == 0 else cell[HIGH + 2],
        )
        most = max(most, _square_to(p, triangle))
    return math.sqrt(most)


@inner
def _halve_cell(cells: Array, n: int) -> None:
    """Cut cell n across its longest side; the second half becomes cell n + 1."""
    longest, axis = -1.0, 0
    for k in range(3):
        side = cells[n, HIGH + k] - cells[n, LOW + k]
        if side > longest:
            longest, axis = side, k
    for k in range(6):
        cells[n + 1, k] = cells[n, k]
    level = 0.5 * (cells[n, LOW + axis] + cells[n, HIGH + axis])
    cells[n, HIGH + axis] = cells[n + 1, LOW + axis] = level


@inner
def _beyond(
    box: Array, tolerance: float, mesh: MeshEntry, meshes: MeshTables, work: Array, cells: Array
) -> float:
    """Return how far a point of a box can be from the solid; infinity: not within the tolerance.

    Args:
        box: A box of a tree, or one laid out like it, that holds a point of the surface.
        tolerance: Largest distance that matters.
        mesh: Which mesh.
        meshes: All meshes.
        work: Working space. Shape (2, WORK).
        cells: Working space. Shape (_CELLS + 2, 6).
    """
    half = box_half(box)
    across = 2.0 * math.sqrt(dot(half, half))
    if across <= tolerance:
        return across
    for k in range(6):
        cells[0, k] = box[k]
    count, tried, most, guess = 1, 0, 0.0, _NONE
    while count > 0:
        cell = cells[count - 1]
        tried += 1
        if tried > _CELLS:
            return math.inf
        middle, half = box_middle(cell), box_half(cell)
        r = math.sqrt(dot(half, half))
        d, n = _nearest(middle, max(tolerance, r) * 1.001, guess, mesh.root, meshes, work)
        bound = d + r
        if n != _NONE:
            guess = n
            if bound > tolerance:
                bound = min(bound, _farthest_corner(cell, meshes.triangles[n]))
        if bound > tolerance and (d > tolerance or r - d <= tolerance):
            if inside(middle, mesh, meshes, work[0]):
                bound = min(bound, max(r - d, 0.0))
            elif d > tolerance:
                return math.inf
        if bound <= tolerance:
            most = max(most, bound)
            count -= 1
        else:
            _halve_cell(cells, count - 1)
            count += 1
    return most


@entry(answers(ROWS, NUMBER)(MESHES, NUMBER))
def cover_nodes(meshes: MeshTables, tolerance: float) -> tuple[Array, float]:
    """Return the tree of a cover, and how far a point of its ends can be from the solid.

    Args:
        meshes: Tables of one mesh.
        tolerance: How far that may be; infinite: anything.

    Returns:
        Nodes, numbered from 0, with triangles as they are numbered in the tables. Shape
        (k, NODE_WIDTH). And the distance, at most the tolerance.
    """
    nodes = meshes.nodes
    mesh = MeshEntry(0, 0, 0, meshes.triangles.shape[0], 0, meshes.points.shape[0])
    out = np.zeros(nodes.shape)
    work, cells = np.zeros((2, WORK)), np.zeros((_CELLS + 2, 6))
    sources = np.empty(DEEPEST, dtype=np.int64)
    parents = np.empty(DEEPEST, dtype=np.int64)  # whose second child it is; -1: nobody's
    sources[0], parents[0] = 0, -1
    depth, used, error = 1, 0, 0.0
    while depth > 0:
        depth -= 1
        source = sources[depth]
        if parents[depth] >= 0:
            out[parents[depth], NEXT] = used
        node = out[used]
        used += 1
        for k in range(NODE_WIDTH):
            node[k] = nodes[source, k]
        bound = _beyond(node, tolerance, mesh, meshes, work, cells)
        if bound <= tolerance:
            node[COUNT] = END
            error = max(error, bound)
        elif not is_leaf(node):
            sources[depth], sources[depth + 1] = second_child(node), source + 1
            parents[depth], parents[depth + 1] = used - 1, -1
            depth += 2
    return out[:used].copy(), error
