"""What a mesh must be before anything can collide with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armwerk.errors import DescriptionError
from armwerk.geometry import HalfSpace, Mesh, Shape
from armwerk.geometry.arguments import length

LARGEST = 1e9
"""Largest size and coordinate of a shape [m]; beyond, squares and cubes of lengths lose meaning."""
MOST_TRIANGLES = 1_000_000  # some hundred MB of tables; arms and cells have thousands
HINT = (
    'or say what is made of it: open_mesh = "close", "hull" or "surface" (a line of the mesh in a '
    "file of bodies, or an argument of load_mesh), or --open-meshes close on the command line"
)
"""What somebody with an open mesh can do about it."""
_FLAT = 1e-12  # height of a triangle as a share of its longest side, below which it is a line


def checked_size(shape: Shape) -> None:
    """Refuse a shape that reaches farther than `LARGEST`, by a wrong unit most likely.

    Raises:
        DescriptionError: With how far it reaches.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        places = shape.position if isinstance(shape, HalfSpace) else shape.bounds
        far = float(np.abs(places).max())
    if not far <= LARGEST:
        kind = type(shape).__name__.lower()
        raise DescriptionError(
            "too large",
            element=f"{kind} '{shape.name}'" if shape.name else kind,
            value=f"{far:.3g} m",
            allowed=f"up to {LARGEST:.0e} m from the origin",
        )


def checked_mesh(mesh: Mesh, closed: bool = True) -> Mesh:
    """Return the mesh, or say what is wrong with it.

    Args:
        mesh: What to look at.
        closed: Whether it must bound a solid.

    Raises:
        DescriptionError: For a triangle without area, an edge that does not belong to two
            triangles running along it in opposite ways, or too many triangles.
    """
    element = f"mesh '{mesh.name}'" if mesh.name else "mesh"
    if len(mesh.faces) > MOST_TRIANGLES:
        raise DescriptionError(
            "too many triangles",
            element=element,
            value=len(mesh.faces),
            allowed=f"at most {MOST_TRIANGLES}",
        )
    checked_size(mesh)
    flat = flat_triangles(mesh)
    if flat.any():
        row = int(np.argmax(flat))
        raise DescriptionError(
            f"triangle {row} has no area",
            element=element,
            value=mesh.triangles[row].tolist(),
            allowed=f"three corners that are not on one line; {HINT}",
        )
    if closed and not mesh.is_closed:
        raise DescriptionError(
            f"not closed at the edge {_loose_edge(mesh)}",
            element=element,
            allowed=f"every edge in two triangles that run along it in opposite ways; {HINT}",
        )
    return mesh


def flat_triangles(mesh: Mesh) -> NDArray[np.bool_]:
    """Return which triangles have no area. Shape (m,)."""
    a, b, c = np.moveaxis(mesh.triangles, 1, 0)
    longest = np.max([length(b - a), length(c - b), length(a - c)], axis=0)
    result: NDArray[np.bool_] = length(np.cross(b - a, c - a)) <= _FLAT * longest**2
    return result


def hull(mesh: Mesh) -> Mesh:
    """Return the convex hull of a mesh: closed whatever the mesh was, and around it."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        found = ConvexHull(mesh.vertices)
    except (QhullError, ValueError):
        raise DescriptionError(
            "has no volume",
            element=f"mesh '{mesh.name}'" if mesh.name else "mesh",
            value=mesh.bounds.tolist(),
            allowed="corners that span a solid",
        ) from None
    faces = found.simplices.copy()
    a, b, c = np.moveaxis(found.points[faces], 1, 0)
    inwards = np.vecdot(np.cross(b - a, c - a), found.equations[:, :3]) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    used, numbers = np.unique(faces, return_inverse=True)
    corners = found.points[used]
    return Mesh(corners, numbers.reshape(-1, 3), mesh.position, mesh.rotation, mesh.name)


def _loose_edge(mesh: Mesh) -> str:
    edges = np.concatenate([mesh.faces[:, [i, (i + 1) % 3]] for i in range(3)])
    rows, counts = np.unique(edges, axis=0, return_counts=True)
    known = {tuple(row) for row in rows.tolist()}
    for (start, end), count in zip(rows.tolist(), counts.tolist(), strict=True):
        if count > 1 or (end, start) not in known:
            return f"from {mesh.vertices[start].tolist()} to {mesh.vertices[end].tolist()}"
    return "unknown"
