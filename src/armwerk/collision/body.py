"""One body around an arm, the names of several, and the region that the arm must stay inside."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armwerk.collision.mesh_check import checked_mesh, checked_size
from armwerk.errors import DescriptionError
from armwerk.geometry import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Shape, Sphere

_FLAT = 1e-9  # share of a mesh's size by which a corner may stand out of a face of a convex mesh


@dataclass(frozen=True, slots=True, eq=True, init=False)
class Region:
    """A convex shape that no part of the arm may leave; reaching its surface counts as leaving.

    Args:
        shape: Any shape but a concave mesh; of a half-space the solid side is the allowed one.
        name: For messages and for finding it again. Empty: the shape's own name.
    """

    shape: Shape
    name: str

    def __init__(self, shape: Shape, name: str = "") -> None:
        element = f"region '{name}'" if name else "region"
        if not isinstance(shape, Shape):
            raise DescriptionError("no shape", element=element, value=shape, allowed="a shape")
        if not isinstance(name, str):
            raise DescriptionError("not a text", element="region, name", value=name)
        if isinstance(shape, Mesh):
            _refuse_concave(checked_mesh(shape), element)
        name = name or shape.name
        object.__setattr__(self, "shape", replace(shape, name=name))  # type: ignore[type-var]
        object.__setattr__(self, "name", name)

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether points (..., 3) are inside or on the surface. Shape (...)."""
        return self.shape.contains(points)

    def walls(self) -> tuple[list[HalfSpace], Shape | None]:
        """Return what is outside: half-spaces, and the round shape outside of which is the rest.

        A box and a convex mesh are bounded by planes alone, a sphere and a capsule by themselves,
        cylinder and cone by two planes and their round side. None: no round side.
        """
        shape = self.shape
        if isinstance(shape, HalfSpace):
            return [HalfSpace(-shape.normal, shape.position)], None
        if isinstance(shape, Box):
            half = shape.size / 2
            return [
                HalfSpace(-sign * axis, shape.position + sign * axis * length)
                for axis, length in zip(shape.rotation.T, half, strict=True)
                for sign in (1.0, -1.0)
            ], None
        if isinstance(shape, Mesh):
            return _planes(shape), None
        if isinstance(shape, Sphere | Capsule):
            return [], shape
        if isinstance(shape, Cylinder | Cone):
            axis = shape.rotation[:, 2]
            ends = [
                HalfSpace(-sign * axis, shape.position + sign * axis * shape.length / 2)
                for sign in (1.0, -1.0)
            ]
            return ends, shape
        raise DescriptionError("cannot be a region", element="region", value=shape)


def _outward(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return unit normals and first corners of all triangles, both (m, 3), in the mesh's frame."""
    a, b, c = np.moveaxis(mesh.triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    return normals / np.linalg.norm(normals, axis=1)[:, None] * np.sign(mesh.volume), a


def _refuse_concave(mesh: Mesh, element: str) -> None:
    normals, corners = _outward(mesh)
    heights = normals @ mesh.vertices.T - np.vecdot(normals, corners)[:, None]
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if heights.max() > _FLAT * size:
        raise DescriptionError(
            f"not convex: a corner stands {heights.max():.4g} m out of a face",
            element=element,
            allowed="a convex mesh; collision.hull(mesh) makes one",
        )


def _planes(mesh: Mesh) -> list[HalfSpace]:
    normals, corners = _outward(mesh)
    _, first = np.unique(np.round(normals, 9), axis=0, return_index=True)
    return [
        HalfSpace(-mesh.rotation @ normals[n], mesh.rotation @ corners[n] + mesh.position)
        for n in first
    ]


Body: TypeAlias = Shape | Region

MOST_BODIES = 100_000


def named_bodies(shapes: tuple[Body, ...]) -> tuple[Body, ...]:
    """Return bodies that are solids, each with a name of its own.

    Raises:
        DescriptionError: For something that is no body, a name used twice, a mesh that is not
            closed or has triangles without area, or too many of them.
    """
    if len(shapes) > MOST_BODIES:
        raise DescriptionError(
            "too many bodies", element="bodies", value=len(shapes), allowed=f"up to {MOST_BODIES}"
        )
    taken: set[str] = set()
    for number, body in enumerate(shapes):
        if not isinstance(body, Shape | Region):
            raise DescriptionError(
                "not a body", element=f"body {number}", value=body, allowed="a shape or a Region"
            )
        checked_size(body.shape if isinstance(body, Region) else body)
        if isinstance(body, Mesh):
            checked_mesh(body)
        if body.name and body.name in taken:
            raise DescriptionError(
                "name used twice", element=f"body '{body.name}'", allowed="a name of its own"
            )
        taken.add(body.name)
    named: list[Body] = []
    for number, body in enumerate(shapes):
        name = body.name
        if not name:
            name = f"{type(body).__name__.lower()}{number}"
            while name in taken:
                name += "_"
            taken.add(name)
        named.append(_renamed(body, name))
    return tuple(named)


def _renamed(body: Body, name: str) -> Body:
    if body.name == name:
        return body
    if isinstance(body, Region):
        return Region(body.shape, name)
    return replace(body, name=name)  # type: ignore[type-var]
