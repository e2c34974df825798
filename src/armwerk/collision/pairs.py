"""Two shapes in one frame: whether they touch, how far apart they are, and where."""

from __future__ import annotations

from dataclasses import dataclass

from armwerk.arrays import Array
from armwerk.collision.kernels.layout import MeshTables
from armwerk.collision.packing import MeshShelf, row_of
from armwerk.errors import UnsupportedError
from armwerk.geometry import HalfSpace, Shape


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """How far two things are apart.

    Args:
        value: [m]. Of two convex shapes that overlap, minus the depth: the shortest way that
            frees them. 0 when a mesh takes part in the overlap. Infinite: there is nothing else.
        point_a: Nearest point of the first [m]; common to both where a mesh overlaps. Shape (3,).
        point_b: Nearest point of the second [m]. Shape (3,).
        part: Name of the arm's shape, or of the first shape.
        body: Name of the body or of the arm's other shape, or of the second shape.
    """

    value: float
    point_a: Array
    point_b: Array
    part: str = ""
    body: str = ""


def contact(a: Shape, b: Shape) -> bool:
    """Whether two solids have a point in common; touching counts, as does one inside the other.

    Raises:
        DescriptionError: For a mesh that is not closed or has triangles without area.
        UnsupportedError: For two half-spaces.
    """
    from armwerk.collision.kernels.pair_contact import touch_many

    first, second, meshes = _packed(a, b)
    return bool(touch_many(first, second, meshes)[0])


def distance(a: Shape, b: Shape) -> Distance:
    """Return how far two solids are apart, with their nearest points.

    Raises:
        DescriptionError: For a mesh that is not closed or has triangles without area.
        UnsupportedError: For two half-spaces.
    """
    from armwerk.collision.kernels.pair_distance import gap_many

    first, second, meshes = _packed(a, b)
    values, points = gap_many(first, second, meshes)
    return Distance(float(values[0]), points[0, 0], points[0, 1], a.name, b.name)


def _packed(a: Shape, b: Shape) -> tuple[Array, Array, MeshTables]:
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        raise UnsupportedError("two half-spaces cannot be held against each other")
    shelf = MeshShelf()
    first, second = row_of(a, shelf)[None], row_of(b, shelf)[None]
    return first, second, shelf.tables()
