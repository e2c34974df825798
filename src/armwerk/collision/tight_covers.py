"""Covers: what stands for a shape where contacts may be told a little early, and how early.

A mesh is covered by boxes of its own tree, see `armwerk.collision.kernels.cover_tree`; a thin
cylinder or cone by a capsule.
"""

from __future__ import annotations

from armwerk.collision.covers import covers
from armwerk.collision.packing import mesh_tree
from armwerk.geometry import Capsule, Cone, Cylinder, Mesh, Shape

TOLERANCE = 0.01
"""[m] How far covers reach beyond what they stand for, unless somebody says otherwise."""


def stand_in(shape: Shape, tolerance: float) -> Shape:
    """Return a shape that is tested instead of another one.

    Args:
        shape: A mesh is its own, its cover is found when it is packed.
        tolerance: How far the other one may reach beyond it [m].
    """
    if isinstance(shape, Cylinder | Cone) and _capsule_error(shape) <= tolerance:
        return covers(shape)[0]
    return shape


def cover_error(shape: Shape, tolerance: float) -> float:
    """Return how far what stands for a shape reaches beyond it, at most [m].

    Args:
        shape: Any.
        tolerance: How far it may [m].

    Returns:
        At most the tolerance; 0 where the shape is tested as it is.
    """
    if isinstance(shape, Mesh):
        return mesh_tree(shape, tolerance).error
    if isinstance(shape, Cylinder | Cone):
        error = _capsule_error(shape)
        return error if error <= tolerance else 0.0
    return 0.0


def _capsule_error(shape: Cylinder | Cone) -> float:
    (capsule,) = covers(shape)
    assert isinstance(capsule, Capsule)
    if isinstance(shape, Cylinder):
        return capsule.radius
    return capsule.radius + max(shape.radius, shape.top_radius)
