"""From the triangles of a file to a solid: checked, mended where that is safe, with its volume."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armwerk.arrays import Array, Integers
from armwerk.errors import DescriptionError
from armwerk.geometry.mesh import Mesh

FARTHEST = 1e5  # [m] a vertex may lie from its object's middle
_THICK = 0.005  # [m] what is flat is made
_FLAT = 1e-12  # share of the size by which a solid must be thick


class CheckedSolid(NamedTuple):
    """Triangles that can be used.

    Attributes:
        mesh: Without double vertices and triangles without area, outside out.
        volume: [m³]; of the convex hull where the surface is open.
        problems: What was wrong with it and is told to the user.
    """

    mesh: Mesh
    volume: float
    problems: tuple[str, ...]


def checked_solid(vertices: Array, faces: Integers, name: str) -> CheckedSolid:
    """Return the solid of some triangles [m].

    A surface with holes keeps them, for they are seen and hit like the rest; its volume is that
    of its convex hull. A surface inside out is turned.

    Raises:
        DescriptionError: When vertices are not finite or absurdly far, or no triangle has an area.
    """
    import trimesh

    element = f"object '{name}'"
    if not np.isfinite(vertices).all():
        raise DescriptionError("a vertex is not finite", element=element)
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise DescriptionError(
            "a triangle uses a vertex that does not exist",
            element=element,
            value=int(faces.max()),
            allowed=f"0 to {len(vertices) - 1}",
        )
    if len(vertices) and np.abs(vertices).max() > FARTHEST:
        raise DescriptionError(
            "a vertex is too far away",
            element=element,
            value=f"{np.abs(vertices).max():.3g} m",
            allowed=f"within {FARTHEST:g} m; see 'unit' of the scene",
        )
    with np.errstate(all="ignore"):  # a damaged file may hold numbers that overflow when squared
        mesh = trimesh.Trimesh(vertices, faces, process=False)
        mesh.merge_vertices(merge_norm=True, merge_tex=True)
        mesh.update_faces(mesh.nondegenerate_faces(height=None))
        mesh.update_faces(mesh.unique_faces())
        mesh.remove_unreferenced_vertices()
        if not len(mesh.faces):
            raise DescriptionError(
                "has no triangle with an area", element=element, value=f"{len(faces)} triangles"
            )
        problems: list[str] = []
        sheet = _thickened(np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces))
        if sheet is not None:
            problems.append(
                f"{element} is flat; it is made {1000 * _THICK:g} mm thick behind its face"
            )
            mesh = trimesh.Trimesh(*sheet, process=False)
        flawless = bool(mesh.is_watertight and mesh.is_winding_consistent)
        if flawless:
            volume = float(mesh.volume)
            if volume < 0:
                problems.append(f"{element} was inside out and has been turned")
                mesh.invert()
                volume = -volume
        else:
            volume = _hull_volume(np.asarray(mesh.vertices, dtype=np.float64))
            holes = "has holes" if not mesh.is_watertight else "has triangles turned both ways"
            problems.append(f"{element} {holes}; its volume is taken from its convex hull")
    if not np.isfinite(volume):
        raise DescriptionError("its volume is not finite", element=element)
    solid = Mesh(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int64), name=name)
    return CheckedSolid(solid, volume, tuple(problems))


def _thickened(vertices: Array, faces: Integers) -> tuple[Array, Integers] | None:
    """Return a flat surface as a slab behind its face; None: it is not flat."""
    corners = vertices[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).sum(axis=0)
    area = float(np.linalg.norm(across))
    size = float(np.ptp(vertices, axis=0).max())
    if area <= 1e-9 * size**2:
        return None
    normal = across / area
    if np.ptp(vertices @ normal) > 1e-6 * size:
        return None
    count = len(vertices)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forth = {(int(a), int(b)) for a, b in edges}
    rim = [(a, b) for a, b in sorted(forth) if (b, a) not in forth]
    sides = [row for a, b in rim for row in ((b, a, a + count), (b, a + count, b + count))]
    return (
        np.vstack([vertices, vertices - _THICK * normal]),
        np.concatenate([faces, faces[:, ::-1] + count, np.array(sides, dtype=np.int64)]),
    )


def _hull_volume(vertices: Array) -> float:
    """Return the volume of the convex hull [m³]; 0 of what is flat."""
    from scipy.spatial import ConvexHull, QhullError

    size = float(np.ptp(vertices, axis=0).max())
    try:
        volume = float(ConvexHull(vertices).volume)
    except (QhullError, ValueError):
        return 0.0
    return volume if volume > _FLAT * size**3 else 0.0
