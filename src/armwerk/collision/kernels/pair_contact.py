"""Whether two rows of any kind have a point in common; touching counts."""

from __future__ import annotations

import numpy as np

from armwerk.arrays import Array, Flags
from armwerk.collision.kernels.convex_contact import touch_convex, touch_plain
from armwerk.collision.kernels.fields import (
    axis_z,
    kind_of,
    position,
    radius_of,
    slack,
)
from armwerk.collision.kernels.layout import (
    BOX,
    CONE,
    HALF_SPACE,
    KIND,
    TRIANGLE_MESH,
    VECTORS,
    WORK,
    MeshTables,
    Scratch,
)
from armwerk.collision.kernels.mesh_contact import NONE, mesh_height, mesh_mesh, row_mesh
from armwerk.collision.kernels.outside import leaves
from armwerk.collision.kernels.rows import support
from armwerk.collision.kernels.signatures import BOOLEAN, FLAGS, MESHES, NUMBERS, ROWS, SCRATCH
from armwerk.collision.kernels.vectors import dot, minus, opposite
from armwerk.compiled import entry, inner


@inner
def height(row: Array, plane: Array) -> float:
    """Return the least height of a convex row above a half-space's plane."""
    up = axis_z(plane)
    lowest = support(row, opposite(up))
    return dot(up, minus(lowest, position(plane))) - radius_of(row)


@entry(BOOLEAN(NUMBERS, NUMBERS, MESHES, SCRATCH))
def touch(a: Array, b: Array, meshes: MeshTables, scratch: Scratch) -> bool:
    """Whether two rows in one frame have a point in common."""
    if a[KIND] > b[KIND]:
        a, b = b, a
    first, second = kind_of(a), kind_of(b)
    if second <= BOX:  # told apart here, which spares a call where most pairs are such
        return touch_plain(a, b)
    if second <= CONE:
        return touch_convex(a, b, scratch.vectors)
    grown = slack(a) + slack(b)
    if second == HALF_SPACE:
        return height(a, b) <= grown
    if second == TRIANGLE_MESH:
        if first == TRIANGLE_MESH:
            return mesh_mesh(a, b, meshes, scratch)
        if first == HALF_SPACE:
            return mesh_height(b, a, meshes, grown, scratch)[1] != NONE
        return row_mesh(a, b, meshes, scratch)
    return leaves(b, a, meshes, scratch.vectors)


@inner
def make_scratch() -> Scratch:
    """Return working space for two rows."""
    return Scratch(np.zeros((VECTORS, 3)), np.zeros((6, WORK)))


@entry(FLAGS(ROWS, ROWS, MESHES))
def touch_many(a: Array, b: Array, meshes: MeshTables) -> Flags:
    """Return for m pairs of rows whether they have a point in common. Shape (m,)."""
    out = np.zeros(a.shape[0], dtype=np.bool_)
    scratch = make_scratch()
    for n in range(a.shape[0]):
        out[n] = touch(a[n], b[n], meshes, scratch)
    return out
