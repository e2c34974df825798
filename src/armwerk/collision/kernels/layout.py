"""How shapes, meshes and arms lie in arrays.

A *row* of `SIZE` numbers is one shape in some frame:

    KIND      what it is, one of the kinds below
    ROT       rotation, nine numbers row by row; of a triangle its three corners instead
    POS       position (3)
    DIM       sizes: capsule (half length, 0, 0), box (half edges), cylinder (radius, half length,
              0), cone (bottom radius, top radius, half length)
    ROUND     radius of the ball that is swept over the rest: sphere and capsule, else 0
    MESH      row of the mesh table, -1 for all others
    MIDDLE    centre of a ball around the shape (3), in the same frame as POS
    REACH     radius of that ball, slack included; infinite for half-spaces and outsides
    OWNER     number of the body, or of the link that carries the shape (0: what stands still)
    COVER     first row of the shape's covers, COVERS how many there are
    SLACK     what rounding may make of a touch: two rows touch when the gap between them is at
              most the sum of theirs; `ALLOWANCE` of size and place

Half-spaces are solid where z of their own frame is at most 0. An *outside* is the complement of a
ball, of a capsule, or of an endless cylinder or cone about its own z axis: what is left of a
reachable region when its flat sides have become half-spaces. Its sizes are (radius, half length,
0), and for the cone (radius at z = 0, growth of the radius with z, 0).

All meshes share four tables. ``triangles``, Shape (t, 9): corners in the mesh's own frame.
``nodes``, Shape (k, 8): boxes of the trees, lowest and highest corner, then for a leaf its first
triangle and their number, for an inner node the number of its second child and 0; the first child
is the next row. ``meshes``, Shape (m, 5): first node, number of triangles, first and number of the
``points``, first triangle. ``points``, Shape (p, 3): one corner of every connected piece.

A *link* row of `LINK` numbers is one joint of an arm: constant transform before the joint (12
numbers row by row), kind (0 turns, 1 slides), number of the link before (0: the world).
"""

from __future__ import annotations

from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]  # float64; of numbers and tables int64, of answers bool

KIND, ROT, POS, DIM, ROUND, MESH, MIDDLE, REACH, OWNER, COVER, COVERS, SLACK = (
    0,
    1,
    10,
    13,
    16,
    17,
    18,
    21,
    22,
    23,
    24,
    25,
)
SIZE = 26
LINK = 14

SPHERE, CAPSULE, BOX, CYLINDER, CONE, HALF_SPACE, TRIANGLE_MESH, TRIANGLE = range(8)
OUTSIDE_CAPSULE, OUTSIDE_CYLINDER, OUTSIDE_CONE = 8, 9, 10  # a ball is a capsule without length

ALLOWANCE = 1e-12
"""Share of size and place that rounding may make of a touch; a gap up to that is none."""

LEAF = 2  # triangles in a leaf: a box is tested in a fraction of the time of a triangle
DEEPEST = 64  # of a tree; halving keeps 2**31 triangles below half of that
WORK = 160  # width of a kernel's working rows: room for a shape, and for a stack of two trees
