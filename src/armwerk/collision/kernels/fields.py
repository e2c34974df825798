"""What a row, a frame or a box of a tree says, by name; see `armwerk.collision.kernels.layout`."""

from __future__ import annotations

from typing import NamedTuple

from armwerk.arrays import Array, Integers
from armwerk.collision.kernels.layout import (
    BOX,
    CENTRE,
    COUNT,
    COVER,
    COVER_ROOT,
    COVERS,
    FIRST_TRIANGLE,
    HIGH,
    KIND,
    LOW,
    MESH,
    NEXT,
    OWNER,
    POINT,
    POINTS,
    POSITION,
    RADIUS,
    REACH,
    ROOT,
    ROTATION,
    SIZES,
    SLACK,
    TRIANGLES,
)
from armwerk.collision.kernels.vectors import Vector
from armwerk.compiled import inner


@inner
def vector_at(rows: Array, n: int) -> Vector:
    """Return the first three numbers of row n; no view is made, which would be counted."""
    return rows[n, 0], rows[n, 1], rows[n, 2]


@inner
def put_at(v: Vector, rows: Array, n: int) -> None:
    """Fill the first three numbers of row n."""
    rows[n, 0], rows[n, 1], rows[n, 2] = v


# --- rows -----------------------------------------------------------------------------------------


@inner
def kind_of(row: Array) -> int:
    """Return what a row is, one of the kinds of `layout`."""
    return int(row[KIND])


@inner
def is_plain(row: Array) -> bool:
    """Whether a row is a sphere, a capsule or a box, which have tests in closed form."""
    return row[KIND] <= BOX


@inner
def position(row: Array) -> Vector:
    """Return where the frame of a row is."""
    return row[POSITION], row[POSITION + 1], row[POSITION + 2]


@inner
def axis(row: Array, k: int) -> Vector:
    """Return axis k of the frame of a row: a column of its rotation."""
    return row[ROTATION + k], row[ROTATION + 3 + k], row[ROTATION + 6 + k]


@inner
def rotation_row(row: Array, k: int) -> Vector:
    """Return a row of the rotation: how far the three axes go along direction k outside."""
    at = ROTATION + 3 * k
    return row[at], row[at + 1], row[at + 2]


@inner
def axis_z(row: Array) -> Vector:
    """Return the axis of a capsule, cylinder or cone; of a half-space the way out of it."""
    return row[ROTATION + 2], row[ROTATION + 5], row[ROTATION + 8]


@inner
def radius_of(row: Array) -> float:
    """Return the radius of the ball swept over a sphere's or capsule's core, else 0."""
    return row[RADIUS]


@inner
def half_length(row: Array) -> float:
    """Return half the length of a capsule's core; 0 for a sphere."""
    return row[SIZES]


@inner
def half_edges(row: Array) -> Vector:
    """Return half the edges of a box."""
    return row[SIZES], row[SIZES + 1], row[SIZES + 2]


@inner
def cylinder_sizes(row: Array) -> tuple[float, float]:
    """Return radius and half length of a cylinder."""
    return row[SIZES], row[SIZES + 1]


@inner
def cone_sizes(row: Array) -> Vector:
    """Return bottom radius, top radius and half length of a cone."""
    return row[SIZES], row[SIZES + 1], row[SIZES + 2]


@inner
def outside_sizes(row: Array) -> tuple[float, float]:
    """Return radius and half length of an outside; of a cone radius at z = 0 and its growth."""
    return row[SIZES], row[SIZES + 1]


@inner
def centre(row: Array) -> Vector:
    """Return the centre of the ball around a row."""
    return row[CENTRE], row[CENTRE + 1], row[CENTRE + 2]


@inner
def reach(row: Array) -> float:
    """Return the radius of the ball around a row."""
    return row[REACH]


@inner
def slack(row: Array) -> float:
    """Return what rounding may make of a touch of a row."""
    return row[SLACK]


