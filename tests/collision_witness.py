"""Random shapes for the collision tests, and what coal and python-fcl say of them."""

from __future__ import annotations

from typing import Any

import coal
import fcl
import numpy as np

from armwerk.collision.kernels import layout
from armwerk.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Mesh,
    Shape,
    Sphere,
    rotation_exp,
)

KINDS = ("box", "sphere", "capsule", "cylinder", "cone", "mesh")
SHELL = 1e-6  # [m] within which the witnesses may call it either way


def random_shape(kind: str, rng: np.random.Generator, spread: float = 0.4) -> Shape:
    """Return a shape of 2 to 40 cm somewhere in a cube."""
    p, R = rng.uniform(-spread, spread, 3), rotation_exp(rng.normal(size=3) * 2)
    a, b, c = rng.uniform(0.02, 0.4, 3)
    if kind == "box":
        return Box((a, b, c), p, R)
    if kind == "sphere":
        return Sphere(a / 2, p)
    if kind == "capsule":
        return Capsule(a / 3, b, p, R)
    if kind == "cylinder":
        return Cylinder(a / 2, b, p, R)
    if kind == "cone":
        return Cone(a / 2, b, position=p, rotation=R)
    return lumpy_mesh(rng, b, a / 3).moved(Sphere(1.0, p, rotation=R).pose)


def lumpy_mesh(
    rng: np.random.Generator, length: float, radius: float, sides: int = 9, bumps: float = 0.4
) -> Mesh:
    """Return a closed, mostly concave mesh inside the capsule of that length and radius."""
    turns = np.linspace(0, np.pi / 2, 4)
    low = [(radius * np.sin(t), -length / 2 - radius * np.cos(t)) for t in turns[1:]]
    middle = [(radius, z) for z in np.linspace(-length / 2, length / 2, 5)[1:-1]]
    rings = low + middle + [(r, -z) for r, z in reversed(low)]
    angles = 2 * np.pi * np.arange(sides) / sides
    corners = [(0.0, 0.0, -length / 2 - radius)]
    for r, z in rings:
        shrink = r * (1 - bumps * rng.uniform(size=sides))
        corners += list(
            zip(shrink * np.cos(angles), shrink * np.sin(angles), [z] * sides, strict=True)
        )
    corners.append((0.0, 0.0, length / 2 + radius))
    faces, last = [], len(rings) - 1
    for i in range(sides):
        j = (i + 1) % sides
        faces.append((0, 1 + j, 1 + i))
        for k in range(last):
            a, b = 1 + k * sides + i, 1 + k * sides + j
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
        faces.append((1 + last * sides + i, 1 + last * sides + j, len(corners) - 1))
    return Mesh(corners, faces)


def cube_mesh(size: float = 1.0, name: str = "", inwards: bool = False) -> Mesh:
    """Return a cube of twelve triangles around the origin."""
    corners = Box((size, size, size)).corners
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return Mesh(corners, faces[:, ::-1] if inwards else faces, name=name)


def coal_geometry(shape: Shape) -> Any:
    """Return the shape's geometry for coal."""
    if isinstance(shape, Box):
        return coal.Box(*shape.size)
    if isinstance(shape, Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, Capsule):
        return coal.Capsule(shape.radius, shape.length)
    if isinstance(shape, Cylinder):
        return coal.Cylinder(shape.radius, shape.length)
    if isinstance(shape, Cone):
        return coal.Cone(shape.radius, shape.length)
    if isinstance(shape, Mesh):
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(shape.faces), len(shape.vertices))
        model.addVertices(np.array(shape.vertices))
        model.addTriangles(np.array(shape.faces))
        model.endModel()
        return model
    raise TypeError(shape)


def coal_pose(shape: Shape) -> Any:
    """Return the shape's pose for coal."""
    return coal.Transform3s(np.array(shape.rotation), np.array(shape.position))


def coal_distance(a: Any, T_a: Any, b: Any, T_b: Any) -> tuple[float, Any]:
    """Return coal's distance at a fine tolerance, and the points."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = 1000
    value = coal.distance(a, T_a, b, T_b, request, result)
    return value, np.array([result.getNearestPoint1(), result.getNearestPoint2()])


def coal_touches(a: Any, T_a: Any, b: Any, T_b: Any) -> bool:
    """Return coal's contact; its default request, the other one misses deep overlaps."""
    return bool(coal.collide(a, T_a, b, T_b, coal.CollisionRequest(), coal.CollisionResult()))


def fcl_touches(a: Any, T_a: Any, b: Any, T_b: Any) -> bool:
    """Return python-fcl's contact of two geometries and transforms."""
    one, two = fcl.CollisionObject(a, T_a), fcl.CollisionObject(b, T_b)
    return bool(fcl.collide(one, two, fcl.CollisionRequest(), fcl.CollisionResult()))


def fcl_mesh(mesh: Mesh) -> Any:
    """Return python-fcl's geometry of a mesh."""
    model = fcl.BVHModel()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addSubModel(np.array(mesh.vertices), np.array(mesh.faces))
    model.endModel()
    return model


def one_inside(a: Shape, b: Shape) -> bool:
    """Whether a point of one is inside the other, a mesh; by solid angles, not by trees."""
    for mesh, other in ((a, b), (b, a)):
        if isinstance(mesh, Mesh):
            point = other.position
            if isinstance(other, Mesh):
                point = other.rotation @ other.vertices[0] + other.position
            if mesh.signed_distance(point) < 0:
                return True
    return False


def random_rotations(count: int, rng: np.random.Generator) -> np.ndarray:
    """Return evenly spread rotations. Shape (count, 3, 3)."""
    return np.asarray(rotation_exp(rng.normal(size=(count, 3)) * 2))


def plain_rows(kind: int, R: np.ndarray, p: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return rows of many shapes of one kind, as `armwerk.collision.kernels.layout` says.

    Args:
        kind: Number of the kind.
        R: Rotations. Shape (m, 3, 3).
        p: Positions. Shape (m, 3).
        sizes: Three sizes and the swept radius. Shape (m, 4).
    """
    rows = np.zeros((len(p), layout.WIDTH))
    rows[:, layout.KIND] = kind
    rows[:, layout.ROTATION : layout.POSITION] = R.reshape(-1, 9)
    rows[:, layout.POSITION : layout.SIZES] = rows[:, layout.CENTRE : layout.REACH] = p
    rows[:, layout.SIZES : layout.SIZES + 4] = sizes
    rows[:, layout.MESH] = -1
    return rows
