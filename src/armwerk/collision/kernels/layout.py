"""How shapes, meshes and arms lie in arrays: the names of all columns, and records of arrays.

A *row* is one shape in some frame, `WIDTH` numbers named by `ROW`. Kernels read it by the functions
of `armwerk.collision.kernels.fields`, Python by `named`.

    kind      what it is, one of the kinds below
    rotation  of its own frame; of a triangle its three corners instead
    position  of its own frame
    sizes     capsule (half length, 0, 0), box (half edges), cylinder (radius, half length, 0),
              cone (bottom radius, top radius, half length)
    radius    of the ball that is swept over the rest: sphere and capsule, else 0
    mesh      number of the mesh in `MeshTables`, -1 for all others
    centre    of a ball around the shape, in the same frame as the position
    reach     radius of that ball, slack included; infinite for half-spaces and outsides
    owner     number of the body, or of the link that carries the shape (0: what stands still)
    cover     first row of the shape's covers
    covers    how many there are
    slack     what rounding may make of a touch: two rows touch when the gap between them is at
              most the sum of theirs; `ALLOWANCE` of size and place

Half-spaces are solid where z of their own frame is at most 0. An *outside* is the complement of a
ball, of a capsule, or of an endless cylinder or cone about its own z axis: what is left of a
reachable region when its flat sides have become half-spaces. Its sizes are (radius, half length,
0), and for the cone (radius at z = 0, growth of the radius with z, 0).

A *frame* is a rigid transform of twelve numbers, three rows of four.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armwerk.arrays import Array, Integers

_VECTOR = (np.float64, (3,))
ROW = np.dtype(
    [
        ("kind", np.float64),
        ("rotation", np.float64, (3, 3)),
        ("position", *_VECTOR),
        ("sizes", *_VECTOR),
        ("radius", np.float64),
        ("mesh", np.float64),
        ("centre", *_VECTOR),
        ("reach", np.float64),
        ("owner", np.float64),
        ("cover", np.float64),
        ("covers", np.float64),
        ("slack", np.float64),
    ]
)
"""Fields of a row; all are float64, so that a row is a plain array as well."""
NODE = np.dtype([("low", *_VECTOR), ("high", *_VECTOR), ("next", np.float64), ("count", "f8")])
"""Fields of a box of a tree: its lowest and highest corner. Of a leaf ``next`` is its first
triangle and ``count`` their number; of an inner node ``next`` is its second child and ``count`` 0:
the first child is the node behind it. An end of a cover has ``count`` `END`: the box itself stands
for what is in it."""
MESH_ENTRY = np.dtype(
    [(name, np.int64) for name in ("root", "triangles", "point", "points", "triangle", "cover")]
)
"""Fields of a mesh: its first node, number of triangles, first point and their number, first
triangle, and the first node of the tree that others are held against: the same, or its cover."""


def _columns(record: np.dtype[np.void]) -> list[int]:
    """Return where the fields of a record begin, in numbers of eight bytes."""
    return [offset // 8 for _, offset, *_ in (record.fields or {}).values()]


(
    KIND,
    ROTATION,
    POSITION,
    SIZES,
    RADIUS,
    MESH,
    CENTRE,
    REACH,
    OWNER,
    COVER,
    COVERS,
    SLACK,
) = _columns(ROW)
LOW, HIGH, NEXT, COUNT = _columns(NODE)
ROOT, TRIANGLES, POINT, POINTS, FIRST_TRIANGLE, COVER_ROOT = _columns(MESH_ENTRY)
WIDTH = ROW.itemsize // 8
NODE_WIDTH = NODE.itemsize // 8
ENTRY_WIDTH = MESH_ENTRY.itemsize // 8

SPHERE, CAPSULE, BOX, CYLINDER, CONE, HALF_SPACE, TRIANGLE_MESH, TRIANGLE = range(8)
OUTSIDE_CAPSULE, OUTSIDE_CYLINDER, OUTSIDE_CONE = 8, 9, 10  # a ball is a capsule without length

OWN = -2
"""Where a body is named by its number, ``OWN - k`` is shape k of the arm itself, and -1 nothing."""

ALLOWANCE = 1e-12
"""Share of size and place that rounding may make of a touch; a gap up to that is none."""

END = -1
"""Instead of a number of triangles: the node is a box that ends a cover."""
LEAF = 2  # triangles in a leaf: a box is tested in a fraction of the time of a triangle
DEEPEST = 64  # of a tree; halving keeps 2**31 triangles below half of that
WORK = 160  # width of a kernel's working rows: room for a shape, and for a stack of two trees


def named(rows: Array) -> NDArray[np.void]:
    """Return rows by the names of their fields; what is written there is written to the rows.

    Args:
        rows: Contiguous. Shape (..., WIDTH).

    Returns:
        A structured view. Shape (...).
    """
    fields: NDArray[np.void] = rows.view(ROW)[..., 0]
    return fields


class MeshTables(NamedTuple):
    """All meshes of a scene.

    Args:
        triangles: Corners, nine numbers, in the mesh's own frame. Shape (t, 9).
        nodes: Boxes of the trees, see `NODE`. Shape (k, NODE_WIDTH).
        entries: Where each mesh lies in the others, see `MESH_ENTRY`. Shape (m, ENTRY_WIDTH).
        points: One corner of every connected piece. Shape (p, 3).
    """

    triangles: Array
    nodes: Array
    entries: Integers
    points: Array


class PackedScene(NamedTuple):
    """Everything but the arm's joints.

    Args:
        shapes: Shapes of the arm in the frames of their links. Shape (s, WIDTH).
        covers: Covers of those that have some, in the same frames. Shape (c, WIDTH).
        bodies: Rows of the bodies in the world; a region has several. Shape (b, WIDTH).
        boxes: Lowest and highest corners of those rows. Shape (6, b).
        pairs: Which shapes are held against which. Shape (p, 2).
        meshes: Tables of all meshes.
    """

    shapes: Array
    covers: Array
    bodies: Array
    boxes: Array
    pairs: Integers
    meshes: MeshTables


class JointChain(NamedTuple):
    """The joints of one or more arms; link i + 1 is behind joint i, link 0 is the world.

    Args:
        before: Constant frame before each joint. Shape (n, 12).
        sliding: 1 where the joint slides along z, 0 where it turns about z. Shape (n,).
        parents: Number of the link that carries the joint. Shape (n,).
    """

    before: Array
    sliding: Integers
    parents: Integers


class MovingPoints(NamedTuple):
    """The points by which shapes move, see `armwerk.collision.kernels.motion`.

    Args:
        points: In the frames of their links, and a radius that goes along. Shape (k, 4).
        first: Where the points of each shape begin. Shape (s + 1,).
        commons: For each pair of shapes, the link from which both hang. Shape (p,).
    """

    points: Array
    first: Integers
    commons: Integers


class Scratch(NamedTuple):
    """Working space for two rows.

    Args:
        vectors: For `gjk` and what comes after it; its rows are named below. Shape (VECTORS, 3).
        rows: Shapes, triangles and stacks, named below. Shape (6, WORK).
    """

    vectors: Array
    rows: Array


# rows of Scratch.vectors: the simplex of gjk, each corner with the points of both bodies behind it
CORNERS, FIRSTS, SECONDS = 0, 4, 8
SHARES, SIMPLEX_SIZE, DIRECTION = 12, 13, 14  # of the corners; how many; out of the second body
NEAREST_FIRST, NEAREST_SECOND = 15, 16  # of the two cores, without swept balls
POINT_FIRST, POINT_SECOND = 17, 18  # of the two rows: the answer
VECTORS = 19
# rows of Scratch.rows
LOCAL, STACK, TRIANGLE_FIRST, TRIANGLE_SECOND, OTHER_STACK, BOUNDS = range(6)


class SceneScratch(NamedTuple):
    """Working space for a scene in one configuration after the other.

    Args:
        rows: Shapes in the world. Shape (s, WIDTH).
        covers: Covers in the world. Shape (c, WIDTH).
        centres: Of the balls around the shapes, in the world. Shape (s, 3).
        gaps: Squared distances of one of them to all boxes. Shape (b,).
        ready: Which shapes have been placed. Shape (s,).
        scratch: For two rows.
    """

    rows: Array
    covers: Array
    centres: Array
    gaps: Array
    ready: Integers
    scratch: Scratch