@inner
def owner(row: Array) -> int:
    """Return the number of the body, or of the link that carries a shape."""
    return int(row[OWNER])


@inner
def cover_range(row: Array) -> tuple[int, int]:
    """Return the first of a shape's covers and the one behind its last."""
    first = int(row[COVER])
    return first, first + int(row[COVERS])


@inner
def corner(triangle: Array, c: int) -> Vector:
    """Return corner c of a triangle of nine numbers."""
    return triangle[3 * c], triangle[3 * c + 1], triangle[3 * c + 2]


@inner
def row_corner(row: Array, c: int) -> Vector:
    """Return corner c of a row that is a triangle."""
    return rotation_row(row, c)


# --- frames ---------------------------------------------------------------------------------------


@inner
def carried(frame: Array, p: Vector) -> Vector:
    """Return a point given in a frame in the world."""
    return (
        frame[0] * p[0] + frame[1] * p[1] + frame[2] * p[2] + frame[3],
        frame[4] * p[0] + frame[5] * p[1] + frame[6] * p[2] + frame[7],
        frame[8] * p[0] + frame[9] * p[1] + frame[10] * p[2] + frame[11],
    )


@inner
def frame_origin(frame: Array) -> Vector:
    """Return where a frame is."""
    return frame[3], frame[7], frame[11]


@inner
def frame_z(frame: Array) -> Vector:
    """Return the z axis of a frame: that of the joint before it."""
    return frame[2], frame[6], frame[10]


# --- meshes ---------------------------------------------------------------------------------------


class MeshEntry(NamedTuple):
    """Where one mesh lies in the tables.

    Args:
        root: First node of its tree.
        cover: First node of the tree that others are held against.
        first_triangle: Its first triangle.
        last_triangle: The one behind its last.
        first_point: Its first point.
        last_point: The one behind its last.
    """

    root: int
    cover: int
    first_triangle: int
    last_triangle: int
    first_point: int
    last_point: int


@inner
def mesh_entry(entries: Integers, row: Array) -> MeshEntry:
    """Return where the mesh of a row lies in the tables."""
    n = int(row[MESH])
    return MeshEntry(
        entries[n, ROOT],
        entries[n, COVER_ROOT],
        entries[n, FIRST_TRIANGLE],
        entries[n, FIRST_TRIANGLE] + entries[n, TRIANGLES],
        entries[n, POINT],
        entries[n, POINT] + entries[n, POINTS],
    )


@inner
def low_corner(node: Array) -> Vector:
    """Return the lowest corner of a box of a tree."""
    return node[LOW], node[LOW + 1], node[LOW + 2]


@inner
def high_corner(node: Array) -> Vector:
    """Return the highest corner of a box of a tree."""
    return node[HIGH], node[HIGH + 1], node[HIGH + 2]


@inner
def is_leaf(node: Array) -> bool:
    """Whether a node has no children, but triangles or itself."""
    return node[COUNT] != 0.0


@inner
def is_end(node: Array) -> bool:
    """Whether a node is a box that ends a cover."""
    return node[COUNT] < 0.0


@inner
def leaf_range(node: Array) -> tuple[int, int]:
    """Return the first triangle of a leaf and the one behind its last."""
    first = int(node[NEXT])
    return first, first + int(node[COUNT])


@inner
def second_child(node: Array) -> int:
    """Return the second child of an inner node; the first one is the node behind it."""
    return int(node[NEXT])


@inner
def box_middle(node: Array) -> Vector:
    """Return the middle of a box of a tree."""
    low, high = low_corner(node), high_corner(node)
    return 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])


@inner
def box_half(node: Array) -> Vector:
    """Return half the edges of a box of a tree."""
    low, high = low_corner(node), high_corner(node)
    return 0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2])


@inner
def longest_side(node: Array) -> float:
    """Return the longest side of a box of a tree."""
    return max(
        node[HIGH] - node[LOW], node[HIGH + 1] - node[LOW + 1], node[HIGH + 2] - node[LOW + 2]
    )
