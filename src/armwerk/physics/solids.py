"""Shapes of `armwerk.geometry` as geoms of MuJoCo, each as exact as the engine can have it.

Boxes, balls, cylinders, capsules and half-spaces are its own. Of meshes it knows convex
hulls only: a convex one stays whole, one that is not falls into its parts, and a part that is not
convex becomes its hull where it moves, and a shell of thin prisms, one per triangle, where it
stands fast.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import mujoco
import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import DescriptionError
from armwerk.geometry.mesh import Mesh
from armwerk.geometry.quaternion import quaternion_from_rotation
from armwerk.geometry.round_shapes import Capsule, Cone, Cylinder
from armwerk.geometry.shape import Shape
from armwerk.geometry.shapes import Box, HalfSpace, Sphere

SHELL = 0.005  # [m] thickness of the prisms that a mesh is made of where it is not convex
FLAT = 1e-9  # part of the size below which a mesh has no thickness
CONVEX = 1e-6  # part of the size by which a convex mesh may bulge in
AROUND = 32  # corners of a cone's rim
MOST_TRIANGLES = 20_000  # of one shell


def add_solids(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    solids: Iterable[Shape],
    names: Iterator[str],
    *,
    fixed: bool,
) -> list[mujoco.MjsGeom]:
    """Add shapes to a body.

    Args:
        spec: Gets the meshes.
        body: Gets the geoms.
        solids: In the frame of the body.
        names: Of the geoms, one after the other; meshes are called the same.
        fixed: Whether the body never moves.

    Returns:
        The geoms in the order of the solids, of each at least one.
    """
    found: list[mujoco.MjsGeom] = []
    for solid in solids:
        if isinstance(solid, Mesh | Cone):
            for points in _pieces(solid, fixed):
                found.append(_hull(spec, body, next(names), points))
            continue
        kind, size = _primitive(solid, fixed)
        turn = quaternion_from_rotation(solid.rotation)
        found.append(
            body.add_geom(name=next(names), type=kind, size=size, pos=solid.position, quat=turn)
        )
    return found


def is_convex(solid: Shape) -> bool:
    """Whether a shape is convex, so that the engine has it as it is."""
    return not isinstance(solid, Mesh) or _is_convex(solid.vertices, solid.faces)


def _primitive(solid: Shape, fixed: bool) -> tuple[mujoco.mjtGeom, tuple[float, ...]]:
    kinds = mujoco.mjtGeom
    match solid:
        case Box():
            return kinds.mjGEOM_BOX, tuple(0.5 * side for side in solid.size)
        case Sphere():
            return kinds.mjGEOM_SPHERE, (solid.radius, 0.0, 0.0)
        case Cylinder():
            return kinds.mjGEOM_CYLINDER, (solid.radius, 0.5 * solid.length, 0.0)
        case Capsule():
            return kinds.mjGEOM_CAPSULE, (solid.radius, 0.5 * solid.length, 0.0)
        case HalfSpace() if fixed:
            return kinds.mjGEOM_PLANE, (0.0, 0.0, 1.0)
    raise DescriptionError(
        "a shape that cannot move",
        element=f"'{solid.name}'" if solid.name else type(solid).__name__.lower(),
        allowed="boxes, balls, cylinders, capsules, cones and meshes",
    )


def _hull(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, points: Array) -> mujoco.MjsGeom:
    """Add the convex hull of points; the engine keeps them as short numbers around their middle."""
    centre = points.mean(axis=0)
    spec.add_mesh(name=name, uservert=np.unique(points - centre, axis=0).ravel())
    kind = mujoco.mjtGeom.mjGEOM_MESH
    return body.add_geom(name=name, type=kind, meshname=name, pos=centre)


def _pieces(solid: Mesh | Cone, fixed: bool) -> list[Array]:
    """Return the corners of the convex pieces of a solid, in the frame it stands in."""
    if isinstance(solid, Cone):
        return [_placed(solid, _cone_points(solid))]
    parts = [(solid.vertices, solid.faces)]
    if not _is_convex(solid.vertices, solid.faces):
        parts = _connected(solid.vertices, solid.faces)
    found: list[Array] = []
    for vertices, faces in parts:
        if _is_convex(vertices, faces):
            found.append(_placed(solid, vertices))
        elif fixed:
            found += [_placed(solid, prism) for prism in _prisms(solid, vertices, faces)]
        elif _is_flat(vertices):
            raise DescriptionError(
                "has no thickness",
                element=f"mesh '{solid.name}'",
                allowed="solids, where something is to move",
            )
        else:
            found.append(_placed(solid, vertices))
    return found


def _placed(solid: Shape, points: Array) -> Array:
    moved: Array = points @ solid.rotation.T + solid.position
    return moved


def _cone_points(cone: Cone) -> Array:
    angles = np.arange(AROUND) * (2.0 * math.pi / AROUND)
    rings = [(cone.radius, -0.5 * cone.length), (cone.top_radius, 0.5 * cone.length)]
    rows = [
        np.stack([r * np.cos(angles), r * np.sin(angles), np.full(AROUND, z)], axis=1)
        for r, z in rings
    ]
    points: Array = np.unique(np.concatenate(rows), axis=0)
    return points


def _is_flat(vertices: Array) -> bool:
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    return bool(len(vertices) < 4 or spread[-1] <= 1e-6 * spread[0])


def _is_convex(vertices: Array, faces: Integers) -> bool:
    """Whether every corner lies behind the plane of every triangle, and there is a volume."""
    used = vertices[np.unique(faces)]
    if _is_flat(used):
        return False
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1)
    size = float(np.linalg.norm(np.ptp(used, axis=0)))
    kept = length > FLAT * size * size
    normals, first = across[kept] / length[kept, None], corners[kept, 0]
    outside = max(
        float((normal @ (used - point).T).max())
        for normal, point in zip(normals, first, strict=True)
    )
    return outside <= CONVEX * size


def _connected(vertices: Array, faces: Integers) -> list[tuple[Array, Integers]]:
    """Return the parts of a mesh that share no place, each with its own vertices."""
    _, same = np.unique(np.round(vertices, 9), axis=0, return_inverse=True)
    label = np.arange(int(same.max()) + 1)
    joined = same.ravel()[faces]
    while True:
        lowest = label[joined].min(axis=1)
        before = label.copy()
        for k in range(3):
            np.minimum.at(label, joined[:, k], lowest)
        label = label[label]
        if np.array_equal(label, before):
            break
    of_face = label[joined[:, 0]]
    found: list[tuple[Array, Integers]] = []
    for part in np.unique(of_face):
        mine = faces[of_face == part]
        used, place = np.unique(mine, return_inverse=True)
        found.append((vertices[used], place.reshape(mine.shape).astype(np.int64)))
    return found


def _prisms(solid: Mesh, vertices: Array, faces: Integers) -> list[Array]:
    """Return a thin prism behind every triangle."""
    if len(faces) > MOST_TRIANGLES:
        raise DescriptionError(
            "too many triangles for a mesh that is not convex",
            element=f"mesh '{solid.name}'",
            value=len(faces),
            allowed=f"{MOST_TRIANGLES} or fewer",
        )
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1)
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    kept = length > FLAT * size * size
    inwards = -SHELL * across[kept] / length[kept, None]
    return [
        np.concatenate([one, one + depth])
        for one, depth in zip(corners[kept], inwards, strict=True)
    ]
